import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { JSDOM } from "jsdom";
import { figures } from "../build/charts/index.js";
import { duration } from "../build/charts/durations.js";
import { powers, ticks } from "../build/charts/scale.js";
import { publishedRows, verdictRows } from "../build/charts/select.js";
import { colours, resolveColours, standalone, textWidth, widths, wrap } from "../build/charts/style.js";
import { chartKeys, chartLocale, tags } from "./plots/locale.ts";
import { acceptRows, claims, verdicts } from "./plots/rows.ts";
import * as plots from "./plots/index.ts";

const snapshots = new URL("plots/snapshots/", import.meta.url);
const pictures = Object.entries(plots).filter((entry): entry is [string, () => Promise<string>] => typeof entry[1] === "function");

for (const [name, draw] of pictures) {
  test(`picture ${name} is the one that was looked at`, async () => {
    const file = new URL(`${name}.svg`, snapshots);
    const drawn = await draw();
    if (process.env["UPDATE"] !== undefined) writeFileSync(file, drawn);
    assert.ok(existsSync(file), `${name}.svg is missing: look at it, then run again with UPDATE=1`);
    assert.ok(drawn === readFileSync(file, "utf8"), "the picture changed: look at it, then run again with UPDATE=1");
  });
}

test("no snapshot is left of a picture that is gone", () => {
  const names = new Set(pictures.map(([name]) => `${name}.svg`));
  assert.deepEqual(readdirSync(snapshots).filter((file) => !names.has(file)), []);
});

