import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attributes, escapeHtml } from "../article/html.js";
import type { Locale } from "../article/locale.js";
import type { Run } from "../store/run.js";
import { headOf, type About } from "./head.js";
import { stylePath } from "./theme.js";
import { between, path, type Site } from "./surroundings.js";

/** What a page holds besides what all have in common. */
export interface PageParts extends About {
  readonly kind: "article" | "ledger" | "run" | "index";
  /** HTML of all that stands in `main`. */
  readonly main: string;
  /** A script of the theme, by its name without `.js`: it may only add to what reads without it. */
  readonly script?: string;
}

/** A whole page. It needs no script; its class names are listed in `paper/theme/README.md`. */
export function page(parts: PageParts, site: Site): string {
  const { locale } = parts;
  const word = (key: string): string => escapeHtml(locale.text(key));
  return `<!DOCTYPE html>
<html${attributes({ lang: locale.tag, dir: locale.text("direction") })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${parts.title}</title>
<meta name="description" content="${parts.description}">
<meta name="generator" content="Nullius">
<meta name="color-scheme" content="light dark">
${headOf(parts, site)}
<link rel="stylesheet" href="${between(parts.path, stylePath)}">
</head>
<body class="${parts.kind}">
<a class="skip" href="#content">${word("page.skip")}</a>
<header class="masthead">
<p class="site"><a${attributes({ href: between(parts.path, path.index(locale.tag)) })}><strong>${escapeHtml(site.name)}</strong></a> <span class="motto">${word("page.motto")}</span></p>
${navigation(parts, site)}
${languageSwitch(parts)}
</header>
<main id="content">
${parts.main}
</main>
<footer><p>${word("page.footer")}</p></footer>
${parts.script === undefined ? "" : `<script>\n${readFileSync(join(site.sources.common, "theme", `${parts.script}.js`), "utf8").trim()}\n</script>\n`}</body>
</html>
`;
}

function navigation({ locale, kind, path: from }: PageParts, site: Site): string {
  const { source } = site;
  const items: readonly (readonly [string, string, boolean])[] = [
    ["articles", path.index(locale.tag), kind === "index"],
    ["ledger", path.ledger(locale.tag), kind === "ledger"],
    ...(source === undefined ? [] : [["run", path.run(source.id, locale.tag), kind === "run"] as const]),
  ];
  return `<nav class="pages"${attributes({ "aria-label": locale.text("page.pages") })}><ul>${items.map(([key, to, current]) => `<li><a${attributes({ href: between(from, to), "aria-current": current ? "page" : undefined })}>${escapeHtml(locale.text(`page.${key}`))}</a></li>`).join("")}</ul></nav>`;
}

function languageSwitch({ locale, languages, path: from }: PageParts): string {
  const items = languages.map(({ tag, name, path: to }) => `<li><a${attributes({ href: between(from, to), hreflang: tag, lang: tag, "aria-current": tag === locale.tag ? "page" : undefined })}>${escapeHtml(name)}</a></li>`);
  return `<nav class="languages"${attributes({ "aria-label": locale.text("page.languages") })}><ul>${items.join("")}</ul></nav>`;
}

/** Which run a page was made from, when and on what, and whether a newer one waits. */
export function provenanceLine(locale: Locale, site: Site, from: string): string {
  const { source, newer } = site;
  if (source === undefined) return `<p class="provenance-line">${escapeHtml(locale.text("provenance.nothing"))}</p>`;
  const { fingerprint, startedAt } = source.manifest;
  const words = locale.fill(isReference(source) ? "provenance.reference" : "provenance.line", { run: source.id });
  const line = `${escapeHtml(words)} <time${attributes({ datetime: startedAt })}>${escapeHtml(day(startedAt, locale))}</time> · ${escapeHtml(`${fingerprint.cpu}, Linux ${fingerprint.kernel}`)}`;
  const more = site.runs.includes(source) ? ` · <a${attributes({ href: between(from, path.run(source.id, locale.tag)) })}>${escapeHtml(locale.text("page.run"))}</a>` : "";
  const late = newer === undefined ? "" : `\n<p class="newer">${escapeHtml(locale.fill("provenance.newer", { run: newer }))}</p>`;
  return `<p class="provenance-line">${line}${more}</p>${late}`;
}

const isReference = (run: Run): boolean => run.folder.endsWith(join("data", "reference"));

/** A moment as its day, in the reader's language. */
export function day(moment: string, locale: Locale): string {
  return new Intl.DateTimeFormat(locale.tag, { dateStyle: "long", timeZone: "UTC", numberingSystem: "latn" }).format(new Date(moment));
}
