import { attributes, escapeText } from "../article/html.js";
import type { Locale } from "../article/locale.js";
import { address, path, type Site } from "./surroundings.js";

/** What a page says of itself to programs. */
export interface About {
  /** Where it lies in the site. */
  readonly path: string;
  /** The page it repeats, where that is another. */
  readonly canonical?: string;
  /** Plain text, escaped already. */
  readonly title: string;
  readonly description: string;
  readonly locale: Locale;
  /** The same page in each language, itself among them, the default first. */
  readonly languages: readonly { readonly tag: string; readonly name: string; readonly path: string }[];
  /** A picture for link previews. */
  readonly card: boolean;
  /** schema.org, without `@context`, `url` and `inLanguage`. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The elements of a page's head that tell where it stands: canonical address, other languages, feeds, link preview, schema.org. */
export function headOf(about: About, site: Site): string {
  const { locale, languages } = about;
  const canonical = about.canonical ?? about.path;
  const url = address(site, canonical);
  const link = (rel: string, more: Readonly<Record<string, string>>): string => `<link${attributes({ rel, ...more })}>`;
  const meta = (property: string, content: string): string => `<meta property="${property}" content="${content}">`;
  const lines = [
    link("canonical", { href: url }),
    ...languages.map(({ tag, path: to }) => link("alternate", { hreflang: tag, href: address(site, to) })),
    link("alternate", { hreflang: "x-default", href: address(site, languages[0]!.path) }),
    link("alternate", { type: "application/atom+xml", title: site.name, href: address(site, path.feed(locale.tag, "atom")) }),
    link("alternate", { type: "application/feed+json", title: site.name, href: address(site, path.feed(locale.tag, "json")) }),
    meta("og:type", about.data?.["@type"] === "TechArticle" ? "article" : "website"),
    meta("og:site_name", escapeText(site.name)),
    meta("og:title", about.title),
    meta("og:description", about.description),
    meta("og:url", url),
    meta("og:locale", openGraphLocale(locale.tag)),
    ...languages.filter(({ tag }) => tag !== locale.tag).map(({ tag }) => meta("og:locale:alternate", openGraphLocale(tag))),
    ...(about.card ? [meta("og:image", address(site, path.card(canonical))), meta("og:image:width", "1200"), meta("og:image:height", "630"), meta("og:image:alt", about.title), '<meta name="twitter:card" content="summary_large_image">'] : []),
    ...(about.data === undefined ? [] : [`<script type="application/ld+json">${script({ "@context": "https://schema.org", ...about.data, url, inLanguage: locale.tag })}</script>`]),
  ];
  return lines.join("\n");
}

/** JSON as it may stand in a script element: no text in it can close the element. */
export function script(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** `es` as `es_ES`: the protocol wants a territory, and the likeliest says no more than the language did. */
function openGraphLocale(tag: string): string {
  const { language, region } = new Intl.Locale(tag).maximize();
  return `${language}_${region}`;
}
