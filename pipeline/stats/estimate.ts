import type { Basis } from "../store/attempt.js";

/** A location with its interval, computed from samples. `low <= value <= high` always holds. */
export interface Estimate {
  readonly experiment: string;
  /** A metric's name, or the expression that was evaluated round by round. */
  readonly metric: string;
  readonly factors: Readonly<Record<string, string | number>>;
  /** `median`, `mean`, `mean of round ratios`, ... */
  readonly statistic: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Confidence level: 0.95 of a bootstrap, 0.75 of the range of three seeds, 0 of one value. */
  readonly level: number;
  /** How the interval was made: `bootstrap over rounds`, `range of seeds`. */
  readonly method: string;
  /** Rounds or seeds, never connections. */
  readonly n: number;
  readonly unit: string;
  readonly meter: string;
  readonly basis: Basis;
  readonly runs: readonly string[];
  /** The command that measures it again. */
  readonly command: string;
}
