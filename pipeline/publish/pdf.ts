import { existsSync, statSync } from "node:fs";
import { join, normalize, sep } from "node:path";
import type { Browser } from "playwright-core";
import { escapeText } from "../article/html.js";
import { Fault } from "../fault.js";
import { address, type Site } from "./surroundings.js";

/**
 * A page of a rendered site as PDF: with numbered pages, an outline and tags; a measured figure is a link to its origin at the end, and links to the rest of
 * the site have whole addresses. Nothing is asked for outside the site's folder.
 *
 * @param pagePath the page, relative to the folder
 * @throws Fault when the page lacks a file that it is shown with
 */
export async function pdfOf(browser: Browser, pagePath: string, folder: string, site: Pick<Site, "base" | "source">): Promise<Uint8Array> {
  const context = await browser.newContext({ colorScheme: "light" });
  try {
    const page = await context.newPage();
    const missing: string[] = [];
    // The page is shown at the address it will have, so that its links are those of the site, but out of the folder.
    await page.route("**/*", async (route) => {
      const file = fileOf(route.request().url(), site.base, folder);
      if (file !== undefined) return route.fulfill({ path: file });
      missing.push(route.request().url());
      return route.abort();
    });
    await page.goto(address(site, pagePath), { waitUntil: "load" });
    await page.emulateMedia({ media: "print" });
    await page.evaluate(forPaper);
    const title = await page.title();
    if (missing.length > 0) throw new Fault(`${join(folder, pagePath)}: it needs ${missing[0]}, which the site lacks; write it again by './nullius render'`);
    const small = "font-size:7.5px;font-family:'Noto Sans','Noto Sans Devanagari',sans-serif;color:#5a5e66;width:100%;margin:0 16mm;display:flex;justify-content:space-between";
    const bytes = await page.pdf({
      format: "A4", preferCSSPageSize: true, outline: true, tagged: true, printBackground: true, displayHeaderFooter: true, headerTemplate: "<span></span>",
      footerTemplate: `<div style="${small}"><span>${escapeText(title)}</span><span><span class="pageNumber"></span> / <span class="totalPages"></span></span></div>`,
    });
    return settled(bytes, new Date(site.source?.manifest.startedAt ?? 0));
  } finally {
    await context.close();
  }
}

/** Runs in the page: what is folded is opened, and what opens on a press is a link. */
async function forPaper(): Promise<void> {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details.others")) details.open = true;
  for (const popover of document.querySelectorAll(".origin[popover]")) popover.removeAttribute("popover");
  for (const button of document.querySelectorAll<HTMLButtonElement>("button.figure")) {
    const link = document.createElement("a");
    link.className = "figure";
    link.href = `#${button.getAttribute("popovertarget") ?? ""}`;
    link.append(...button.childNodes);
    button.replaceWith(link);
  }
  await document.fonts.ready;
}

/** The file of the site that stands at an address, if there is one. */
function fileOf(url: string, base: string, folder: string): string | undefined {
  if (!url.startsWith(base)) return undefined;
  const path = decodeURIComponent(url.slice(base.length).replace(/[?#].*$/, ""));
  const file = normalize(join(folder, path === "" || path.endsWith("/") ? `${path}index.html` : path));
  return file.startsWith(folder + sep) && existsSync(file) && statSync(file).isFile() ? file : undefined;
}

/**
 * The document as its page alone decides it: dated as its run is, and its tags numbered without the gaps that differ from one printing to the next.
 * Nothing changes its length, so what a PDF says of its own places stays true.
 */
function settled(pdf: Uint8Array, moment: Date): Uint8Array {
  const stamp = moment.toISOString().replaceAll(/[-:T]|\.\d+Z/g, "");
  const text = Buffer.from(pdf).toString("latin1").replaceAll(/\/(CreationDate|ModDate) \(D:\d{14}/g, `/$1 (D:${stamp}`);
  const tag = /\(node(\d{8})\)/g;
  const rank = new Map([...new Set([...text.matchAll(tag)].map((match) => match[1]!))].sort().map((number, index) => [number, String(index + 1).padStart(8, "0")]));
  return Buffer.from(text.replaceAll(tag, (_, number: string) => `(node${rank.get(number)!})`), "latin1");
}
