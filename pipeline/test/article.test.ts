import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Figure } from "../build/charts/figure.js";
import { openArticle, renderPage } from "../build/publish/render.js";
import type { Sources } from "../build/publish/sources.js";
import { readLocales } from "../build/article/locale.js";
import type { Site } from "../build/publish/surroundings.js";
import { verifyPage } from "../build/publish/verify.js";
import { renderSite } from "../build/publish/site.js";
import { inProject } from "../build/root.js";
import { gathered, loses, ties, wins, type Counts } from "./evidence.ts";

const input = inProject("pipeline", "test", "input");
const sources: Sources = { paper: join(input, "paper"), common: inProject("paper"), claims: join(input, "claims") };
const locales = ["en", "es", "hi"] as const;

const bars: Figure = {
  id: "bars",
  select: (rows) => rows.filter((row) => row.experiment === "accept" && row.metric === "instructions"),
  draw: async (rows, locale, layout) => `<svg data-layout="${layout}">${rows.map((row) => locale.number(row.value)).join(" ")}</svg>`,
  table: (rows, locale) => ({ columns: [locale.text("ledger.claim"), locale.text("ledger.measured")], rows: rows.map((row) => [`<${row.factors["server"]}>`, locale.number(row.value)]) }),
};

/** A site of one article that was made from no run on disk. */
const around: Site = { sources, base: "https://example.org/", name: "Nullius", tags: locales, articles: new Map([["sample", locales]]), runs: [], source: undefined, newer: undefined };
const locale = (tag: string) => readLocales([tag], inProject("paper", "locales")).get(tag)!;

const temporary = mkdtempSync(join(tmpdir(), "nullius-article-"));
after(() => rmSync(temporary, { recursive: true }));

async function pages(counts: Counts, from = sources): Promise<Record<(typeof locales)[number], string>> {
  const article = openArticle("sample", from, gathered(counts));
  const [en, es, hi] = await Promise.all(locales.map((tag) => renderPage(article, tag, { bars }, { ...around, sources: from })));
  return { en: en!, es: es!, hi: hi! };
}

/** The sample's sources, one file of them changed. */
function changed(file: string, change: (text: string) => string): Sources {
  const paper = mkdtempSync(join(temporary, "paper-"));
  cpSync(sources.paper, paper, { recursive: true });
  const path = join(paper, "sample", file);
  const before = readFileSync(path, "utf8");
  const text = change(before);
  assert.notEqual(text, before, "the change must change something");
  writeFileSync(path, text);
  return { ...sources, paper };
}

/** The sample's sources, the prose of every language changed. */
function all(change: (text: string) => string): Sources {
  let from = sources;
  for (const tag of locales) {
    const next = mkdtempSync(join(temporary, "paper-"));
    cpSync(from.paper, next, { recursive: true });
    const path = join(next, "sample", `${tag}.md`);
    writeFileSync(path, change(readFileSync(path, "utf8")));
    from = { ...sources, paper: next };
  }
  return from;
}

/** The words a reader sees in one block. */
function block(html: string, id: string): string {
  const match = new RegExp(`<(\\w+) id="${id}"[^>]*>([\\s\\S]*?)</\\1>`).exec(html);
  assert.ok(match, `a block ${id}`);
  return match[2]!.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ").trim();
}

