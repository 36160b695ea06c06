import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { JSDOM } from "jsdom";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { gather } from "../build/claims/gather.js";
import { findChromium, startChromium } from "../build/publish/browser.js";
import { pdfOf } from "../build/publish/pdf.js";
import { renderSite } from "../build/publish/site.js";
import { path as place } from "../build/publish/surroundings.js";
import { inProject } from "../build/root.js";
import { referenceRun } from "../build/store/run.js";

const sources = { paper: inProject("paper"), common: inProject("paper"), claims: inProject("data", "claims") };
const work = mkdtempSync(join(tmpdir(), "nullius-pdf-"));
const folder = join(work, "site");
const reference = referenceRun()!;
const article = "accept-engine";
const base = "http://localhost:8000/";
const print = (locale: string, pdfs = true) => renderSite({ article, locale, pdfs }, sources, folder, reference, () => gather(reference));
const skip = findChromium() === undefined ? "no Chromium here: apt-get install chromium fonts-noto-core, or name one in CHROMIUM" : false;

interface Read { readonly pages: readonly string[]; readonly links: readonly (string | undefined)[]; readonly unresolved: number; readonly outline: readonly string[] }

/** What a reader of PDF finds in a file. */
async function read(file: string): Promise<Read> {
  const pdf = await getDocument({ data: new Uint8Array(readFileSync(file)), useSystemFonts: true, verbosity: 0 }).promise;
  const pages: string[] = [];
  const links: (string | undefined)[] = [];
  let unresolved = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    pages.push((await page.getTextContent()).items.map((item) => ("str" in item ? item.str : "")).join(""));
    for (const one of (await page.getAnnotations()) as { subtype: string; url?: string; dest?: string | unknown[] }[]) {
      if (one.subtype !== "Link") continue;
      links.push(one.url);
      if (one.url === undefined && (one.dest == null || (typeof one.dest === "string" && (await pdf.getDestination(one.dest)) === null))) unresolved++;
    }
  }
  const outline = ((await pdf.getOutline()) ?? []).flatMap(({ title, items }) => [title, ...items.map((item: { title: string }) => item.title)]);
  await pdf.loadingTask.destroy();
  return { pages, links, unresolved, outline };
}

describe("pdf", { skip }, () => {
  const files = new Map(["en", "hi"].map((tag) => [tag, join(folder, place.pdf(article, tag))]));
  const found = new Map<string, Read>();
  before(async () => {
    for (const [tag, file] of files) {
      await print(tag);
      found.set(tag, await read(file));
    }
  });
  after(() => rmSync(work, { recursive: true, force: true }));

  test("every page has its number, and the sections stand in the outline", () => {
    for (const [tag, { pages, outline }] of found) {
      assert.ok(pages.length > 5, `${tag}: ${pages.length} pages`);
      for (const [index, text] of pages.entries()) assert.ok(text.replaceAll(/\s/g, "").includes(`${index + 1}/${pages.length}`), `${tag}: page ${index + 1}`);
      const { document } = new JSDOM(readFileSync(join(folder, article, tag, "index.html"), "utf8")).window;
      // Chromium says a heading twice that it has moved to the next page.
      if (tag === "en") for (const heading of document.querySelectorAll("h2")) assert.ok(outline.some((title) => title.startsWith(heading.textContent!)), heading.textContent!);
      assert.ok(outline.length >= document.querySelectorAll("h2").length, tag);
    }
  });

  test("links lead to a place in the document or to a whole address of the site, and every measured figure is one", () => {
    for (const [tag, { links, unresolved }] of found) {
      const { document } = new JSDOM(readFileSync(join(folder, article, tag, "index.html"), "utf8")).window;
      assert.equal(unresolved, 0);
      assert.ok(links.filter((url) => url === undefined).length >= document.querySelectorAll("button.figure").length, tag);
      for (const url of links) assert.ok(url === undefined || url.startsWith(base), url);
    }
  });

  test("figures of the page stand in the text, the letters of Hindi too, and no glyph is missing", () => {
    const { pages } = found.get("en")!;
    const text = pages.join(" ").normalize("NFKC").replaceAll(/\s/g, "");
    const { document } = new JSDOM(readFileSync(join(folder, article, "en", "index.html"), "utf8")).window;
    for (const figure of document.querySelectorAll("article p button.figure")) assert.ok(text.includes(figure.textContent!.normalize("NFKC").replaceAll(/\s/g, "")), figure.textContent!);
    for (const [tag, read] of found) assert.doesNotMatch(read.pages.join(""), /[\uFFFD\u25A1]/, tag);
    assert.ok(found.get("hi")!.pages.join("").match(/[\u0900-\u097f]/g)!.length > 5000);
  });

  test("printed again it has the same bytes, and without a change it is not printed", async () => {
    const [file, first] = [files.get("en")!, readFileSync(files.get("en")!)];
    assert.deepEqual((await print("en")).filter(({ written }) => written), []);
    unlinkSync(file);
    assert.deepEqual((await print("en")).filter(({ written }) => written).map(({ path }) => path), [place.pdf(article, "en")]);
    assert.ok(readFileSync(file).equals(first));
  });

  test("a page that lacks a file is no PDF, and the file is named", async () => {
    const browser = await startChromium();
    try {
      unlinkSync(join(folder, "theme", "style.css"));
      await assert.rejects(pdfOf(browser, `${article}/en/index.html`, folder, { base, source: reference }), (error: Error) => error.name === "Fault" && /theme\/style\.css, which the site lacks/.test(error.message));
    } finally {
      await browser.close();
    }
  });
});
