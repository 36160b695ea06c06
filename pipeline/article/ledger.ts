import type { Claim } from "../claims/claim.js";
import type { Verdict } from "../claims/verdict.js";
import type { Material } from "./directives.js";
import { levelWord, verdictClass } from "./figures.js";
import { attributes, escapeHtml, escapeText } from "./html.js";
import type { Locale } from "./locale.js";
import { shortened } from "./provenance.js";
import { ledgerEstimate, ledgerNumber, publishedText, reasonText } from "./reason.js";

/** What the ledger's own page shows beyond the table of an article. */
export interface More {
  /** A link to the raw samples of an experiment in a run; undefined where the site has none. */
  samples(experiment: string, run: string): string | undefined;
}

/** Claims with what was published, what was measured, the verdict and its reason, as a table. */
export function ledgerTable(material: Material, verdicts: readonly Verdict[], id: string, caption: string, more?: More): string {
  const { locale, book } = material;
  const claims = new Map(book.claims.map((claim) => [claim.id, claim]));
  const head = ["claim", "published", "measured", "verdict", "basis", "reason"].map((key) => `<th scope="col">${escapeText(locale.text(`ledger.${key}`))}</th>`).join("");
  const body = verdicts.map((verdict) => row(material, claims.get(verdict.claim)!, verdict, more)).join("\n");
  const title = caption === "" ? "" : `<caption>${caption}</caption>`;
  return `<div id="${id}" class="scroll"><table class="ledger">${title}<thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function row(material: Material, claim: Claim, verdict: Verdict, more: More | undefined): string {
  const { locale, words, figures } = material;
  const { measured } = verdict;
  const unit = unitWord(claim.unit, locale);
  const published = publishedText({ ...claim, ...(claim.expect === undefined ? {} : { expect: "" }) }, locale);
  const basis = verdict.basis === undefined ? "" : `${locale.text(`basis.${verdict.basis}`)}, ${locale.text(`subject.${verdict.subject}`)}`;
  const ours = measured === undefined ? "" : figures.estimate(measured, claim.id, ledgerEstimate(measured, locale));
  const conditions = more === undefined ? "" : conditionsOf(claim, locale);
  return `<tr id="${claimAnchor(claim.id)}" data-claim="${escapeHtml(claim.id)}" data-verdict="${verdictClass(verdict.verdict)}">
<th scope="row" class="claim">${escapeText(words.claim(claim))}<code class="id">${escapeText(claim.id)}</code></th>
<td class="published"${attributes({ "data-label": locale.text("ledger.published") })}>${escapeText(published)}${unit === "" || published === "" ? "" : ` <span class="unit">${escapeText(unit)}</span>`}${conditions}</td>
<td class="measured"${attributes({ "data-label": locale.text("ledger.measured") })}>${ours}${others(verdict, material)}${samplesOf(verdict, locale, more)}</td>
<td class="verdict"><span class="verdict ${verdictClass(verdict.verdict)}">${escapeText(locale.text(`verdict.${verdict.verdict}`))}</span></td>
<td class="basis">${escapeText(basis)}</td>
<td class="reason">${escapeText(reasonText(verdict, claim, words, locale))}</td>
</tr>`;
}

function others({ claim, measured, others }: Verdict, { locale, figures }: Material): string {
  if (others.length === 0) return "";
  const items = others.map((other) => {
    const differing = Object.entries(other.factors).filter(([factor, level]) => measured?.factors[factor] !== level);
    const where = differing.map(([factor, level]) => `${locale.has(`factor.${factor}`) ? locale.text(`factor.${factor}`) : factor} ${levelWord(String(level), factor, locale)}`).join(", ");
    // Where the level of no factor differs, the expression does.
    const condition = where === "" ? `<code>${escapeText(shortened(other.metric, other.factors))}</code>` : escapeText(where);
    return `<li>${condition}: ${figures.estimate(other, claim, ledgerEstimate(other, locale))}</li>`;
  });
  return `<details class="others"><summary>${escapeText(locale.text("ledger.others"))}</summary><ul>${items.join("")}</ul></details>`;
}

/** The conditions under which a claim was published, in the reader's words. */
function conditionsOf({ conditions = {} }: Claim, locale: Locale): string {
  const items = Object.entries(conditions).map(([name, value]) => {
    const word = locale.has(`condition.${name}`) ? locale.text(`condition.${name}`) : name;
    const shown = typeof value === "number" ? ledgerNumber(value, locale) : typeof value === "boolean" ? locale.text(value ? "chart.table.yes" : "chart.table.no") : value;
    return `<li>${escapeText(`${word}: ${shown}`)}</li>`;
  });
  return items.length === 0 ? "" : `<details class="conditions"><summary>${escapeText(locale.text("ledger.conditions"))}</summary><ul>${items.join("")}</ul></details>`;
}

function samplesOf({ measured }: Verdict, locale: Locale, more: More | undefined): string {
  if (measured === undefined || more === undefined) return "";
  const files = measured.runs.flatMap((run) => more.samples(measured.experiment, run) ?? []);
  return files.map((href) => `<a class="samples"${attributes({ href })}>${escapeText(locale.text("ledger.samples"))}</a>`).join(" ");
}

/** The unit in words; nothing for a plain number. */
function unitWord(unit: string | null, locale: Locale): string {
  return unit === null ? "" : locale.has(`unit.${unit}`) ? locale.text(`unit.${unit}`) : unit;
}

/** The id of a claim's row in the ledger. */
export function claimAnchor(id: string): string {
  return `claim-${id.replaceAll(/[^A-Za-z0-9]+/g, "-")}`;
}
