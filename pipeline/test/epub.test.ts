import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { JSDOM } from "jsdom";
import JSZip from "jszip";
import { gather } from "../build/claims/gather.js";
import { renderSite } from "../build/publish/site.js";
import { path } from "../build/publish/surroundings.js";
import { inProject } from "../build/root.js";
import { referenceRun } from "../build/store/run.js";

const sources = { paper: inProject("paper"), common: inProject("paper"), claims: inProject("data", "claims") };
const work = mkdtempSync(join(tmpdir(), "nullius-epub-"));
const folder = join(work, "site");
const reference = referenceRun()!;
const article = "accept-engine";
const tags = ["en", "es", "hi"];
const bind = () => renderSite({ article, epubs: true }, sources, folder, reference, () => gather(reference));
const book = (tag: string): string => join(folder, path.epub(article, tag));
const page = (tag: string): Document => new JSDOM(readFileSync(join(folder, path.article(article, tag)), "utf8")).window.document;

/** The checker that `setup.py --test` brings, or the one that `EPUBCHECK` names. */
const libraries = inProject(".venv", "lib");
const jar = [process.env["EPUBCHECK"] ?? "", ...(existsSync(libraries) ? readdirSync(libraries).map((python) => join(libraries, python, "site-packages", "epubcheck", "epubcheck.jar")) : [])].find((file) => file !== "" && existsSync(file));
const lacking = jar === undefined ? "no epubcheck here: python3 setup/setup.py --test" : spawnSync("java", ["-version"]).status === 0 ? false : "no Java here, which epubcheck needs: apt-get install default-jre-headless";
const check = (file: string): string => {
  const { status, stdout, stderr } = spawnSync("java", ["-jar", jar!, "--failonwarnings", file], { encoding: "utf8" });
  return status === 0 ? "" : `${stdout}${stderr}`;
};

before(async () => void (await bind()));
after(() => rmSync(work, { recursive: true, force: true }));

test("epub: epubcheck finds neither an error nor a warning in any language, and does in a damaged book", { skip: lacking }, async () => {
  for (const tag of tags) assert.equal(check(book(tag)), "", tag);
  const zip = await JSZip.loadAsync(readFileSync(book("en")));
  const opened = (await zip.file("EPUB/question.xhtml")!.async("string")).replace("</p>", '<a href="nowhere.xhtml">x</a></p>');
  zip.file("EPUB/question.xhtml", opened);
  const damaged = join(work, "damaged.epub");
  writeFileSync(damaged, await zip.generateAsync({ type: "uint8array" }));
  assert.match(check(damaged), /nowhere\.xhtml/);
});

test("epub: it has the page's sections in order, its charts and its figures, and fonts only where letters need them", async () => {
  for (const tag of tags) {
    const zip = await JSZip.loadAsync(readFileSync(book(tag)));
    const document = page(tag);
    const chapters = [...(await zip.file("EPUB/nav.xhtml")!.async("string")).matchAll(/href="([\w-]+)\.xhtml"/g)].map((match) => match[1]);
    assert.deepEqual(chapters, ["title", ...[...document.querySelectorAll("article > section")].map(({ id }) => id)]);
    for (const figure of document.querySelectorAll("figure.chart:not(.empty)")) assert.ok(zip.file(`EPUB/${figure.id}.svg`) !== null, figure.id);
    const text = (await Promise.all(chapters.map((name) => zip.file(`EPUB/${name}.xhtml`)!.async("string")))).map((xhtml) => new JSDOM(xhtml).window.document.body.textContent).join(" ");
    for (const figure of document.querySelectorAll("article p button.figure")) assert.ok(text.includes(figure.textContent!), figure.textContent!);
    assert.equal(Object.keys(zip.files).some((name) => name.endsWith(".woff2")), tag === "hi");
  }
});

test("epub: bound again it has the same bytes, and without a change it is not bound", async () => {
  const first = readFileSync(book("hi"));
  assert.deepEqual((await bind()).filter(({ written }) => written), []);
  unlinkSync(book("hi"));
  assert.deepEqual((await bind()).filter(({ written }) => written).map((report) => report.path), [path.epub(article, "hi")]);
  assert.ok(readFileSync(book("hi")).equals(first));
});
