import type { Composed } from "../article/compose.js";
import { attributes, escapeHtml } from "../article/html.js";
import type { Locale } from "../article/locale.js";

/** What a page is made of besides its article. */
export interface PageParts {
  readonly composed: Composed;
  /** The table of figures, HTML. */
  readonly provenance: string;
  readonly locale: Locale;
  /** All languages of the article, the default first, with each one's name for itself. */
  readonly languages: readonly { readonly tag: string; readonly name: string }[];
  /** The run the page was built from: its id, when it began, on what; undefined when nothing was measured. */
  readonly run: { readonly id: string; readonly reference: boolean; readonly startedAt: string; readonly machine: string } | undefined;
  /** The theme's CSS. */
  readonly css: string;
}

/** A whole page. It needs no script; its class names are listed in `paper/theme/README.md`. */
export function page(parts: PageParts): string {
  const { composed, locale, languages, css } = parts;
  const word = (key: string): string => escapeHtml(locale.text(key));
  const alternates = languages.map(({ tag }) => `<link rel="alternate"${attributes({ hreflang: tag, href: `../${tag}/` })}>`);
  return `<!DOCTYPE html>
<html${attributes({ lang: locale.tag, dir: locale.text("direction") })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${composed.title.text}</title>
<meta name="description" content="${composed.description.text}">
<meta name="generator" content="Nullius">
<meta name="color-scheme" content="light dark">
${alternates.join("\n")}
<link rel="alternate"${attributes({ hreflang: "x-default", href: `../${languages[0]!.tag}/` })}>
<style>
${css}
</style>
</head>
<body class="article">
<a class="skip" href="#content">${word("page.skip")}</a>
<header class="masthead">
<p class="site"><strong>Nullius</strong> <span class="motto">${word("page.motto")}</span></p>
${languageSwitch(parts)}
</header>
<main id="content">
<article>
<header class="title">
<h1>${composed.title.html}</h1>
<p class="description">${composed.description.html}</p>
<p class="provenance-line">${provenanceLine(parts)}</p>
</header>
<nav class="contents"${attributes({ "aria-label": locale.text("page.contents") })}><ol>
${composed.sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join("\n")}
</ol></nav>
${composed.body}
</article>
${parts.provenance}
</main>
<footer><p>${word("page.footer")}</p></footer>
</body>
</html>
`;
}

function languageSwitch({ locale, languages }: PageParts): string {
  const items = languages.map(({ tag, name }) => `<li><a${attributes({ href: `../${tag}/index.html`, hreflang: tag, lang: tag, "aria-current": tag === locale.tag ? "page" : undefined })}>${escapeHtml(name)}</a></li>`);
  return `<nav class="languages"${attributes({ "aria-label": locale.text("page.languages") })}><ul>${items.join("")}</ul></nav>`;
}

function provenanceLine({ run, locale }: PageParts): string {
  if (run === undefined) return escapeHtml(locale.text("provenance.nothing"));
  const line = run.reference ? locale.text("provenance.reference") : locale.fill("provenance.line", { run: run.id });
  const day = new Intl.DateTimeFormat(locale.tag, { dateStyle: "long", timeZone: "UTC", numberingSystem: "latn" }).format(new Date(run.startedAt));
  return `${escapeHtml(line)} <time${attributes({ datetime: run.startedAt })}>${escapeHtml(day)}</time> · ${escapeHtml(run.machine)}`;
}
