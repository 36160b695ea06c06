import type { Claim } from "../claims/claim.js";
import { claimAnchor } from "./directives.js";
import type { Figures, Provenance } from "./figures.js";
import { meterWord } from "./figures.js";
import { escapeHtml } from "./html.js";
import type { Estimate } from "../stats/estimate.js";
import type { Locale } from "./locale.js";
import { ledgerNumber } from "./reason.js";

/** The table at the end of a page: every distinct figure, where it comes from, and the command that measures it again. */
export function provenanceTable(figures: Figures, claims: readonly Claim[], locale: Locale): string {
  const known = new Set(claims.map((claim) => claim.id));
  const word = (key: string): string => escapeHtml(locale.text(`provenance.${key}`));
  const head = ["figure", "origin", "interval", "repeats", "run", "command"].map((key) => `<th scope="col">${word(key)}</th>`).join("");
  const body = figures.provenance.map((figure) => row(figure, known, locale)).join("\n");
  return `<section id="figures" class="provenance">
<h2>${word("title")}</h2>
<details><summary>${word("intro")}</summary>
<div class="scroll"><table class="figures"><thead><tr>${head}</tr></thead><tbody>
${body}
</tbody></table></div></details>
</section>`;
}

function row({ shown, origin, places }: Provenance, claims: ReadonlySet<string>, locale: Locale): string {
  const first = `<th scope="row"><a href="#${places[0]!}">${escapeHtml(shown)}</a></th>`;
  const word = escapeHtml(locale.text(`provenance.${origin.kind}`));
  const claim = "claim" in origin && origin.claim !== undefined && claims.has(origin.claim) ? ` <a href="#${claimAnchor(origin.claim)}"><code>${escapeHtml(origin.claim)}</code></a>` : "";
  if (origin.kind !== "measured") {
    const what = origin.kind === "computed" ? ` <code>${escapeHtml(origin.expression)}</code>` : origin.kind === "fact" ? ` <code>${escapeHtml(origin.name)}</code>` : claim;
    return `<tr>${first}<td>${word}${what}</td><td></td><td></td><td>${origin.kind === "fact" ? escapeHtml(origin.run) : ""}</td><td></td></tr>`;
  }
  const { estimate } = origin;
  const interval = locale.fill("format.interval", { low: ledgerNumber(estimate.low, locale), high: ledgerNumber(estimate.high, locale) });
  const level = locale.number(estimate.level, { style: "percent" });
  const how = `${word}${claim} <code>${escapeHtml(source(estimate))}</code>, ${escapeHtml(meterWord(estimate.meter, locale))}, ${escapeHtml(locale.text(`basis.${estimate.basis}`))}`;
  const cells = [how, `${escapeHtml(interval)} <span class="level" title="${escapeHtml(estimate.method)}">${escapeHtml(locale.fill("provenance.level", { percent: level }))}</span>`, String(estimate.n), escapeHtml(estimate.runs.join(", ")), `<code>${escapeHtml(estimate.command)}</code>`];
  return `<tr>${first}${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

/** The expression that an estimate came from, with the levels it leaves open. */
function source({ metric, factors }: Estimate): string {
  const levels = Object.entries(factors).map(([factor, level]) => `${factor}=${JSON.stringify(level)}`).join(", ");
  return /^\w+$/.test(metric) ? `${metric}(${levels})` : metric;
}
