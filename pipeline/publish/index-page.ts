import { attributes, escapeHtml, escapeText } from "../article/html.js";
import type { Locale } from "../article/locale.js";
import { counts } from "./ledger-page.js";
import { page, provenanceLine } from "./page.js";
import { titleOf, type Article } from "./render.js";
import { between, path, type Site } from "./surroundings.js";

/** The first page in one language: the articles with what became of their claims. `from` is where it lies. */
export function indexPage(articles: readonly Article[], locale: Locale, locales: ReadonlyMap<string, Locale>, site: Site, from: string): string {
  const { tag } = locale;
  const items = articles.map((article) => {
    const { setup, verdicts, book } = article;
    const own = setup.locales.includes(tag) ? tag : setup.locales[0]!;
    const { title, description } = titleOf(article, own);
    const others = setup.locales.filter((other) => other !== own).map((other) => `<a${attributes({ href: between(from, path.article(setup.article, other)), hreflang: other, lang: other })}>${escapeText(locales.get(other)!.text("language"))}</a>`);
    return `<li${attributes({ lang: own === tag ? undefined : own })}>
<h2><a${attributes({ href: between(from, path.article(setup.article, own)) })}>${title}</a></h2>
<p>${description}</p>
<p class="claims">${escapeText(locale.fill("index.claims", { count: locale.number(verdicts.length), publisher: book.source.publisher }))}</p>
${counts(verdicts, locale)}
<p class="also">${escapeText(locale.text("index.also"))} ${others.join(", ")}</p>
</li>`;
  });
  const main = `<header class="title">
<h1>${escapeText(locale.text("index.title"))}</h1>
<p class="description">${escapeText(locale.text("index.description"))}</p>
${provenanceLine(locale, site, from)}
</header>
<ul class="articles">
${items.join("\n")}
</ul>
<p class="more"><a${attributes({ href: between(from, path.ledger(tag)) })}>${escapeText(locale.text("index.ledger"))}</a></p>`;
  return page({
    kind: "index", path: from, canonical: path.index(tag), title: escapeHtml(`${site.name}: ${locale.text("page.motto")}`), description: escapeHtml(locale.text("index.description")), locale, main, card: true,
    languages: site.tags.map((other) => ({ tag: other, name: locales.get(other)!.text("language"), path: path.index(other) })),
    data: { "@type": "WebSite", name: site.name, description: locale.text("index.description") },
  }, site);
}
