import type { Estimate } from "../stats/estimate.js";
import type { Claim, Measure } from "./claim.js";
import type { VerdictWord } from "./verdict.js";

/** What a rule found: the verdict, which rule, and a word of detail for the sentence. */
export interface Finding {
  readonly verdict: VerdictWord;
  readonly cause: string;
  readonly detail?: string;
}

/** Counts per connection carry the window's edges (6,144 connections, 512 in flight): a count is exact within one percent. */
const exactTolerance = 0.01;
/** "About two": what an exact claim with `relation: about` allows when it names no tolerance. */
const aboutTolerance = 0.1;

/** Applies the claim's comparator to an estimate. */
export function compare(claim: Claim, measure: Pick<Measure, "pivot" | "expects">, estimate: Estimate): Finding {
  // What is promised without a figure is bound to no hardware.
  if (claim.comparator === "open") return { verdict: "not comparable", cause: "open" };
  if (!claim.comparable) return { verdict: "not comparable", cause: "hardware" };
  switch (claim.comparator) {
    case "interval":
    case "range": return inBand(claim, measure, estimate);
    case "bound": return bounded(claim, estimate);
    case "exact": return meets(published(claim, exactBand(claim)), estimate)
      ? { verdict: "reproduced", cause: "exact.agrees" } : { verdict: "contradicted", cause: "exact.differs" };
    case "order": return ordered(claim, measure, estimate);
    case "check": return checked(claim, measure, estimate);
    case "optimum":
    case "none": throw new Error(`${claim.id}: the comparator ${claim.comparator} takes no single estimate`);
  }
}

/** What a claim's comparator allows around the published figure, relative. */
export function allowance(claim: Claim): number {
  return claim.comparator === "exact" || claim.comparator === "check" ? exactBand(claim) : claim.tolerance ?? 0;
}

/** The published figure: a number, a range, a version, or nothing. */
export function publishedValue(claim: Claim): number | string | readonly [number, number] | undefined {
  return claim.range ?? claim.value ?? claim.expect;
}

const exactBand = (claim: Claim): number => claim.tolerance ?? (claim.relation === "about" ? aboutTolerance : exactTolerance);

/** The published figure widened by a relative tolerance: [low, high], in the claim's unit. */
function published(claim: Claim, tolerance: number): readonly [number, number] {
  const [low, high] = claim.range ?? [Number(claim.value), Number(claim.value)];
  return [low - Math.abs(low) * tolerance, high + Math.abs(high) * tolerance];
}

const meets = ([low, high]: readonly [number, number], estimate: Estimate): boolean => estimate.low <= high && estimate.high >= low;

/** On which side of the pivot the whole interval lies; 0 when it holds the pivot. */
const side = (low: number, high: number, pivot: number): -1 | 0 | 1 => (low > pivot ? 1 : high < pivot ? -1 : 0);

function pivotOf(claim: Claim, measure: Pick<Measure, "pivot">): number | undefined {
  return measure.pivot ?? (claim.kind === "ratio" ? 1 : claim.kind === "direction" ? 0 : undefined);
}

function inBand(claim: Claim, measure: Pick<Measure, "pivot">, estimate: Estimate): Finding {
  if (meets(published(claim, claim.tolerance ?? 0), estimate)) return { verdict: "reproduced", cause: "interval.agrees" };
  const pivot = pivotOf(claim, measure);
  if (pivot === undefined) return { verdict: "contradicted", cause: "interval.differs" };
  const ours = side(estimate.low, estimate.high, pivot);
  if (ours === 0) return { verdict: "contradicted", cause: "interval.tied" };
  const [low, high] = published(claim, 0);
  return ours === side(low, high, pivot) ? { verdict: "direction", cause: "interval.direction" } : { verdict: "contradicted", cause: "interval.opposite" };
}

/** A check has a figure of its own or one that its measure expects; with neither nothing could fail, so nothing is said to hold. */
function checked(claim: Claim, measure: Pick<Measure, "expects">, estimate: Estimate): Finding {
  const value = measure.expects ?? claim.value;
  if (typeof value !== "number") return { verdict: "not yet measured", cause: "no-test" };
  return meets(published({ ...claim, value }, exactBand(claim)), estimate) ? { verdict: "holds", cause: "check.agrees" } : { verdict: "fails", cause: "check.differs" };
}

