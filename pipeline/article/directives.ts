import type { Figure } from "../charts/figure.js";
import { inlinedPair } from "../charts/style.js";
import type { ClaimBook } from "../claims/claim.js";
import { near } from "../claims/near.js";
import type { Verdict } from "../claims/verdict.js";
import { Fault } from "../fault.js";
import type { Estimate } from "../stats/estimate.js";
import type { Directive } from "./compose.js";
import { verdictClass, type Figures } from "./figures.js";
import { escapeHtml } from "./html.js";
import { claimAnchor, ledgerTable } from "./ledger.js";
import type { Locale } from "./locale.js";
import { reasonText } from "./reason.js";
import type { ArticleSetup, LedgerWords } from "./setup.js";

/** What directives draw from. */
export interface Material {
  readonly setup: ArticleSetup;
  readonly book: ClaimBook;
  readonly verdicts: readonly Verdict[];
  readonly words: LedgerWords;
  readonly locale: Locale;
  readonly figures: Figures;
  /** The charts by id, and the rows they select from. */
  readonly charts: Readonly<Record<string, Figure>>;
  readonly rows: readonly Estimate[];
}

/** The directives of one page. */
export function directivesOf(material: Material): Directive {
  return async (block, caption, where) => {
    switch (block.name) {
      case "figure": return chart(material, block.id, block.argument, caption, where);
      case "ledger": return ledgerTable(material, matching(material, block.argument, where), block.id, caption);
      case "contradictions": return contradictions(material, block.id, caption);
      case "unmeasured": return unmeasured(material, block.id, caption);
      default: return credit(material, block.id, caption);
    }
  };
}

async function chart({ charts, rows, locale }: Material, id: string, name: string, caption: string, where: string): Promise<string> {
  const figure = Object.hasOwn(charts, name) ? charts[name] : undefined;
  if (figure === undefined) throw new Fault(`${where}: no chart is called "${name}": ${near(name, Object.keys(charts))}`);
  const selected = figure.select(rows);
  if (selected.length === 0) return `<figure id="${id}" class="chart empty">\n<p class="missing">${escapeHtml(locale.text("missing.figure"))}</p>\n<figcaption>${caption}</figcaption>\n</figure>`;
  const [narrow, wide] = inlinedPair(await figure.draw(selected, locale, "narrow"), await figure.draw(selected, locale, "wide"));
  const { columns, rows: cells } = figure.table(selected, locale);
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join("");
  const body = cells.map((row) => `<tr>${row.map((cell, index) => (index === 0 ? `<th scope="row">${escapeHtml(cell)}</th>` : `<td>${escapeHtml(cell)}</td>`)).join("")}</tr>`).join("\n");
  return `<figure id="${id}" class="chart" data-chart="${name}">
<div class="plot narrow">${narrow}</div>
<div class="plot wide">${wide}</div>
<figcaption>${caption}
<details class="behind"><summary>${escapeHtml(locale.text("page.data"))}</summary>
<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>
${body}
</tbody></table></div></details></figcaption>
</figure>`;
}

/** The claims that match one of the patterns, in which `*` stands for anything; all claims for none. */
function matching({ book, verdicts }: Material, patterns: string, where: string): readonly Verdict[] {
  const tests = patterns.split(/\s+/).filter((pattern) => pattern !== "").map((pattern) => {
    const test = new RegExp(`^${pattern.split("*").map((part) => part.replaceAll(/[^\w-]/g, "\\$&")).join(".*")}$`);
    if (!book.claims.some((claim) => test.test(claim.id))) throw new Fault(`${where}: no claim matches "${pattern}": ${near(pattern, book.claims.map((claim) => claim.id))}`);
    return test;
  });
  return verdicts.filter(({ claim }) => tests.length === 0 || tests.some((test) => test.test(claim)));
}

function contradictions({ book, words, locale }: Material, id: string, caption: string): string {
  const claims = new Map(book.claims.map((claim) => [claim.id, claim]));
  const items = book.contradictions.map((contradiction, index) => {
    const links = contradiction.claims.map((claim) => `<li><a href="#${claimAnchor(claim)}">${escapeHtml(words.claim(claims.get(claim)!))}</a></li>`).join("");
    return `<li><p>${escapeHtml(words.contradiction(index))}</p>\n<ul class="claims" aria-label="${escapeHtml(locale.text("ledger.contradiction"))}">${links}</ul></li>`;
  });
  return `<div id="${id}">${caption === "" ? "" : `<p>${caption}</p>`}<ol class="contradictions">${items.join("\n")}</ol></div>`;
}

function unmeasured({ book, verdicts, words, locale }: Material, id: string, caption: string): string {
  const claims = new Map(book.claims.map((claim) => [claim.id, claim]));
  const items = verdicts.filter(({ verdict }) => verdict === "not measurable here" || verdict === "not yet measured").map((verdict) => {
    const claim = claims.get(verdict.claim)!;
    const word = `<span class="verdict ${verdictClass(verdict.verdict)}">${escapeHtml(locale.text(`verdict.${verdict.verdict}`))}</span>`;
    return `<dt>${escapeHtml(words.claim(claim))}</dt><dd>${word} ${escapeHtml(reasonText(verdict, claim, words, locale))}</dd>`;
  });
  return `<div id="${id}">${caption === "" ? "" : `<p>${caption}</p>`}<dl class="unmeasured">${items.join("\n")}</dl></div>`;
}

function credit({ setup, book, locale }: Material, id: string, caption: string): string {
  const { publisher } = setup.source;
  const code = setup.source.code ?? book.source.code.join(", ");
  const titles = Object.entries(book.source.titles).map(([tag, title]) => `<cite lang="${escapeHtml(tag)}">${escapeHtml(title)}</cite>`).join(", ");
  const row = (key: string, value: string): string => (value === "" ? "" : `<dt>${escapeHtml(locale.text(`page.${key}`))}</dt><dd>${value}</dd>`);
  return `<aside id="${id}" class="credit"><p>${escapeHtml(locale.fill("page.credit", { publisher }))}</p>${caption === "" ? "" : `<p>${caption}</p>`}<dl>${row("source", titles)}${row("code", escapeHtml(code))}${row("licence", escapeHtml(setup.source.licence ?? ""))}</dl></aside>`;
}
