import { join } from "node:path";
import { checkTemplate } from "../article/check.js";
import { Composer } from "../article/compose.js";
import { directivesOf } from "../article/directives.js";
import { Figures } from "../article/figures.js";
import { attributes, escapeHtml, unescapeHtml } from "../article/html.js";
import { localeTags, readLocales, type Locale } from "../article/locale.js";
import { checkParity } from "../article/parity.js";
import { provenanceSection, type Links } from "../article/provenance.js";
import { Scope } from "../article/scope.js";
import { readLedgerWords, readSetup, type ArticleSetup } from "../article/setup.js";
import type { Template } from "../article/template.js";
import { mayLag } from "../article/translations.js";
import type { Figure } from "../charts/figure.js";
import { publishedRows, verdictRows } from "../charts/select.js";
import { frameRows } from "../wire/rows.js";
import { readBook } from "../claims/books.js";
import type { ClaimBook } from "../claims/claim.js";
import type { Gathered } from "../claims/gather.js";
import { judgeAll } from "../claims/ledger.js";
import type { Verdict } from "../claims/verdict.js";
import { cellEstimates } from "../stats/index.js";
import type { Estimate } from "../stats/estimate.js";
import { claimAnchor } from "../article/ledger.js";
import { page, provenanceLine } from "./page.js";
import { readTemplates, type Sources } from "./sources.js";
import { address, between, path, type Site } from "./surroundings.js";

/** An article with everything its pages have in common: read and checked once, rendered in each language. */
export interface Article {
  readonly setup: ArticleSetup;
  readonly sources: Sources;
  readonly book: ClaimBook;
  readonly verdicts: readonly Verdict[];
  readonly rows: readonly Estimate[];
  readonly locales: ReadonlyMap<string, Locale>;
  readonly templates: ReadonlyMap<string, Template>;
  readonly scope: Scope;
  readonly gathered: Gathered;
}

/** Reads and judges an article; checks all its languages, each for itself, then one against the other. */
export function openArticle(name: string, sources: Sources, gathered: Gathered): Article {
  const setup = readSetup(name, sources.paper, localeTags(join(sources.common, "locales")));
  const templates = readTemplates(setup, sources.paper);
  const book = readBook(name, sources.claims);
  const verdicts = judgeAll(book, gathered.evidence);
  const rows = [...cellEstimates(gathered.evidence.attempts), ...publishedRows(book.claims), ...verdictRows(verdicts), ...frameRows()];
  const locales = readLocales(setup.locales, join(sources.common, "locales"));
  const scope = new Scope(setup, book, verdicts, gathered.evidence, locales.values().next().value!.keys("metric"));
  for (const [tag, template] of templates) checkTemplate(template, scope, locales.get(tag)!);
  checkParity([...templates.values()]);
  return { setup, sources, book, verdicts, rows, locales, templates, scope, gathered };
}

/** The title and the description of an article in one language, filled with data: plain text, escaped. */
export function titleOf(article: Article, tag: string): { readonly title: string; readonly description: string } {
  const { title, description } = composer(article, tag, new Figures(article.locales.get(tag)!), {}).head(article.templates.get(tag)!);
  return { title: title.text, description: description.text };
}

function composer(article: Article, tag: string, figures: Figures, charts: Readonly<Record<string, Figure>>): Composer {
  const { setup, sources, book, verdicts, rows, scope } = article;
  const locale = article.locales.get(tag)!;
  const words = readLedgerWords(setup, tag, book, sources.paper);
  return new Composer(scope, locale, figures, directivesOf({ setup, book, verdicts, words, locale, figures, charts, rows }));
}

/** One page of an article, whole. The same sources and samples give the same bytes. */
export async function renderPage(article: Article, tag: string, charts: Readonly<Record<string, Figure>>, site: Site): Promise<string> {
  const locale = article.locales.get(tag)!;
  const figures = new Figures(locale);
  const composed = await composer(article, tag, figures, charts).compose(article.templates.get(tag)!);
  const from = path.article(article.setup.article, tag);
  const main = `<article>
<header class="title">
<h1>${composed.title.html}</h1>
<p class="description">${composed.description.html}</p>
${provenanceLine(locale, site, from)}${lagging(article, tag)}
</header>
<nav class="contents"${attributes({ "aria-label": locale.text("page.contents") })}><ol>
${composed.sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join("\n")}
</ol></nav>
${composed.body}
</article>
${provenanceSection(figures, locale, linksFrom(from, tag, site))}`;
  return page({
    kind: "article", path: from, title: composed.title.text, description: composed.description.text, locale, main, card: true,
    languages: [...article.locales.values()].map((other) => ({ tag: other.tag, name: other.text("language"), path: path.article(article.setup.article, other.tag) })),
    data: structured(article, tag, composed.title.text, composed.description.text, site),
  }, site);
}

/** Says that a translation may lag behind its source, and leads there. */
function lagging({ setup, sources, locales }: Article, tag: string): string {
  if (!mayLag(setup, tag, sources.paper)) return "";
  const source = setup.locales[0]!;
  const name = locales.get(source)!.text("language");
  const link = `<a${attributes({ href: between(path.article(setup.article, tag), path.article(setup.article, source)), hreflang: source, lang: source })}>${escapeHtml(name)}</a>`;
  return `\n<p class="stale">${locales.get(tag)!.fill("provenance.stale", { language: link })}</p>`;
}

/** Where the popovers of a page lead. */
export function linksFrom(from: string, tag: string, site: Site): Links {
  return {
    run: (id) => (site.runs.some((run) => run.id === id) ? between(from, path.run(id, tag)) : undefined),
    claim: (id) => (from === path.ledger(tag) ? `#${claimAnchor(id)}` : `${between(from, path.ledger(tag))}#${claimAnchor(id)}`),
  };
}

function structured({ setup, book }: Article, tag: string, headline: string, description: string, site: Site): Record<string, unknown> {
  const date = site.source?.manifest.startedAt;
  return {
    "@type": "TechArticle", headline: unescapeHtml(headline), description: unescapeHtml(description), image: address(site, path.card(path.article(setup.article, tag))),
    ...(date === undefined ? {} : { datePublished: date, dateModified: date }),
    author: { "@type": "Organization", name: site.name, url: site.base },
    citation: { "@type": "CreativeWork", name: book.source.titles["en"] ?? Object.values(book.source.titles)[0] ?? setup.article, publisher: { "@type": "Organization", name: setup.source.publisher } },
    ...(site.source === undefined ? {} : { isBasedOn: address(site, path.run(site.source.id, tag)) }),
  };
}