/** What each block must say in each language, for data that win, lose, tie and are missing. */
const sentences: readonly [string, Counts, Record<(typeof locales)[number], readonly string[]>][] = [
  ["wins", wins, {
    en: ["The engine needs fewer instructions than epoll: 22,000 against 23,000.", "The engine wins: 4% fewer instructions than epoll.", "The published figure stands."],
    es: ["El motor necesita menos instrucciones que epoll: 22.000 frente a 23.000.", "Gana el motor: 4 % menos instrucciones que epoll.", "La cifra publicada se sostiene."],
    hi: ["इंजन को epoll से कम इंस्ट्रक्शन चाहिए: 22,000 बनाम 23,000।", "इंजन जीतता है: epoll से 4% कम इंस्ट्रक्शन।", "प्रकाशित आँकड़ा टिकता है।"],
  }],
  ["loses", loses, {
    en: ["The engine needs more instructions than epoll: 25,000 against 23,000.", "The plain epoll server wins, by 9%.", "The published figure does not stand."],
    es: ["El motor necesita más instrucciones que epoll: 25.000 frente a 23.000.", "Gana el servidor epoll corriente, por un 9 %.", "La cifra publicada no se sostiene."],
    hi: ["इंजन को epoll से अधिक इंस्ट्रक्शन चाहिए: 25,000 बनाम 23,000।", "सादा epoll सर्वर जीतता है, 9% से।", "प्रकाशित आँकड़ा नहीं टिकता।"],
  }],
  ["ties", ties, {
    en: ["The engine needs as many instructions as epoll: 23,000 against 23,000.", "Nothing separates them.", "The published direction stands, its size does not."],
    es: ["El motor necesita tantas instrucciones como epoll: 23.000 frente a 23.000.", "Nada los distingue.", "El sentido publicado se sostiene, su tamaño no."],
    hi: ["इंजन को epoll जितने ही इंस्ट्रक्शन चाहिए: 23,000 बनाम 23,000।", "दोनों में कोई अंतर नहीं दिखता।", "प्रकाशित दिशा टिकती है, आकार नहीं।"],
  }],
  ["is missing", { epoll: [23_000] }, {
    en: ["The engine needs an unmeasured number of instructions beside epoll: — (not measured) against 23,000.", "The two have not been measured side by side on this machine.", "The published figure has not been tested here."],
    es: ["El motor necesita un número de instrucciones sin medir frente a epoll: — (sin medir) frente a 23.000.", "Los dos no se han medido uno junto a otro en esta máquina.", "La cifra publicada no se ha puesto a prueba aquí."],
    hi: ["इंजन को epoll के मुक़ाबले कितने इंस्ट्रक्शन चाहिए, यह मापा नहीं गया: — (मापा नहीं गया) बनाम 23,000।", "इस मशीन पर दोनों को साथ-साथ नहीं मापा गया है।", "प्रकाशित आँकड़ा यहाँ परखा नहीं गया है।"],
  }],
];

for (const [name, counts, expected] of sentences) {
  test(`article: when the engine ${name}, every language says so`, async () => {
    const html = await pages(counts);
    for (const tag of locales) assert.deepEqual(["sentence", "engine-or-epoll", "verdict"].map((id) => block(html[tag], id).replaceAll("\u00a0", " ")), expected[tag], tag);
  });
}

test("article: one seed chooses no winner and shows no interval, unless the count is said to be exact", async () => {
  const once: Counts = { go: [66_000], engine: [22_000], epoll: [23_000] };
  const said = (html: string): string => block(html, "engine-or-epoll").replaceAll("\u00a0", " ");
  const expected = (name: string, tag: (typeof locales)[number]): string => sentences.find(([case_]) => case_ === name)![2][tag][1]!;
  const [html, counted] = [await pages(once), await pages(once, all((text) => text.replaceAll("compare(engine, epoll)", "compare(exact(engine), exact(epoll))")))];
  for (const tag of locales) {
    assert.equal(said(html[tag]), expected("ties", tag));
    assert.equal(said(counted[tag]), expected("wins", tag));
    assert.equal(html[tag].match(/<span class="interval">(.*?)<\/span>/)![1], { en: "one measurement", es: "una sola medición", hi: "एक ही माप" }[tag]);
  }
  assert.match(html.en, /3\.00 \(one measurement\)|>3 \(one measurement\)/);
});

test("article: two figures of one experiment are compared seed by seed", async () => {
  const drifting: Counts = { go: [66_000, 69_000, 72_000], engine: [22_000, 23_000, 24_000], epoll: [22_100, 23_100, 24_100] };
  assert.match(block((await pages(drifting)).en, "engine-or-epoll"), /^The engine wins/);
  const crossing: Counts = { ...drifting, epoll: [22_100, 22_900, 24_100] };
  assert.equal(block((await pages(crossing)).en, "engine-or-epoll"), "Nothing separates them.");
});

