import { readLevels } from "../article/provenance.js";
import { answer, type Evidence } from "../claims/evidence.js";
import { readFormat, show } from "../article/format.js";
import type { Locale } from "../article/locale.js";
import { ledgerEstimate } from "../article/reason.js";
import type { Estimate } from "../stats/estimate.js";

/** A figure of a page that the samples do not give. */
export interface Mismatch {
  readonly file: string;
  /** The id of the popover that says where the figure comes from. */
  readonly figure: string;
  readonly shown: string;
  readonly computed: string;
}

/**
 * Computes every measured figure of a page again from the raw samples, from the expression that its popover shows, and compares value,
 * interval and n digit for digit; then writes each place in the text again in the page's language and compares the letters.
 *
 * @returns how many figures were compared, and those that differ
 */
export async function verifyPage(html: string, file: string, evidence: Evidence, locale: Locale): Promise<{ readonly compared: number; readonly mismatches: readonly Mismatch[] }> {
  const { JSDOM } = await import("jsdom");
  const { document } = new JSDOM(html).window;
  const mismatches: Mismatch[] = [];
  const estimates = new Map<string, Estimate>();
  for (const popover of document.querySelectorAll<HTMLElement>(".origin")) {
    const text = (selector: string): string => popover.querySelector(selector)?.textContent ?? "";
    const shown = [...popover.querySelectorAll("data")].map((data) => data.getAttribute("value")).join(" ");
    const result = answer(evidence, popover.dataset["experiment"] ?? "", text(".expression"), readLevels(text(".levels")));
    const computed = "missing" in result ? result.missing : [result.estimate.value, result.estimate.low, result.estimate.high, result.estimate.n].join(" ");
    if ("estimate" in result) estimates.set(popover.id, result.estimate);
    if (shown !== computed) mismatches.push({ file, figure: popover.id, shown, computed });
  }
  const places = [...document.querySelectorAll<HTMLButtonElement>("button.figure")];
  for (const place of places) {
    const figure = place.getAttribute("popovertarget") ?? "";
    const estimate = estimates.get(figure);
    const shown = place.textContent ?? "";
    const computed = estimate === undefined ? undefined : texts(estimate, place, locale);
    if (computed !== undefined && computed !== shown) mismatches.push({ file, figure, shown, computed });
    if (document.getElementById(figure) === null) mismatches.push({ file, figure, shown, computed: "the page does not say where it comes from" });
  }
  return { compared: estimates.size + places.length, mismatches };
}

/** What must stand at a place: the estimate, or the part of it that the value names, in the place's format. Names of levels are compared by their estimates. */
function texts(estimate: Estimate, place: HTMLButtonElement, locale: Locale): string | undefined {
  const wanted = place.dataset["format"] ?? "";
  if (wanted === "ledger") return ledgerEstimate(estimate, locale);
  const format = readFormat(wanted);
  if (format === undefined || format.name === "name") return undefined;
  const value = Number(place.getAttribute("value"));
  if (![estimate.value, estimate.low, estimate.high, estimate.n].includes(value)) return `${estimate.value}`;
  const located = value === estimate.value ? { value, low: estimate.low, high: estimate.high } : { value };
  const { number, interval } = show(located, format.name === "text" ? { ...format, name: "number" } : format, locale);
  return interval === "" ? number : locale.fill("format.with_interval", { value: number, interval });
}
