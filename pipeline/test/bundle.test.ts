import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { JSDOM } from "jsdom";
import { readLocales } from "../build/article/locale.js";
import { gather } from "../build/claims/gather.js";
import { writeBundles, type Material } from "../build/publish/bundle.js";
import { markdownPage } from "../build/publish/markdown.js";
import { filesUnder } from "../build/publish/output.js";
import { portable } from "../build/publish/portable.js";
import { renderSite } from "../build/publish/site.js";
import { readSite } from "../build/publish/surroundings.js";
import { inProject } from "../build/root.js";
import { referenceRun } from "../build/store/run.js";

const sources = { paper: inProject("paper"), common: inProject("paper"), claims: inProject("data", "claims") };
const work = mkdtempSync(join(tmpdir(), "nullius-bundle-"));
const [pages, folder] = [join(work, "site"), join(work, "bundle")];
const reference = referenceRun()!;
const tags = ["en", "es", "hi"];
const base = "https://example.org/notes/";
const material = (): Material => ({ site: { ...readSite(sources, reference), base }, pages, locales: readLocales(tags, join(sources.common, "locales")), program: "test" });
const articles = ["accept-engine", "half-million"];

/** The Hugo that `setup.py --test` brings, or the one that `HUGO` names. */
const hugo = [process.env["HUGO"] ?? "", inProject(".venv", "bin", "hugo"), ...(process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, "hugo"))].find((path) => path !== "" && existsSync(path));

before(async () => {
  await renderSite({}, sources, pages, reference, () => gather(reference));
  await writeBundles(material(), folder);
});
after(() => rmSync(work, { recursive: true, force: true }));