/** `less than` or `more than` a value: the whole interval, or only the middle of it, or not. */
function bounded(claim: Claim, estimate: Estimate): Finding {
  const bound = Number(claim.value);
  const less = claim.relation === "less than";
  if (less ? estimate.high < bound : estimate.low > bound) return { verdict: "reproduced", cause: "bound.kept" };
  if (less ? estimate.value < bound : estimate.value > bound) return { verdict: "direction", cause: "bound.unsure" };
  return { verdict: "contradicted", cause: "bound.broken" };
}

/** The published order is that the expression lies above its pivot: a difference above 0, a ratio above 1. */
function ordered(claim: Claim, measure: Pick<Measure, "pivot">, estimate: Estimate): Finding {
  const ours = side(estimate.low, estimate.high, pivotOf(claim, measure) ?? 0);
  if (ours > 0) return { verdict: "reproduced", cause: "order.agrees" };
  return ours === 0 ? { verdict: "contradicted", cause: "order.tied" } : { verdict: "contradicted", cause: "order.opposite" };
}

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;

/** A figure in English: five digits where it counts thousands, three elsewhere. */
export function figure(value: number): string {
  return new Intl.NumberFormat("en", { maximumSignificantDigits: Math.abs(value) >= 1000 ? 5 : 3 }).format(value);
}

/** An estimate with its interval, in English. */
export function located({ value, low, high }: Pick<Estimate, "value" | "low" | "high">): string {
  return `${figure(value)} (${figure(low)} to ${figure(high)})`;
}

/** What was published, in English: `about 6`, `2 to 3`; empty for a claim without a figure. */
export function publishedWords(claim: Claim): string {
  const value = publishedValue(claim);
  const text = typeof value === "object" ? value.map(figure).join(" to ") : typeof value === "number" ? figure(value) : value ?? "";
  return claim.relation === undefined || text === "" ? text : `${claim.relation} ${text}`;
}


/** Where nothing was measured, what the measurement rests on is no reason. */
export const noteless: readonly string[] = ["no-test", "no-fact", "missing", "failed"];

/** The reason in English, one sentence, from the rule that decided and the figures it saw. */
export function sentence(finding: Finding, claim: Claim, measured: Estimate | undefined, measure: Measure): string {
  const { detail = "" } = finding;
  const said = measure.expects === undefined ? publishedWords(claim) || "what was published" : figure(measure.expects);
  const found = measured ? located(measured) : "";
  const within = percent(allowance(claim));
  const texts: Record<string, string> = {
    "anecdote": "it tells what happened once, and cannot be measured again",
    "impossible": "nothing that can be run here would show it",
    "later": `the experiment that measures it, ${measure.experiment}, comes later`,
    "no-test": "no experiment tests it yet",
    "no-fact": `no whole attempt has recorded its ${detail}`,
    "missing": detail,
    "failed": `it was tried and could not be measured: ${detail}`,
    "hardware": `${found} here; the published ${said} is bound to its own hardware, so the two stand side by side`,
    "open": `${found} here; the source promises it without a figure`,
    "interval.agrees": `${found} meets the published ${said} within ${within}`,
    "interval.direction": `${found} lies on the same side as the published ${said}, but not within ${within} of it`,
    "interval.differs": `${found} is not within ${within} of the published ${said}`,
    "interval.tied": `${found} shows no difference at all, where ${said} was published`,
    "interval.opposite": `${found} lies on the other side of no difference than the published ${said}`,
    "exact.agrees": `${found} is the published ${said} within ${within}`,
    "exact.differs": `${found} is not the published ${said}, within ${within}`,
    "check.agrees": `${found} was measured, and ${said} is what it must be`,
    "check.differs": `${found} was measured, where it must be ${said}`,
    "fact.for": `every attempt recorded "${detail}"`,
    "fact.against": `an attempt recorded "${detail}"`,
    "bound.kept": `${found} keeps the bound, ${said}`,
    "bound.unsure": `${found} has its middle but not its whole interval within the bound, ${said}`,
    "bound.broken": `${found} breaks the bound, ${said}`,
    "order.agrees": `${found} shows the published order`,
    "order.tied": `${found} shows no order`,
    "order.opposite": `${found} shows the opposite order`,
    "best.agrees": `${detail} is the best of those measured, as published`,
    "best.tied": `${said} cannot be told from ${detail}`,
    "best.other": `${detail} is better than ${said}`,
  };
  const text = texts[finding.cause];
  if (text === undefined) throw new Error(`no sentence for the cause ${finding.cause}`);
  return measure.note === undefined || noteless.includes(finding.cause) ? text : `${text}; ${measure.note}`;
}
