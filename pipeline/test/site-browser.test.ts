import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { gather } from "../build/claims/gather.js";
import { findChromium, startChromium } from "../build/publish/browser.js";
import { renderSite } from "../build/publish/site.js";
import { inProject } from "../build/root.js";
import { referenceRun } from "../build/store/run.js";

const skip = findChromium() === undefined ? "no Chromium here: apt-get install chromium, or name one in CHROMIUM" : false;
const reference = referenceRun()!;
const sources = { paper: inProject("paper"), common: inProject("paper"), claims: inProject("data", "claims") };

describe("the site in Chromium", { skip }, () => {
  const work = mkdtempSync(join(tmpdir(), "nullius-browser-"));
  const folder = join(work, "site");
  const axe = readFileSync(inProject("node_modules", "axe-core", "axe.min.js"), "utf8");
  let browser: Browser;
  before(async () => {
    await renderSite({ cards: true }, sources, folder, reference, () => gather(reference));
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    rmSync(work, { recursive: true, force: true });
  });

  /** Opens a page, hands it on, and demands that it said nothing on the console and asked nobody but the site. */
  async function open(path: string, look: (page: Page) => Promise<void>, options: { width?: number; scheme?: "light" | "dark"; script?: boolean } = {}): Promise<void> {
    const context = await browser.newContext({ viewport: { width: options.width ?? 1280, height: 800 }, colorScheme: options.scheme ?? "light", javaScriptEnabled: options.script ?? true, hasTouch: true });
    const page = await context.newPage();
    const heard: string[] = [];
    page.on("console", (message) => heard.push(message.text()));
    page.on("pageerror", (error) => heard.push(String(error)));
    page.on("request", (request) => request.url().startsWith(pathToFileURL(work).href) || heard.push(request.url()));
    try {
      await page.goto(pathToFileURL(join(folder, path)).href);
      await look(page);
      assert.deepEqual(heard, []);
    } finally {
      await context.close();
    }
  }

  const kinds = { index: (tag: string) => `${tag}/index.html`, ledger: (tag: string) => `ledger/${tag}/index.html`, run: (tag: string) => `runs/${reference.id}/${tag}/index.html`, article: (tag: string) => `accept-engine/${tag}/index.html` };
  for (const [kind, path] of Object.entries(kinds)) for (const tag of ["en", "es", "hi"]) {
    test(`${kind} ${tag}: axe finds nothing, nothing sticks out, the fonts are there; phone and desktop, light and dark`, async () => {
      for (const [width, scheme] of [[360, "dark"], [1280, "light"]] as const) {
        await open(path(tag), async (page) => {
          assert.deepEqual(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
          if (tag === "hi") assert.deepEqual(await page.evaluate(async () => [...await document.fonts.ready].map(({ status }) => status)), ["loaded"]);
          await page.evaluate(axe);
          const found = await page.evaluate(async () => {
            const { axe: checker } = globalThis as unknown as { axe: { run(context: Document, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
            return (await checker.run(document, { preload: false })).violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
          });
          assert.deepEqual(found, []);
        }, { width, scheme });
      }
    });
  }

  test("every picture that a head names for link previews is there, a PNG of 1200 by 630", async () => {
    for (const tag of ["en", "es", "hi"]) for (const page of [kinds.index(tag), kinds.article(tag)]) {
      const [, address] = /<meta property="og:image" content="http:\/\/localhost:8000\/([^"]+)">/.exec(readFileSync(join(folder, page), "utf8"))!;
      const picture = readFileSync(join(folder, address!));
      assert.deepEqual([picture.toString("latin1", 1, 4), picture.readUInt32BE(16), picture.readUInt32BE(20)], ["PNG", 1200, 630]);
    }
  });

  test("a figure opens its origin by mouse, keyboard and touch, and without script; Escape closes it", async () => {
    for (const script of [true, false]) {
      await open("accept-engine/en/index.html", async (page) => {
        const figure = page.locator("button.figure").first();
        const origin = page.locator(`#${(await figure.getAttribute("popovertarget"))!}`);
        const shown = (wanted: boolean): Promise<void> => origin.waitFor({ state: wanted ? "visible" : "hidden", timeout: 5000 });
        await shown(false);
        await figure.click();
        await shown(true);
        assert.match((await origin.textContent())!, /\.\/nullius run accept --profile standard/);
        const box = (await origin.boundingBox())!;
        assert.ok(box.x >= 0 && box.x + box.width <= 1280 && box.y >= 0 && box.y + box.height <= 800, JSON.stringify(box));
        await page.keyboard.press("Escape");
        await shown(false);
        await figure.focus();
        await page.keyboard.press("Enter");
        await shown(true);
        await page.keyboard.press("Escape");
        await figure.tap();
        await shown(true);
      }, { script });
    }
  });

  test("the ledger is whole without script, and with it finds words without their accents, a verdict and an article", async () => {
    const rows = (page: Page): Promise<number> => page.locator("tr[data-claim]:visible").count();
    let all = 0;
    await open("ledger/es/index.html", async (page) => {
      all = await page.locator("tr[data-claim]").count();
      assert.equal(await rows(page), all);
      assert.equal(await page.locator(".filter").isVisible(), false);
    }, { script: false });
    await open("ledger/es/index.html", async (page) => {
      assert.equal(await rows(page), all);
      await page.fill('[name="text"]', "conexion goroutine");
      const found = await page.locator("tr[data-claim]:visible").evaluateAll((nodes) => nodes.map((node) => node.textContent!.toLowerCase()));
      assert.ok(found.length > 0 && found.length < all && found.every((text) => text.includes("conexión") || text.includes("conexion")));
      await page.fill('[name="text"]', "");
      await page.selectOption('[name="verdict"]', "fails");
      assert.deepEqual(await page.locator("tr[data-claim]:visible").evaluateAll((nodes) => [...new Set(nodes.map((node) => (node as HTMLElement).dataset["verdict"]))]), ["fails"]);
      assert.match(await page.locator(".filter output").innerText(), new RegExp(`^1 .* ${all} `));
      assert.match(page.url(), /\?verdict=fails$/);
      await page.reload();
      assert.equal(await rows(page), 1);
    });
  });
});
