import assert from "node:assert/strict";
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { readSetup } from "../build/article/setup.js";
import { acknowledge, translationsOf } from "../build/article/translations.js";
import { renderSite } from "../build/publish/site.js";
import { inProject } from "../build/root.js";
import { nothing } from "./plots/run.ts";

const work = mkdtempSync(join(tmpdir(), "nullius-translations-"));
after(() => rmSync(work, { recursive: true, force: true }));
const [article, tags] = ["accept-engine", ["en", "es", "hi"]];
const paper = join(work, "paper");
cpSync(inProject("paper"), paper, { recursive: true });
rmSync(join(paper, "half-million"), { recursive: true });
const sources = { paper, common: paper, claims: inProject("data", "claims") };
const setup = () => readSetup(article, paper, tags);
const states = (): Record<string, string> => Object.fromEntries(translationsOf(setup(), paper).map(({ locale, state }) => [locale, state]));
const folder = join(work, "site");
const render = () => renderSite({ article }, sources, folder, undefined, async () => nothing());
const page = (tag: string): string => readFileSync(join(folder, article, tag, "index.html"), "utf8");

test("translations: those of the project's articles are of the present sources, or say that they are not", () => {
  for (const name of ["accept-engine", "half-million"]) {
    assert.ok(existsSync(inProject("paper", name, "translations.yaml")));
    assert.deepEqual(translationsOf(readSetup(name, inProject("paper"), tags), inProject("paper")).map(({ locale, from }) => [locale, from]), [["es", "en"], ["hi", "en"]]);
  }
});

test("translations: a changed source marks every translation on its page until each is acknowledged; nothing else is written again", async () => {
  acknowledge(setup(), ["es", "hi"], paper);
  assert.deepEqual(states(), { es: "current", hi: "current" });
  await render();
  for (const tag of tags) assert.doesNotMatch(page(tag), /class="stale"/);
  appendFileSync(join(paper, article, "en.md"), "\n");
  assert.deepEqual(states(), { es: "stale", hi: "stale" });
  const written = (await render()).filter((report) => report.written && report.article === article && report.path.endsWith(".html"));
  assert.deepEqual(written.map(({ locale, why }) => [locale, ...why]), [["en", "the prose changed"], ["es", "the source of the translation changed"], ["hi", "the source of the translation changed"]]);
  assert.doesNotMatch(page("en"), /class="stale"/);
  assert.match(page("es"), /<p class="stale">El texto en <a href="\.\.\/\.\.\/accept-engine\/en\/index\.html" hreflang="en" lang="en">English<\/a> ha cambiado/);
  acknowledge(setup(), ["es"], paper);
  assert.deepEqual(states(), { es: "current", hi: "stale" });
  await render();
  assert.doesNotMatch(page("es"), /class="stale"/);
  assert.match(page("hi"), /<p class="stale">/);
});

test("translations: what nobody recorded counts as stale on the page; a mistake is one sentence", async () => {
  rmSync(join(paper, article, "translations.yaml"));
  assert.deepEqual(states(), { es: "unrecorded", hi: "unrecorded" });
  await render();
  assert.match(page("es"), /<p class="stale">/);
  assert.throws(() => acknowledge(setup(), ["en"], paper), /en is the language that accept-engine is translated from/);
  assert.throws(() => acknowledge(setup(), ["fr"], paper), /"fr" is no translation of accept-engine/);
  writeFileSync(join(paper, article, "translations.yaml"), "# a\nes: soon\n");
  assert.throws(states, /translations\.yaml:2: what stands for es is no SHA-256: write it by '\.\/nullius translated accept-engine es'/);
});

test("CITATION.cff: it is valid by the format's own schema and names the version and licence of the package", () => {
  const schema = JSON.parse(readFileSync(new URL("input/citation-1.2.0.schema.json", import.meta.url), "utf8")) as object;
  const citation = parse(readFileSync(inProject("CITATION.cff"), "utf8")) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const validate = ajv.compile(schema);
  assert.ok(validate(citation), ajv.errorsText(validate.errors));
  assert.equal(validate({ ...citation, license: "of my own" }), false);
  const { version, license } = JSON.parse(readFileSync(inProject("package.json"), "utf8")) as Record<string, string>;
  assert.deepEqual([citation["version"], citation["license"]], [version, license]);
});