test("article: without any run every page still renders, with no figure of ours on it", async () => {
  const html = await pages({});
  for (const tag of locales) {
    assert.doesNotMatch(html[tag], /class="figure measured"/);
    assert.match(html[tag], /class="chart empty"/);
    assert.match(html[tag], /class="missing"/);
  }
});

test("article: one changed sample changes the figure in all three pages", async () => {
  const before = await pages({ ...wins, engine: [22_000] });
  const after = await pages({ ...wins, engine: [22_400] });
  assert.match(block(before.en, "sentence"), /22,000/);
  assert.match(block(after.en, "sentence"), /22,400/);
  assert.match(block(after.es, "sentence"), /22\.400/);
  assert.match(block(after.hi, "sentence"), /22,400/);
});

test("article: a measured figure opens its origin: value, interval, n, meter, run, expression, claim and command, without script", async () => {
  const { en } = await pages(wins);
  const place = /<button [^>]*popovertarget="(origin-\d+)" value="3" data-format="times with interval">/.exec(en);
  assert.ok(place, "the ratio is a button");
  const origin = new RegExp(`<div id="${place[1]}" class="origin" popover data-experiment="accept">(.*)</div>`).exec(en)![1]!;
  for (const part of ['<p><data value="3">3</data></p>', '<li class="interval"><data value="', "(75%, range of 3 seeds)", '<li class="repeats"><data value="3">3</data>', '<li class="meter">emulated instruction counts, emulated</li>', '<li class="run">20260101T000000Z-test</li>', '<code>instructions(server="go") / instructions(server="engine")</code>', '<li class="claim"><a href="../../ledger/en/index.html#claim-sample-ratio">sample.ratio</a>', "<code>./nullius run accept --profile standard</code>"]) assert.ok(origin.includes(part), `${part} in ${origin}`);
  assert.doesNotMatch(en, /<script(?! type="application\/ld\+json")/);
});

test("article: every measured figure can be computed again from the samples; one changed sample and one changed digit of the text are found out", async () => {
  const { es } = await pages(wins);
  const { compared, mismatches } = await verifyPage(es, "es", gathered(wins).evidence, locale("es"));
  assert.ok(compared >= 15, `${compared} figures`);
  assert.deepEqual(mismatches, []);
  const other = await verifyPage(es, "es", gathered({ ...wins, epoll: [23_000, 23_020, 22_970] }).evidence, locale("es"));
  assert.ok(other.mismatches.length > 0 && other.mismatches.length < compared);
  const forged = es.replace(/(data-format="thousands">)22\.000/, "$122.001");
  assert.notEqual(forged, es);
  const found = await verifyPage(forged, "es", gathered(wins).evidence, locale("es"));
  assert.deepEqual(found.mismatches.map(({ shown, computed }) => [shown, computed]), [["22.001", "22.000"]]);
});

test("article: numbers follow the language, lakhs and the Spanish four-digit rule included", async () => {
  const html = await pages({ ...wins, engine: [361_282], epoll: [1234] });
  assert.equal(block(html.en, "ledger").includes("361,280"), true);
  assert.match(html.hi, />3,61,282/);
  assert.match(html.hi, />1,234</);
  assert.match(html.es, />1234</);
  assert.match(html.en, />1,234</);
});

test("article: data and names are escaped, in text and in attributes", async () => {
  const { en } = await pages(wins);
  assert.match(en, /plain calls &lt;engine&gt;/);
  assert.match(en, /instructions of the &lt;engine&gt;/);
  assert.match(en, /Example &amp; Sons/);
  assert.match(en, /Engines &lt;fast&gt;/);
  assert.match(en, /the ratio &amp; the count/);
  assert.doesNotMatch(en, /<engine>|<fast>|<go>/);
});

test("article: the same sources and samples give the same bytes", async () => {
  assert.deepEqual(await pages(wins), await pages(wins));
});

