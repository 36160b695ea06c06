import assert from "node:assert/strict";
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { FileSystemConfigLoader, HtmlValidate } from "html-validate";
import { JSDOM } from "jsdom";
import { readLocales } from "../build/article/locale.js";
import { gather } from "../build/claims/gather.js";
import { filesUnder } from "../build/publish/output.js";
import { renderSite } from "../build/publish/site.js";
import { verifyPage } from "../build/publish/verify.js";
import { inProject } from "../build/root.js";
import { referenceRun, type Run } from "../build/store/run.js";

/** The whole site of the committed reference run, as `make site` has it, but elsewhere. */
const sources = { paper: inProject("paper"), common: inProject("paper"), claims: inProject("data", "claims") };
const work = mkdtempSync(join(tmpdir(), "nullius-site-"));
const folder = join(work, "site");
const reference = referenceRun()!;
const base = "http://localhost:8000/";
const render = (run: Run | undefined = reference, from = sources) => renderSite({}, from, folder, run, () => gather(run));
const pages = (): string[] => filesUnder(folder).filter((file) => file.endsWith(".html"));
const contents = (): Map<string, string> => new Map(filesUnder(folder).map((file) => [file, readFileSync(file).toString("base64")]));

before(async () => void (await render()));
after(() => rmSync(work, { recursive: true, force: true }));

test("site: rendered again nothing is written, and made anew every file has the same bytes", async () => {
  assert.deepEqual((await render()).filter(({ written }) => written), []);
  const first = contents();
  rmSync(work, { recursive: true });
  await render();
  assert.deepEqual([...contents()].filter(([file, bytes]) => first.get(file) !== bytes).map(([file]) => file), []);
  assert.equal(contents().size, first.size);
});

test("site: every page is valid HTML, under 300 kB as a server sends it, and says nothing by a script that it does not say without", async () => {
  const loader = new FileSystemConfigLoader({
    root: true, extends: ["html-validate:recommended"],
    rules: { "long-title": "off", "no-inline-style": "off", "doctype-style": "off", "attribute-boolean-style": "off", "no-trailing-whitespace": "off", "svg-focusable": "off" },
  });
  const validator = new HtmlValidate(loader);
  for (const file of pages()) {
    const html = readFileSync(file, "utf8");
    const report = await validator.validateString(html, file);
    assert.deepEqual(report.results.flatMap((result) => result.messages.map((message) => `${file}:${message.line} ${message.ruleId}: ${message.message}`)).slice(0, 5), []);
    const sent = gzipSync(html).byteLength;
    assert.ok(sent < 300_000 && Buffer.byteLength(html) < 1_000_000, `${file}: ${sent} bytes in gzip, ${Buffer.byteLength(html)} plain`);
  }
});

test("site: every link and every address leads to a file of the site, every fragment to an element", () => {
  const documents = new Map(pages().map((file) => [file, new JSDOM(readFileSync(file, "utf8")).window.document]));
  const broken: string[] = [];
  let checked = 0;
  const target = (from: string, href: string): string => {
    const own = href.startsWith(base) ? join(folder, href.slice(base.length)) : join(dirname(from), href);
    return existsSync(own) && statSync(own).isDirectory() ? join(own, "index.html") : own;
  };
  for (const [file, document] of documents) {
    for (const node of document.querySelectorAll("[href], [src]")) {
      const href = node.getAttribute("href") ?? node.getAttribute("src") ?? "";
      if (/^https?:/.test(href) && !href.startsWith(base)) continue;
      const [to = "", fragment = ""] = href.split("#");
      const found = to === "" ? file : target(file, decodeURIComponent(to));
      checked++;
      if (!existsSync(found)) broken.push(`${file}: ${href}`);
      else if (fragment !== "" && documents.get(found)?.getElementById(fragment) === null) broken.push(`${file}: ${href}`);
    }
    for (const button of document.querySelectorAll("[popovertarget]")) if (document.getElementById(button.getAttribute("popovertarget")!)?.getAttribute("popover") === null) broken.push(`${file}: ${button.outerHTML}`);
  }
  assert.deepEqual(broken.slice(0, 10), []);
  assert.ok(checked > 500, `${checked} links`);
});

test("site: every measured figure of every page comes out of the raw samples again, digit for digit", async () => {
  const { evidence } = await gather(reference);
  let compared = 0;
  for (const file of pages()) {
    const tag = /<html lang="(\w+)"/.exec(readFileSync(file, "utf8"))![1]!;
    const result = await verifyPage(readFileSync(file, "utf8"), file, evidence, readLocales([tag], join(sources.common, "locales")).get(tag)!);
    assert.deepEqual(result.mismatches, []);
    compared += result.compared;
  }
  assert.ok(compared > 500, `${compared} figures`);
});

