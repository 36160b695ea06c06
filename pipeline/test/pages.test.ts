import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { FileSystemConfigLoader, HtmlValidate } from "html-validate";
import type { Browser, Page } from "playwright-core";
import { figures } from "../build/charts/index.js";
import { findChromium, startChromium } from "../build/publish/browser.js";
import { openArticle, renderPage } from "../build/publish/render.js";
import { tags } from "./plots/locale.ts";
import { inventedRun, nothing } from "./plots/run.ts";
import { themeCss } from "../build/publish/theme.js";

const project = fileURLToPath(new URL("../../", import.meta.url));
const sources = { paper: join(project, "paper"), common: join(project, "paper"), claims: join(project, "data", "claims") };
const work = mkdtempSync(join(tmpdir(), "nullius-pages-"));
const article = "accept-engine";
const file = (site: string, tag: string): string => join(work, site, "site", article, tag, "index.html");

/** Pages of an invented run, and pages for which nothing was measured. */
const sites = { measured: inventedRun, unmeasured: nothing } as const;

before(async () => {
  for (const [site, gathered] of Object.entries(sites)) {
    const opened = openArticle(article, sources, gathered());
    const around = { sources, base: "https://example.org/", name: "Nullius", tags, articles: new Map([[article, tags]]), runs: [], source: opened.gathered.run, newer: undefined };
    for (const tag of tags) {
      mkdirSync(dirname(file(site, tag)), { recursive: true });
      writeFileSync(file(site, tag), await renderPage(opened, tag, figures, around));
    }
    const style = join(work, site, "site", "theme", "style.css");
    mkdirSync(dirname(style), { recursive: true });
    // The fonts are files of a whole site: `site.test.ts` has them.
    writeFileSync(style, themeCss(sources.common).replace(/@font-face \{[^}]*\}/, ""));
  }
});
after(() => rmSync(work, { recursive: true, force: true }));

const skip = findChromium() === undefined ? "no Chromium here: apt-get install chromium fonts-noto-core, or name one in CHROMIUM" : false;

for (const site of Object.keys(sites)) for (const tag of tags) {
  test(`${site} ${tag}: the HTML is valid`, async () => {
    const loader = new FileSystemConfigLoader({
      root: true,
      extends: ["html-validate:recommended"],
      rules: {
        // Matters of taste that a generator settles once.
        "long-title": "off", "no-inline-style": "off", "doctype-style": "off", "attribute-boolean-style": "off", "no-trailing-whitespace": "off",
        // Figures state languages and sizes of their own.
        "svg-focusable": "off",
      },
    });
    const report = await new HtmlValidate(loader).validateString(readFileSync(file(site, tag), "utf8"), file(site, tag));
    const messages = report.results.flatMap((result) => result.messages.map((message) => `${message.line}:${message.column} ${message.ruleId}: ${message.message}`));
    assert.deepEqual(messages.slice(0, 10), []);
  });
}

