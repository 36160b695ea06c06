import type { Claim } from "../claims/claim.js";
import { noteless, publishedValue } from "../claims/rules.js";
import type { Verdict } from "../claims/verdict.js";
import type { Estimate } from "../stats/estimate.js";
import type { Locale } from "./locale.js";
import type { LedgerWords } from "./setup.js";

/** A figure of the ledger: five digits where it counts instructions, three elsewhere. */
export function ledgerNumber(value: number, locale: Locale): string {
  return locale.number(value, { maximumSignificantDigits: Math.abs(value) >= 1000 ? 5 : 3 });
}

/** An estimate with its interval, `22,934 (22,910–22,950)`, or with the words that there is only one measurement. */
export function ledgerEstimate(estimate: Estimate, locale: Locale): string {
  const [value, low, high] = [estimate.value, estimate.low, estimate.high].map((number) => ledgerNumber(number, locale)) as [string, string, string];
  return locale.fill("format.with_interval", { value, interval: estimate.n === 1 ? locale.text("format.single") : locale.fill("format.interval", { low, high }) });
}

/** What was published, with "about", "less than" or "more than" in the reader's language; empty when the claim has no figure. */
export function publishedText(claim: Claim, locale: Locale, expected?: number): string {
  const value = expected ?? publishedValue(claim);
  if (Array.isArray(value)) return locale.fill("ledger.range", { low: ledgerNumber(value[0]!, locale), high: ledgerNumber(value[1]!, locale) });
  const text = typeof value === "number" ? ledgerNumber(value, locale) : String(value ?? "");
  const relation = claim.relation === undefined ? undefined : { "about": "about", "less than": "less", "more than": "more" }[claim.relation];
  return relation === undefined || text === "" ? text : locale.fill(`ledger.${relation}`, { "": text });
}

/** The reason of a verdict in the reader's language: the sentence of its rule, then the note of its measure. */
export function reasonText(verdict: Verdict, claim: Claim, words: LedgerWords, locale: Locale): string {
  const sentence = locale.fill(`reason.${verdict.cause}`, {
    found: verdict.measured === undefined ? "" : ledgerEstimate(verdict.measured, locale),
    said: publishedText(claim, locale, verdict.expected) || words.claim(claim),
    within: locale.number(verdict.allowed, { style: "percent", maximumFractionDigits: 1 }),
    detail: verdict.detail ?? "",
  });
  const note = words.note(claim.id);
  return note === undefined || noteless.includes(verdict.cause) ? sentence : `${sentence}; ${note}`;
}