test("article: pages name their language, their siblings, and the sections", async () => {
  const { hi } = await pages(wins);
  assert.match(hi, /<html lang="hi" dir="ltr">/);
  assert.match(hi, /<link rel="alternate" hreflang="es" href="https:\/\/example\.org\/sample\/es\/">/);
  assert.match(hi, /hreflang="x-default" href="https:\/\/example\.org\/sample\/en\/"/);
  assert.match(hi, /<li><a href="#result">परिणाम<\/a><\/li>/);
  assert.match(hi, /aria-current="page">हिन्दी/);
});

/** A mistake in one file, and the sentence it must give. */
const mistakes: readonly [string, string, (text: string) => string, RegExp][] = [
  ["an unknown variable", "en.md", (text) => text.replace("{{ engine | thousands }} against", "{{ engin | thousands }} against"), /en\.md:\d+: unknown variable "engin": did you mean engine\?$/],
  ["an unknown variable in a branch that is not taken", "en.md", (text) => text.replace("{{ engine / epoll - 1 | percent }}", "{{ engine / epol - 1 | percent }}"), /en\.md:\d+: unknown variable "epol": did you mean epoll\?$/],
  ["an unknown metric", "en.md", (text) => text.replace('lowest("server", instructions())', 'lowest("server", instruction())'), /en\.md:\d+: unknown function or metric "instruction": did you mean/],
  ["an unknown level", "article.yaml", (text) => text.replace('server="epoll"', 'server="epol"'), /no level "epol": it has go, /],
  ["a language without words", "article.yaml", (text) => text.replace(/^(locales: .*)es/m, "$1ess"), /article\.yaml:\d+: unknown locale "ess": did you mean es/],
  ["a level that is a list", "article.yaml", (text) => text.replace(/^( +\w+: \{ \w+): [^,}]+/m, "$1: [1, 2]"), /article\.yaml:\d+: the level of \w+ is neither text nor a number: quote it$/],
  ["names that are a list", "article.yaml", (text) => text.replace(/^names:\n(?: .*\n)+/m, "names: [engine]\n"), /article\.yaml:\d+: names is no mapping: write name: expression$/],
  ["an unknown format", "en.md", (text) => text.replaceAll("| thousands", "| thousand"), /en\.md:\d+: unknown format "thousand"/],
  ["an unknown claim", "es.md", (text) => text.replace('ratio("sample.ratio")', 'ratio("sample.ration")'), /es\.md:6: unknown claim "sample\.ration": did you mean sample\.ratio/],
  ["a naked number", "es.md", (text) => text.replace("Nada los distingue.", "Nada los distingue en 3 casos."), /es\.md:29: naked number in "3": take it from an expression/],
  ["a naked Devanagari number", "hi.md", (text) => text.replace("एक सूची", "एक सूची १२"), /hi\.md:\d+: naked number in "१२,"/],
  ["a naked number in a heading", "en.md", (text) => text.replace("## The ledger", "## The 4 claims"), /en\.md:\d+: naked number in "4"/],
  ["a missing section in one language", "hi.md", (text) => text.replace("## बही {#claims}\n", ""), /hi\.md:1: the section \{#claims\} of .*en\.md:\d+ is missing: translate it$/],
  ["a block that only one language has", "es.md", (text) => text.replace("## El registro", "De más. {#extra}\n\n## El registro"), /es\.md:\d+: the block \{#extra\} is not in .*en\.md/],
  ["blocks in another order", "es.md", (text) => text.replace("::: contradictions {#contradictions}\n:::\n\n::: unmeasured {#unmeasured}\n:::", "::: unmeasured {#unmeasured}\n:::\n\n::: contradictions {#contradictions}\n:::"), /es\.md:\d+: \{#unmeasured\} stands where .*en\.md:\d+ has \{#contradictions\}/],
  ["another figure in a branch", "hi.md", (text) => text.replace("{{ 1 - engine / epoll | percent }}", "{{ 1 - engine / epoll | percent 1 }}"), /hi\.md:\d+: \{#engine-or-epoll\} lacks \{\{ 1 - engine \/ epoll \| percent \}\} in its branch "less"/],
  ["a branch that only one language lacks", "es.md", (text) => text.replace(":: contradicted\n\nLa cifra publicada no se sostiene.\n\n", ""), /es\.md:\d+: \{#verdict\} lacks the branch "contradicted", which .*en\.md:\d+ has$/],
  ["a block without an id", "en.md", (text) => text.replace(" {#lowest}", ""), /en\.md:\d+: this block has no id/],
  ["an id used twice", "en.md", (text) => text.replace("{#lowest}", "{#sentence}"), /en\.md:\d+: the id \{#sentence\} is already that of line \d+/],
  ["an unclosed expression", "en.md", (text) => text.replace("{{ epoll | thousands }}. {#sentence}", "{{ epoll | thousands. {#sentence}"), /en\.md:\d+: \{\{ is not closed by \}\}/],
  ["an unclosed fence", "en.md", (text) => text.replace("::: credit {#credit}\n:::", "::: credit {#credit}"), /en\.md:\d+: "::: credit \{#credit\}" is not closed/],
  ["an unknown directive", "en.md", (text) => text.replace("::: credit", "::: credits"), /en\.md:\d+: no directive "credits"/],
  ["an unknown chart", "en.md", (text) => text.replace("::: figure bars", "::: figure barrs"), /lacks the directive "figure barrs"|no chart is called "barrs": did you mean bars/],
  ["words of the ledger missing in one language", "words/es.yaml", (text) => text.replace(/ {2}sample\.later: .*\n/, ""), /words\/es\.yaml: no words for claims\.sample\.later/],
];

for (const [name, file, change, message] of mistakes) {
  test(`article: ${name} is one sentence with its place`, async () => {
    await assert.rejects(pages(wins, changed(file, change)), (error: Error) => {
      assert.equal(error.name, "Fault", error.stack ?? "");
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });
}

test("article: a branch that no language has, and one that does not exist, are named", async () => {
  await assert.rejects(pages(wins, all((text) => text.replace(/:: tied\n\n.*\n\n/, ""))), /en\.md:\d+: compare\(engine, epoll\) has no branch for "tied": add it, or otherwise$/);
  await assert.rejects(pages(wins, all((text) => text.replace(":: tied", ":: equal"))), /en\.md:\d+: "equal" is no answer to compare\(engine, epoll\)/);
});

test("site: an unknown article or locale is one sentence with what is near", async () => {
  await assert.rejects(renderSite({ article: "sampel" }, sources, join(temporary, "site"), undefined, async () => gathered(wins)), { name: "Fault", message: 'unknown article "sampel": did you mean sample?' });
  await assert.rejects(renderSite({ article: "sample", locale: "fr" }, sources, join(temporary, "site"), undefined, async () => gathered(wins)), { name: "Fault", message: /^unknown locale "fr" of sample: / });
});

test("site: a page is written once, again when an input changes or it is gone, and the report says why", async () => {
  const paper = mkdtempSync(join(temporary, "paper-"));
  cpSync(sources.paper, paper, { recursive: true });
  for (const tag of locales) {
    const file = join(paper, "sample", `${tag}.md`);
    writeFileSync(file, readFileSync(file, "utf8").replace("::: figure bars {#bars}", "::: figure accept-instructions {#bars}"));
  }
  const site = join(temporary, "build", "site");
  const render = async () => (await renderSite({}, { ...sources, paper }, site, undefined, async () => gathered(wins))).filter(({ article, path }) => article !== undefined && path.endsWith("index.html")).map(({ locale, written, why }) => [locale, written, why]);
  assert.deepEqual(await render(), locales.map((tag) => [tag, true, ["it was not there"]]));
  const page = join(site, "sample", "es", "index.html");
  const first = readFileSync(page, "utf8");
  assert.deepEqual(await render(), locales.map((tag) => [tag, false, []]));
  writeFileSync(join(paper, "sample", "es.md"), readFileSync(join(paper, "sample", "es.md"), "utf8").replace("Nada los distingue", "Nada los separa"));
  assert.deepEqual(await render(), [["en", false, []], ["es", true, ["the prose changed"]], ["hi", false, []]]);
  rmSync(page);
  assert.deepEqual((await render())[1], ["es", true, ["it was not there"]]);
  assert.equal(readFileSync(page, "utf8"), first);
});
