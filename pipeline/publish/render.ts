import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkTemplate } from "../article/check.js";
import { Composer } from "../article/compose.js";
import { directivesOf } from "../article/directives.js";
import { Figures } from "../article/figures.js";
import { localeTags, readLocales, type Locale } from "../article/locale.js";
import { checkParity } from "../article/parity.js";
import { provenanceTable } from "../article/provenance.js";
import { Scope } from "../article/scope.js";
import { readLedgerWords, readSetup, type ArticleSetup } from "../article/setup.js";
import type { Template } from "../article/template.js";
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
import { page } from "./page.js";
import { readTemplates, type Sources } from "./sources.js";

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

/** One page, whole. The same sources and samples give the same bytes. */
export async function renderPage(article: Article, tag: string, charts: Readonly<Record<string, Figure>>): Promise<string> {
  const { setup, sources, book, verdicts, rows, scope, gathered } = article;
  const locale = article.locales.get(tag)!;
  const words = readLedgerWords(setup, tag, book, sources.paper);
  const figures = new Figures(locale);
  const composer = new Composer(scope, locale, figures, directivesOf({ setup, book, verdicts, words, locale, figures, charts, rows }));
  const composed = await composer.compose(article.templates.get(tag)!);
  const languages = [...article.locales.values()].map((other) => ({ tag: other.tag, name: other.text("language") }));
  return page({ composed, provenance: provenanceTable(figures, book.claims, locale), locale, languages, run: runOf(gathered), css: themeCss(sources.common) });
}

function runOf({ run }: Gathered): Parameters<typeof page>[0]["run"] {
  if (run === undefined) return undefined;
  const { fingerprint, startedAt } = run.manifest;
  return { id: run.id, reference: run.folder.endsWith(join("data", "reference")), startedAt, machine: `${fingerprint.cpu}, Linux ${fingerprint.kernel}` };
}

/** The theme's style sheets, in order of name. */
function themeCss(common: string): string {
  const folder = join(common, "theme");
  if (!existsSync(folder)) return "";
  return readdirSync(folder).filter((name) => name.endsWith(".css")).sort().map((name) => readFileSync(join(folder, name), "utf8").trim()).join("\n");
}
