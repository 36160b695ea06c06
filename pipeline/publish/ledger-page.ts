import { Figures, verdictClass } from "../article/figures.js";
import { attributes, escapeHtml, escapeText } from "../article/html.js";
import { ledgerTable } from "../article/ledger.js";
import type { Locale } from "../article/locale.js";
import { provenanceSection } from "../article/provenance.js";
import { readLedgerWords } from "../article/setup.js";
import { verdictWords, type Verdict } from "../claims/verdict.js";
import { formatNames, tableFormats } from "../store/export.js";
import { rawFile } from "./downloads.js";
import { page, provenanceLine } from "./page.js";
import { linksFrom, titleOf, type Article } from "./render.js";
import { address, between, path, type Site } from "./surroundings.js";

/** The ledger of all articles in one language. Reads without script; with one it can be searched and filtered. */
export function ledgerPage(articles: readonly Article[], locale: Locale, locales: ReadonlyMap<string, Locale>, site: Site): string {
  const { tag } = locale;
  const from = path.ledger(tag);
  const figures = new Figures(locale);
  const word = (key: string): string => escapeText(locale.text(key));
  const sections = articles.map((article) => {
    const { setup, book, verdicts, rows, sources } = article;
    const own = setup.locales.includes(tag) ? tag : setup.locales[0]!;
    const words = readLedgerWords(setup, own, book, sources.paper);
    const table = ledgerTable({ setup, book, verdicts, words, locale, figures, charts: {}, rows }, verdicts, `ledger-${setup.article}`, "", {
      samples: (experiment, run) => (experiment.includes("+") || !site.runs.some(({ id }) => id === run) ? undefined : between(from, rawFile(run, `${experiment}.jsonl`))),
    });
    const title = `<a${attributes({ href: between(from, path.article(setup.article, own)), lang: own === tag ? undefined : own })}>${titleOf(article, own).title}</a>`;
    return `<section id="${setup.article}" class="claims">\n<h2>${title}</h2>\n${counts(verdicts, locale)}\n${table}\n</section>`;
  });
  const languages = site.tags.map((other) => ({ tag: other, name: locales.get(other)!.text("language"), path: path.ledger(other) }));
  const downloads = tableFormats.map((format) => `<a${attributes({ href: between(from, `ledger/ledger.${format}`) })} download>${formatNames[format]}</a>`).join(", ");
  const main = `<header class="title">
<h1>${word("page.ledger")}</h1>
<p class="description">${word("ledger.description")}</p>
${provenanceLine(locale, site, from)}
<p class="downloads">${word("page.downloads")} ${downloads}</p>
</header>
${filterForm(articles, tag, locale)}
${sections.join("\n")}
${provenanceSection(figures, locale, linksFrom(from, tag, site))}`;
  return page({
    kind: "ledger", path: from, title: escapeHtml(`${locale.text("page.ledger")} · ${site.name}`), description: escapeHtml(locale.text("ledger.description")), locale, languages, main, card: false, script: "ledger",
    data: {
      "@type": "Dataset", name: locale.text("page.ledger"), description: locale.text("ledger.description"), creator: { "@type": "Organization", name: site.name, url: site.base },
      distribution: tableFormats.map((format) => ({ "@type": "DataDownload", encodingFormat: mediaType[format], contentUrl: address(site, `ledger/ledger.${format}`) })),
    },
  }, site);
}

export const mediaType = { csv: "text/csv", json: "application/json", parquet: "application/vnd.apache.parquet" } as const;

/** Each verdict there is among these with how often, in the order of the verdicts. */
export function counts(verdicts: readonly Verdict[], locale: Locale): string {
  const items = verdictWords.flatMap((verdict) => {
    const count = verdicts.filter((row) => row.verdict === verdict).length;
    return count === 0 ? [] : [`<li><span class="verdict ${verdictClass(verdict)}">${escapeText(locale.text(`verdict.${verdict}`))}</span> ${locale.number(count)}</li>`];
  });
  return `<ul class="counts">${items.join("")}</ul>`;
}

/** Hidden until the script that makes it work shows it. */
function filterForm(articles: readonly Article[], tag: string, locale: Locale): string {
  const word = (key: string): string => escapeText(locale.text(key));
  const option = (value: string, text: string): string => `<option value="${escapeHtml(value)}">${text}</option>`;
  const there = verdictWords.filter((verdict) => articles.some(({ verdicts }) => verdicts.some((row) => row.verdict === verdict)));
  const titles = articles.map((article) => option(article.setup.article, titleOf(article, article.setup.locales.includes(tag) ? tag : article.setup.locales[0]!).title));
  return `<div class="filter" hidden role="search"${attributes({ "aria-label": locale.text("ledger.filter"), "data-shown": locale.text("ledger.shown") })}>
<label>${word("ledger.search")} <input type="search" name="text" autocomplete="off"></label>
<label>${word("ledger.verdict")} <select name="verdict">${option("", word("ledger.any"))}${there.map((verdict) => option(verdictClass(verdict), word(`verdict.${verdict}`))).join("")}</select></label>
<label>${word("ledger.article")} <select name="article">${option("", word("ledger.any"))}${titles.join("")}</select></label>
<output></output>
</div>`;
}
