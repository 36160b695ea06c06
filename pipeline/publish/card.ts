import { readFileSync } from "node:fs";
import { verdictClass } from "../article/figures.js";
import { attributes, escapeText } from "../article/html.js";
import type { Locale } from "../article/locale.js";
import { verdictWords, type Verdict } from "../claims/verdict.js";
import { colours } from "../charts/style.js";
import type { Browser } from "playwright-core";
import { packagedFonts } from "./theme.js";

/** What the picture of a link preview shows. */
export interface Card {
  /** Escaped already. */
  readonly title: string;
  readonly description: string;
  readonly verdicts: readonly Verdict[];
  readonly name: string;
  readonly locale: Locale;
}

/** The size that Open Graph readers show whole, in CSS pixels. */
export const cardSize = { width: 1200, height: 630 } as const;

/** A picture for link previews as a page of its own, with its fonts inside. */
export function cardHtml({ title, description, verdicts, name, locale }: Card): string {
  const counted = verdictWords.map((verdict) => ({ verdict, count: verdicts.filter((row) => row.verdict === verdict).length })).filter(({ count }) => count > 0);
  const colour = (verdict: string): string => colours[`verdict-${verdictClass(verdict)}` as keyof typeof colours].light;
  const bar = counted.map(({ verdict, count }) => `<i style="flex:${count};background:${colour(verdict)}${["not comparable", "not measurable here", "not yet measured"].includes(verdict) ? ";opacity:.35" : ""}"></i>`).join("");
  const key = counted.map(({ verdict, count }) => `<span><b style="color:${colour(verdict)}">${locale.number(count)}</b> ${escapeText(locale.text(`verdict.${verdict}`))}</span>`).join("");
  const fonts = packagedFonts().map((file) => `@font-face{font-family:Packaged;font-weight:100 900;src:url(data:font/woff2;base64,${readFileSync(file).toString("base64")})}`).join("");
  return `<!DOCTYPE html>
<html${attributes({ lang: locale.tag, dir: locale.text("direction") })}>
<meta charset="utf-8">
<style>
${fonts}
*{box-sizing:border-box;margin:0}
body{background:${colours["chart-paper"].light};color:${colours["chart-ink"].light};display:flex;flex-direction:column;font-family:"Noto Sans","DejaVu Sans",Packaged,sans-serif;height:${cardSize.height}px;padding:64px 72px 56px;width:${cardSize.width}px}
header{font-size:27px}
header span{color:${colours["chart-muted"].light};margin-inline-start:.5em}
h1{font-size:${title.length > 60 ? 58 : 68}px;font-weight:700;line-height:1.22;margin:auto 0 22px;text-wrap:balance}
p{color:${colours["chart-muted"].light};display:-webkit-box;font-size:29px;line-height:1.45;margin-bottom:auto;overflow:hidden;-webkit-box-orient:vertical;-webkit-line-clamp:3}
div.bar{border-radius:9px;display:flex;gap:3px;height:18px;margin-bottom:22px;overflow:hidden}
div.key{display:flex;flex-wrap:wrap;font-size:23px;gap:4px 30px}
</style>
<header><strong>${escapeText(name)}</strong><span>${escapeText(locale.text("page.motto"))}</span></header>
<h1>${title}</h1>
<p>${description}</p>
<div class="bar">${bar}</div>
<div class="key">${key}</div>
</html>
`;
}

/** The picture of a card, PNG. */
export async function cardPicture(browser: Browser, html: string): Promise<Uint8Array> {
  const page = await browser.newPage({ viewport: cardSize, deviceScaleFactor: 1, colorScheme: "light" });
  try {
    await page.setContent(html);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    return await page.screenshot({ type: "png" });
  } finally {
    await page.close();
  }
}