test("bundle: Hugo builds the page bundles without a warning, with every figure and link in every language and the same headings", { skip: hugo === undefined ? "no Hugo here: python3 setup/setup.py --test, or name one in HUGO" : false }, () => {
  const blog = join(work, "blog");
  for (const path of ["content/posts", "layouts"]) mkdirSync(join(blog, path), { recursive: true });
  cpSync(join(folder, "hugo"), join(blog, "content", "posts"), { recursive: true });
  const languages = tags.map((tag) => `[languages.${tag}]\nweight = 1\n`).join("");
  writeFileSync(join(blog, "hugo.toml"), `baseURL = "https://blog.example/"\ntitle = "Blog"\ndefaultContentLanguage = "en"\ndisableKinds = ["taxonomy", "term", "RSS"]\n${languages}`);
  writeFileSync(join(blog, "layouts", "all.html"), '<!DOCTYPE html><html lang="{{ .Language.Lang }}"><title>{{ .Title }}</title><body>{{ .Content }}{{ range .Translations }}<a class="translation" href="{{ .RelPermalink }}">{{ .Language.Lang }}</a>{{ end }}</body></html>\n');
  const said = execFileSync(hugo!, ["--source", blog, "--panicOnWarning", "--printPathWarnings"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  assert.doesNotMatch(said, /WARN|ERROR/);
  const headings = new Map<string, string[]>();
  for (const article of articles) for (const tag of tags) {
    const file = join(blog, "public", tag === "en" ? "" : tag, "posts", article, "index.html");
    const { document } = new JSDOM(readFileSync(file, "utf8")).window;
    const images = [...document.querySelectorAll("img")];
    assert.ok(images.length > 4, `${file}: ${images.length} pictures`);
    for (const [node, name] of [...images.map((image) => [image, "src"] as const), ...[...document.querySelectorAll("a")].map((link) => [link, "href"] as const)]) {
      const to = node.getAttribute(name)!;
      if (to.startsWith("http")) continue;
      const [path = "", fragment = ""] = to.split("#");
      if (fragment !== "") assert.ok(document.getElementById(fragment), `${file}: ${to}`);
      assert.ok(existsSync(path.startsWith("/") ? join(blog, "public", path) : join(dirname(file), path)), `${file}: ${to}`);
    }
    assert.deepEqual(images.filter((image) => !image.src.includes(`.${tag}.svg`) || image.alt === ""), []);
    assert.equal(document.querySelectorAll("a.translation").length, tags.length - 1);
    assert.doesNotMatch(document.body.textContent!, /\{#|\*\*|\]\(|<\w/);
    const ids = [...document.querySelectorAll("h2")].map(({ id }) => id);
    assert.deepEqual(ids, headings.get(article) ?? ids);
    headings.set(article, ids);
  }
});

test("bundle: pictures of plain Markdown have whole addresses, where the site has the same bytes", () => {
  for (const article of articles) for (const tag of tags) {
    const markdown = readFileSync(join(folder, "markdown", article, `${tag}.md`), "utf8");
    const pictures = [...markdown.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map((match) => match[1]!);
    assert.ok(pictures.length > 4);
    for (const picture of pictures) {
      assert.ok(picture.startsWith(base), picture);
      const own = join(folder, "markdown", picture.slice(base.length));
      assert.deepEqual(readFileSync(own), readFileSync(join(pages, picture.slice(base.length))));
    }
    assert.doesNotMatch(markdown.replace(/```[\s\S]*?```/g, ""), /<\/?[a-z]+[ >]/);
  }
});

test("bundle: each picture is well-formed SVG of its own, with its colours and its description in the page's language", () => {
  for (const file of filesUnder(folder).filter((path) => path.endsWith(".svg"))) {
    const { document } = new JSDOM(readFileSync(file, "utf8"), { contentType: "image/svg+xml" }).window;
    assert.equal(document.documentElement.namespaceURI, "http://www.w3.org/2000/svg");
    assert.ok(document.querySelector("title")!.textContent !== "" && document.querySelector("desc")!.textContent !== "", file);
    const style = document.querySelector("style")!.textContent!;
    for (const [, name] of readFileSync(file, "utf8").matchAll(/var\(--([a-z0-9-]+),/g)) assert.ok(style.includes(`--${name}:`), `${file}: --${name}`);
  }
});

test("bundle: the figures in the text are those of the page, and the ledger's table has the claims of its article only", () => {
  for (const article of articles) {
    const { document } = new JSDOM(readFileSync(join(pages, article, "es", "index.html"), "utf8")).window;
    const markdown = readFileSync(join(folder, "hugo", article, "index.es.md"), "utf8");
    for (const figure of document.querySelectorAll("article p button.figure")) assert.ok(markdown.includes(figure.textContent!), figure.textContent!);
    const claims = (JSON.parse(readFileSync(join(sources.claims, `${article}.json`), "utf8")) as { claims: unknown[] }).claims.length;
    assert.equal(readFileSync(join(folder, "hugo", article, "ledger.csv"), "utf8").trim().split("\n").length, claims + 1);
  }
});

test("bundle: made again nothing is written, a changed page changes what comes out of it, what went away is removed", async () => {
  assert.deepEqual((await writeBundles(material(), folder)).filter(({ written }) => written), []);
  const page = join(pages, "accept-engine", "hi", "index.html");
  const before = readFileSync(page, "utf8");
  writeFileSync(page, before.replace(/(<p id="lead"[^>]*>)/, "$1X "));
  const written = (await writeBundles(material(), folder)).filter(({ written }) => written);
  assert.deepEqual([...new Set(written.map(({ article, locale }) => `${article} ${locale}`))], ["accept-engine hi"]);
  assert.match(readFileSync(join(folder, "hugo", "accept-engine", "index.hi.md"), "utf8"), /\n\nX /);
  writeFileSync(page, before);
  const all = material();
  await writeBundles({ ...all, site: { ...all.site, articles: new Map([["accept-engine", ["en"]]]) } }, folder);
  assert.equal(existsSync(join(folder, "hugo", "half-million", "index.en.md")), false);
  assert.equal(existsSync(join(folder, "hugo", "accept-engine", "index.hi.md")), false);
  await writeBundles(all, folder);
});

test("bundle: HTML and shortcodes in a text stay text, in code they are refused with the page's name", async () => {
  const page = (body: string): string => `<html lang="en" dir="ltr"><link rel="canonical" href="${base}a/en/"><main><article><header><h1>T</h1><p class="description">D</p><p class="provenance-line">R</p></header>${body}</article></main></html>`;
  const made = async (body: string): Promise<string> => markdownPage(await portable(page(body), "a.html", { picture: (id) => id, rows: false }), {}, "", true, "a.html");
  assert.match(await made("<p>a {{&lt; figure &gt;}} &lt;img src=x&gt;</p>"), /a &#123;&#123;< figure >\}\} \\?<img src=x>/);
  await assert.rejects(made("<p><code>{{&lt; figure &gt;}}</code></p>"), /a\.html: code holds/);
  await assert.rejects(portable("<html lang=en></html>", "b.html", { picture: (id) => id, rows: false }), /b\.html: this is no page of an article/);
});