describe("in Chromium", { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await startChromium();
  });
  after(() => browser?.close());

  /** Opens a page, hands it on, and then demands that it said nothing on the console and asked nobody for anything. */
  async function open(site: string, tag: string, width: number, colorScheme: "light" | "dark", look: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    page.setDefaultTimeout(120_000);
    const said: string[] = [];
    const asked: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("request", (request) => asked.push(request.url()));
    try {
      await page.goto(pathToFileURL(file(site, tag)).href);
      await look(page);
      assert.deepEqual(said, []);
      assert.deepEqual(asked.filter((url) => !url.startsWith(pathToFileURL(work).href)), []);
    } finally {
      await page.close();
    }
  }

  for (const tag of tags) for (const width of [360, 1280]) for (const scheme of ["light", "dark"] as const) {
    test(`${tag} at ${width}, ${scheme}: nothing sticks out, every figure is drawn, text is legible`, async () => {
      await open("measured", tag, width, scheme, async (page) => {
        assert.deepEqual(await page.evaluate(overflowing), []);
        const figures = await page.evaluate(() => [...document.querySelectorAll("figure.chart")].map((figure) => {
          const shown = [...figure.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().width > 0);
          return { id: figure.id, shown: shown.length, smallest: Math.min(...shown.flatMap((svg) => {
            const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return [...svg.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
          })) };
        }));
        assert.ok(figures.length >= 6);
        for (const figure of figures) {
          assert.equal(figure.shown, 1, `${figure.id} shows ${figure.shown} drawings`);
          assert.ok(figure.smallest >= 11, `${figure.id} has text of ${figure.smallest} px`);
        }
        assert.deepEqual(await page.evaluate(cutTexts), [], "texts of figures outside their drawing");
        assert.ok((await page.evaluate(leastContrast)) >= 4.5);
      });
    });
  }

  for (const tag of tags) {
    test(`${tag}: a page without measurements says so in place of each figure and holds together`, async () => {
      await open("unmeasured", tag, 360, "light", async (page) => {
        assert.deepEqual(await page.evaluate(overflowing), []);
        const empty = await page.locator("figure.chart.empty > .missing").allTextContents();
        assert.ok(empty.length >= 5 && empty.every((text) => text.length > 10));
      });
    });

    test(`${tag}: every character has a glyph`, async () => {
      await open("measured", tag, 1280, "light", async (page) => {
        const { sees, missing } = await page.evaluate(missingGlyphs);
        assert.ok(sees, "this check can tell a box from a letter");
        assert.deepEqual(missing, []);
      });
    });

    test(`${tag}: the language switch leads to the same article in each language and back`, async () => {
      await open("measured", tag, 360, "light", async (page) => {
        for (const other of [...tags.filter((one) => one !== tag), tag]) {
          await page.click(`.languages a[hreflang="${other}"]`);
          await page.waitForURL(`**/${article}/${other}/index.html`);
          assert.equal(await page.getAttribute("html", "lang"), other);
          assert.equal(await page.getAttribute(".languages [aria-current]", "hreflang"), other);
        }
      });
    });
  }

  test("a printed page is light and shows wide figures, on a dark screen too", async () => {
    await open("measured", "en", 700, "dark", async (page) => {
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(253, 253, 251)");
      assert.equal(await page.locator("figure .plot.narrow").first().isVisible(), false);
      assert.equal(await page.locator("figure .plot.wide").first().isVisible(), true);
    });
  });
});

/* What follows runs in the page. */

/** Elements that make the page scroll sideways: none when its width is the window's. */
function overflowing(): string[] {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")].filter((node) => node.closest(".scroll, pre") === null && node.getBoundingClientRect().right > width + 1).slice(0, 5).map((node) => `${node.tagName}.${node.className}`);
}

/** Texts of the drawings shown that reach beyond them. */
function cutTexts(): string[] {
  return [...document.querySelectorAll("figure svg")].filter((svg) => svg.getBoundingClientRect().width > 0).flatMap((svg) => {
    const outer = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter((text) => {
      const inner = text.getBoundingClientRect();
      return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2;
    }).map((text) => `${svg.closest("figure")?.id}: ${text.textContent}`);
  });
}

/** The least contrast between the text of the page's elements and what they stand on, by WCAG's formula. */
function leastContrast(): number {
  const channels = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (rgb: number[]): number => {
    const [red, green, blue] = rgb.slice(0, 3).map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  };
  const behind = (node: Element | null): number[] => {
    for (let one = node; one !== null; one = one.parentElement) {
      const colour = channels(getComputedStyle(one).backgroundColor);
      if ((colour[3] ?? 1) > 0) return colour;
    }
    return [255, 255, 255];
  };
  const texts = [...document.querySelectorAll("body *:not(svg, svg *)")].filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && (child.textContent ?? "").trim() !== ""));
  return Math.min(...texts.map((node) => {
    const [dim, bright] = [luminance(channels(getComputedStyle(node).color)), luminance(behind(node))].sort((a, b) => a - b);
    return ((bright ?? 0) + 0.05) / ((dim ?? 0) + 0.05);
  }));
}

/** Characters of the page that are drawn as the box that stands for a code point nobody has. */
function missingGlyphs(): { sees: boolean; missing: string[] } {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 48;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (pen === null) return { sees: false, missing: [] };
  const picture = (character: string, font: string): string => {
    pen.clearRect(0, 0, 48, 48);
    pen.font = `24px ${font}`;
    pen.fillText(character, 8, 34);
    return pen.getImageData(0, 0, 48, 48).data.join();
  };
  const fonts = [...new Set([...document.querySelectorAll("body, h1, code, svg text")].map((node) => getComputedStyle(node).fontFamily))];
  const characters = [...new Set(document.body.textContent ?? "")].filter((character) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(character));
  const missing = fonts.flatMap((font) => {
    const box = picture("\u0378", font);
    return characters.filter((character) => picture(character, font) === box);
  });
  const sees = fonts.every((font) => picture("\u0378", font) === picture("\u0379", font) && picture("a", font) !== picture("\u0378", font));
  return { sees, missing: [...new Set(missing)] };
}
