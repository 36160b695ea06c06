import type { Estimate } from "../stats/estimate.js";
import type { Basis } from "../store/attempt.js";

export type VerdictWord =
  | "reproduced" | "direction" | "contradicted"
  | "holds" | "fails"
  | "not comparable" | "not measurable here" | "not yet measured";

/** Every verdict there is, in the order in which ledgers count them. */
export const verdictWords: readonly VerdictWord[] = [
  "reproduced", "holds", "direction", "contradicted", "fails", "not comparable", "not measurable here", "not yet measured",
];

/** A row of the ledger: a claim beside what was measured. */
export interface Verdict {
  readonly claim: string;
  readonly article: string;
  readonly verdict: VerdictWord;
  readonly basis?: Basis;
  readonly subject: "published code" | "own code" | "none";
  readonly measured?: Estimate;
  readonly others: readonly Estimate[];
  /** One sentence, in English; the article words it per locale from `cause`, `measured` and the claim. */
  readonly reason: string;
  /** The rule that decided, as a key for the words of a language: `interval.agrees`, `bound.violated`, `later`. */
  readonly cause: string;
  /** What the sentence names besides figures: a recorded fact, a rival. */
  readonly detail?: string;
  /** Relative: what the rule allowed around the published figure. */
  readonly allowed: number;
  /** For a check whose claim has no figure: what the expression had to come to. */
  readonly expected?: number;
}