for (const figure of Object.values(figures)) {
  test(`${figure.id} reads without script, in every language and layout, with ids that meet no others`, async () => {
    const ids: string[] = [];
    for (const tag of tags) for (const layout of ["narrow", "wide"] as const) {
      const rows = figure.select(plots.rows);
      const svg = await figure.draw(rows, chartLocale(tag), layout);
      const { document } = new JSDOM(`<body>${svg}`).window;
      const root = document.querySelector("svg");
      assert.ok(root);
      assert.equal(root.getAttribute("role"), "img");
      assert.equal(root.getAttribute("lang"), tag);
      assert.equal(root.getAttribute("width"), String(widths[layout]));
      assert.equal(root.querySelectorAll("script, style, foreignObject, image, a").length, 0);
      for (const label of ["aria-labelledby", "aria-describedby"]) assert.ok((document.getElementById(root.getAttribute(label) ?? "")?.textContent ?? "").length > 5, label);
      ids.push(...[...root.querySelectorAll("[id]")].map((node) => node.id));
      assert.doesNotMatch(svg, /NaN|undefined|Infinity|\{[a-z]+\}/);
      const foreign = [...svg.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map((match) => match[1] ?? "").filter((value) => value !== "none" && !value.startsWith("var(--"));
      assert.deepEqual(foreign, [], "colours that a dark page cannot change");
    }
    assert.equal(new Set(ids).size, ids.length);
  });

  test(`${figure.id} puts every text inside its drawing, as wide as texts are taken to be`, async () => {
    for (const tag of tags) for (const layout of ["narrow", "wide"] as const) {
      const { document } = new JSDOM(`<body>${await figure.draw(figure.select(plots.rows), chartLocale(tag), layout)}`).window;
      for (const node of document.querySelectorAll("svg > g:last-of-type > text")) {
        const width = textWidth(node.textContent ?? "", Number(node.getAttribute("font-size")));
        const x = Number(node.getAttribute("x"));
        const [from, to] = node.getAttribute("text-anchor") === "end" ? [x - width, x] : [x, x + width];
        assert.ok(from >= -1 && to <= widths[layout] + 1, `${tag} ${layout}: "${node.textContent}" goes from ${from} to ${to}`);
      }
    }
  });

  test(`${figure.id} does not depend on the order of its rows`, async () => {
    const rows = figure.select(plots.rows);
    if (figure.id === "verdicts") return; // its rows come in the order of the verdicts
    assert.ok((await figure.draw([...rows].reverse(), chartLocale("en"))) === (await figure.draw(rows, chartLocale("en"))));
  });

  test(`${figure.id} has a whole table in every language`, () => {
    const rows = figure.select(plots.rows);
    assert.ok(rows.length > 0);
    for (const tag of tags) {
      const table = figure.table(rows, chartLocale(tag));
      assert.equal(table.rows.length, rows.length);
      for (const row of table.rows) assert.equal(row.length, table.columns.length);
    }
    assert.equal(figure.select([]).length, 0);
  });

  test(`${figure.id} takes what other estimates there are for nothing of its own`, () => {
    const strangers = plots.rows.map((row) => ({ ...row, experiment: "another" }));
    assert.deepEqual(figure.select(strangers), []);
  });
}

test("a changed estimate changes the bar, its label, and the table", async () => {
  const figure = figures["accept-instructions"];
  assert.ok(figure);
  const rows = figure.select(acceptRows);
  const changed = rows.map((row) => (row.factors["server"] === "epoll" && row.factors["kernel"] === "6.12" ? { ...row, value: 31_234, low: 31_000, high: 31_500 } : row));
  const [before, after] = [await figure.draw(rows, chartLocale("en")), await figure.draw(changed, chartLocale("en"))];
  assert.ok(!before.includes("31,234") && after.includes("31,234"));
  assert.notEqual(before.replaceAll(/>[^<]*</g, ""), after.replaceAll(/>[^<]*</g, ""), "the marks moved too");
  assert.ok(figure.table(changed, chartLocale("es")).rows.some((row) => row.includes("31.234")));
  assert.ok(figure.table(changed, chartLocale("hi")).rows.some((row) => row.includes("31,234")));
});

test("figures take the article's primary conditions only", () => {
  const rows = figures["accept-instructions"]?.select(acceptRows) ?? [];
  assert.equal(rows.length, 12);
  assert.ok(rows.every((row) => row.factors["silent"] === 0 && row.factors["scheduling"] === "equal"));
});

test("what cannot be compared is not selected, so that an article can say that nothing was measured", () => {
  const select = (id: string, keep: (row: (typeof plots.rows)[number]) => boolean) => figures[id]?.select(plots.rows.filter(keep)).length;
  assert.equal(select("accept-instructions", (row) => row.meter === "published"), 0);
  assert.equal(select("accept-user-kernel", (row) => row.metric !== "instructions_user"), 0);
  assert.equal(select("accept-cputime", (row) => row.metric !== "cpu_time"), 0);
  assert.equal(select("accept-silent", (row) => row.factors["silent"] === 0), 0);
  assert.equal(select("accept-silent", (row) => row.factors["silent"] !== 0), 0);
  assert.equal(select("chain-enters", (row) => row.factors["link"] !== "on"), 0);
  assert.equal(select("ablation-steps", (row) => row.factors["skip"] !== "on"), 0);
  assert.equal(select("ablation-effects", (row) => row.factors["deferred"] !== "on"), 0);
  assert.equal(select("ablation-load", (row) => row.factors["defer"] !== "on"), 0);
  assert.equal(select("framework-tax", (row) => row.factors["method"] !== "in-process"), 0);
  assert.equal(select("transport-cpu", (row) => row.factors["connections"] !== 64), 0);
  assert.equal(select("transport-collections", (row) => row.metric !== "pause_six_seconds"), 0);
  assert.equal(select("transport-instructions", (row) => row.metric !== "instructions_user"), 0);
  assert.equal(select("bodies-writev", (row) => row.factors["server"] !== "http"), 0);
  assert.equal(select("typed-codecs", (row) => row.factors["codec"] !== "goccy"), 0);
  assert.equal(select("typed-codecs", (row) => row.metric !== "allocations"), 0);
  assert.equal(select("clients-ceiling", (row) => row.metric !== "loader_cpu_share"), 0);
});

test("main effects are means over combinations in which the other techniques are balanced, so each is its own gain", async () => {
  const figure = figures["ablation-effects"];
  assert.ok(figure);
  const rows = figure.select(plots.rows);
  assert.equal(rows.length, 16);
  const svg = await figure.draw(rows, chartLocale("en"));
  // 38,000 less half of all other gains, with and without the 12,000 of this one: 38,004 - 2,400 = 35,604.
  assert.match(svg, /MSG_MORE, Off: 35,604; MSG_MORE, On: 23,604 \(-33\.7%\)/);
  assert.match(svg, /direct descriptors, Off: 29,454; direct descriptors, On: 29,754 \(\+1%\)/);
  assert.deepEqual(figure.select(plots.rows.filter((row) => row !== rows[3])), [], "a combination is missing, and nothing is balanced");
});

test("of one cell measured in windows of two lengths the longer is drawn, and nothing of other loads", async () => {
  const rows = figures["transport-cpu"]?.select(plots.rows) ?? [];
  assert.equal(rows.length, 6);
  assert.deepEqual(rows.filter((row) => row.value === 77777), []);
  assert.ok(rows.every((row) => row.factors["seconds"] === (row.factors["depth"] === 1 ? 6 : 1)));
});

test("a codec is compared with goccy at the same records: a server's, else those of both sides", async () => {
  const figure = figures["typed-codecs"];
  assert.ok(figure);
  const records = (keep: (row: (typeof plots.rows)[number]) => boolean): unknown[] => [...new Set(figure.select(plots.rows.filter(keep)).map((row) => `${row.factors["operation"]} ${row.factors["records"]}`))].sort();
  assert.deepEqual(records(() => true), ["decode server", "encode server", "handler server"]);
  assert.deepEqual(records((row) => row.factors["records"] !== "server"), ["decode both", "encode both"]);
  const rows = figure.select(plots.rows);
  const doubled = rows.map((row) => (row.factors["codec"] === "goccy" && row.metric === "time" ? { ...row, value: row.value * 2, low: row.low * 2, high: row.high * 2 } : row));
  assert.match(await figure.draw(rows, chartLocale("en")), /Decode, ZAP: 0\.03× · 0;/);
  assert.match(await figure.draw(doubled, chartLocale("en")), /Decode, ZAP: 0\.015× · 0;/);
});

test("a quick run, in which much is missing, is drawn with what there is", async () => {
  const quick = { "transport-cpu": "pooled", "transport-collections": "naive", "transport-instructions": "pooled", "framework-tax": "zip" };
  for (const [id, server] of Object.entries(quick)) {
    const figure = figures[id];
    assert.ok(figure);
    const rows = figure.select(plots.rows).filter((row) => row.factors["server"] === server).map((row) => ({ ...row, low: row.value, high: row.value, n: 1 }));
    assert.doesNotMatch(await figure.draw(rows, chartLocale("hi"), "wide"), /NaN|undefined|Infinity/, id);
  }
});

test("counts that are all zero are a figure too", async () => {
  const figure = figures["transport-collections"];
  assert.ok(figure);
  const rows = figure.select(plots.rows).map((row) => ({ ...row, value: 0, low: 0, high: 0 }));
  const svg = await figure.draw(rows, chartLocale("en"));
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  assert.match(svg, /ZAP, naive, GOGC 100: 0 · 0;/);
});

test("a server alone, without its comparison, is still drawn", async () => {
  for (const id of ["accept-instructions", "accept-user-kernel", "accept-cputime", "accept-silent"]) {
    const figure = figures[id];
    assert.ok(figure);
    const rows = figure.select(acceptRows).filter((row) => row.factors["server"] === "engine" && row.factors["kernel"] !== "6.1");
    assert.ok(rows.length > 0);
    assert.ok((await figure.draw(rows, chartLocale("en"))).includes("Our engine"), id);
  }
});

test("published figures go to the servers they were published for", () => {
  assert.deepEqual(publishedRows(claims).map((row) => [row.factors["server"], row.value]), [["go", 80_000], ["vanilla", 60_000], ["six-techniques", 27_000]]);
});

test("verdicts are counted, none that nobody has", () => {
  const rows = verdictRows(verdicts.filter((one) => one.verdict !== "fails"));
  assert.equal(rows.reduce((sum, row) => sum + row.value, 0), verdicts.length - 2);
  assert.ok(!rows.some((row) => row.factors["verdict"] === "fails"));
});

test("ticks are round and within what they measure", () => {
  assert.deepEqual(ticks(120_000, 4), [0, 50_000, 100_000]);
  assert.deepEqual(ticks(1, 2), [0, 0.5, 1]);
  assert.deepEqual(ticks(0.3, 3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(ticks(0, 3), [0]);
});

test("a logarithmic scale goes over whole decades", () => {
  assert.deepEqual(powers(0.03, 6.8), [0.01, 0.1, 1, 10]);
  assert.deepEqual(powers(0.1, 1), [0.1, 1]);
  assert.deepEqual(powers(1, 1), [1, 10]);
});

test("times are written in the unit of which there is at least one", () => {
  const written = (tag: string): string[] => [0, 0.25, 51.8, 1000, 13_149, 4_634_200].map((value) => duration(value, chartLocale(tag)));
  assert.deepEqual(written("en"), ["0", "0.25 ns", "51.8 ns", "1 µs", "13.1 µs", "4.63 ms"]);
  assert.deepEqual(written("es"), ["0", "0,25 ns", "51,8 ns", "1 µs", "13,1 µs", "4,63 ms"]);
});

test("Devanagari is measured by its letters, not by its code points", () => {
  assert.ok(textWidth("कर्नेल", 10) < 10 * "कर्नेल".length * 0.66);
  assert.deepEqual(wrap("one two three", 55, 10), ["one two", "three"]);
  assert.equal(wrap("प्रति कनेक्शन सर्वर", 1e9, 10).length, 1);
});

test("a picture without a page has plain colours of its scheme", async () => {
  const svg = resolveColours(await plots.acceptInstructions(), "dark");
  assert.doesNotMatch(svg, /var\(/);
  assert.ok(svg.includes(colours["server-go"].dark) && !svg.includes(colours["server-go"].light));
});

test("a picture that is a file of its own follows the reader's scheme on a background of its own", async () => {
  const svg = standalone(await plots.acceptInstructions());
  const [light, dark] = svg.split("@media (prefers-color-scheme: dark)");
  for (const name of ["chart-paper", "chart-ink", "server-go"] as const) {
    assert.ok(light?.includes(`--${name}:${colours[name].light}`), name);
    assert.ok(dark?.includes(`--${name}:${colours[name].dark}`), name);
  }
  assert.match(svg, /^<svg[^>]* width="392" height="\d+" viewBox="-16 -16 392 \d+"/);
  assert.match(svg, /^<svg[^>]*>\n<style>svg\{[^}]*background:var\(--chart-paper\)\}/);
});

test("the figures ask for every word that is kept for them", async () => {
  const asked = new Set<string>();
  const locale = chartLocale("en");
  const listening = { ...locale, text: (key: string) => { asked.add(key); return locale.text(key); } };
  for (const figure of Object.values(figures)) {
    const rows = figure.select(plots.rows);
    await figure.draw(rows, listening);
    figure.table(rows, listening);
  }
  assert.deepEqual(chartKeys().filter((key) => !asked.has(key)), []);
});

/** WCAG 2.2's relative luminance and contrast ratio. */
function contrast(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [red, green, blue] = [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16) / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  };
  const [dim, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return ((bright ?? 0) + 0.05) / ((dim ?? 0) + 0.05);
}

test("marks have a contrast of 3 with the page, texts 4.5", () => {
  for (const scheme of ["light", "dark"] as const) for (const [name, colour] of Object.entries(colours)) {
    if (name === "chart-paper" || name === "chart-grid") continue;
    const least = /ink|muted/.test(name) ? 4.5 : 3;
    assert.ok(contrast(colour[scheme], colours["chart-paper"][scheme]) >= least, `${name} ${scheme}`);
  }
});

test("no two servers share a colour", () => {
  for (const scheme of ["light", "dark"] as const) {
    const servers = Object.entries(colours).filter(([name]) => name.startsWith("server-")).map(([, colour]) => colour[scheme]);
    assert.equal(new Set(servers).size, servers.length);
  }
});