test("site: the head names its own address, every language, the feeds and the article as schema.org", () => {
  for (const tag of ["en", "es", "hi"]) {
    const { document } = new JSDOM(readFileSync(join(folder, "accept-engine", tag, "index.html"), "utf8")).window;
    const links = (selector: string): (string | null)[] => [...document.querySelectorAll(selector)].map((node) => node.getAttribute("href"));
    assert.deepEqual(links('link[rel="canonical"]'), [`${base}accept-engine/${tag}/`]);
    assert.deepEqual(links('link[hreflang]'), ["en", "es", "hi", "en"].map((other) => `${base}accept-engine/${other}/`));
    assert.deepEqual(links('link[type*="+"]'), [`${base}${tag}/feed.atom`, `${base}${tag}/feed.json`]);
    assert.equal(document.querySelector('meta[property="og:image"]')!.getAttribute("content"), `${base}accept-engine/${tag}/card.png`);
    const data = JSON.parse(document.querySelector('script[type="application/ld+json"]')!.textContent!) as Record<string, unknown>;
    assert.deepEqual([data["@type"], data["inLanguage"], data["url"]], ["TechArticle", tag, `${base}accept-engine/${tag}/`]);
    assert.equal(data["headline"], document.querySelector("h1")!.textContent);
  }
});

test("site: feeds and sitemap are well formed, name each article once and use whole addresses", () => {
  for (const tag of ["en", "es", "hi"]) {
    const atom = new JSDOM(readFileSync(join(folder, tag, "feed.atom"), "utf8"), { contentType: "application/xml" }).window.document;
    const ids = [...atom.querySelectorAll("entry > id")].map((id) => id.textContent);
    assert.ok(ids.includes(`${base}accept-engine/${tag}/`) && new Set(ids).size === ids.length);
    assert.deepEqual([...atom.querySelectorAll("entry")].filter((entry) => entry.querySelector("title")?.textContent === "" || entry.querySelector("updated")?.textContent !== reference.manifest.startedAt), []);
    const json = JSON.parse(readFileSync(join(folder, tag, "feed.json"), "utf8")) as { version: string; feed_url: string; items: { id: string; url: string }[] };
    assert.equal(json.feed_url, `${base}${tag}/feed.json`);
    assert.deepEqual(json.items.map(({ url }) => url), ids);
  }
  const map = new JSDOM(readFileSync(join(folder, "sitemap.xml"), "utf8"), { contentType: "application/xml" }).window.document;
  const addresses = [...map.querySelectorAll("url > loc")].map((node) => node.textContent!);
  // All pages but the first, which repeats that of the default language.
  assert.deepEqual(addresses.sort(), pages().map((file) => base + file.slice(folder.length + 1).replace(/index\.html$/, "")).filter((url) => url !== base).sort());
});

test("site: the downloads of ledger and run hold the same rows in each format, and the samples byte for byte", async () => {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const rows = async (file: string): Promise<unknown> => (await connection.runAndReadAll(`SELECT count(*)::INTEGER AS n, round(sum(value), 3)::VARCHAR AS total FROM '${file}'`)).getRowObjectsJson()[0];
  try {
    for (const name of ["ledger/ledger", `runs/${reference.id}/samples`, `runs/${reference.id}/estimates`]) {
      const [csv, json, parquet] = [await rows(join(folder, `${name}.csv`)), await rows(join(folder, `${name}.json`)), await rows(join(folder, `${name}.parquet`))];
      assert.deepEqual([json, parquet], [csv, csv], name);
    }
  } finally {
    connection.closeSync();
  }
  for (const file of filesUnder(join(reference.folder, "samples"))) assert.deepEqual(readFileSync(join(folder, "runs", reference.id, "samples", file.slice(dirname(file).length + 1))), readFileSync(file));
});

test("site: what depends on a change is written again and nothing else; a page of what went away is removed", async () => {
  const paper = join(work, "paper");
  cpSync(sources.paper, paper, { recursive: true });
  const own = { ...sources, paper, common: paper };
  const changed = async (): Promise<string[]> => (await render(reference, own)).filter(({ written }) => written).map(({ path }) => path).sort();
  await changed();
  assert.deepEqual(await changed(), []);
  appendFileSync(join(paper, "theme", "90-print.css"), "p { orphans: 3 }\n");
  assert.deepEqual(await changed(), ["theme/style.css"]);
  appendFileSync(join(paper, "accept-engine", "words", "es.yaml"), "# nothing\n");
  assert.deepEqual(await changed(), ["accept-engine/es/index.html", "es/feed.atom", "es/feed.json", "es/index.html", "ledger/es/index.html"]);
  const file = join(paper, "accept-engine", "article.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("[en, es, hi]", "[en, es]"));
  await changed();
  assert.equal(existsSync(join(folder, "accept-engine", "hi", "index.html")), false);
  await render();
});

test("site: a run whose strings hold HTML shows them as text", async () => {
  const { runPage } = await import("../build/publish/run-page.js");
  const { readSite } = await import("../build/publish/surroundings.js");
  const nasty = '</script><img src=x onerror="alert(1)">';
  const { manifest } = reference;
  const run: Run = { ...reference, manifest: { ...manifest, command: nasty, unavailable: [{ experiment: nasty, reason: nasty, remedy: nasty, cells: [] }], fingerprint: { ...manifest.fingerprint, cpu: nasty, host: nasty, sysctls: { [nasty]: nasty } } } };
  const locales = readLocales(["en", "es", "hi"], join(sources.common, "locales"));
  const html = runPage(run, locales.get("en")!, locales, readSite(sources, run));
  const { document } = new JSDOM(html).window;
  assert.equal(document.querySelectorAll("img").length, 0);
  assert.ok(document.body.textContent!.includes(nasty));
  assert.ok(JSON.parse(document.querySelector('script[type="application/ld+json"]')!.textContent!));
});
