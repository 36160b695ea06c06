import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";

export type Profile = "quick" | "standard" | "full";

/** The levels of each factor, in the order they are shown. */
export type Factors = Readonly<Record<string, readonly (string | number)[]>>;

/** Part of a plan: the cells that are the product of `levels`, each in rounds 0 .. rounds - 1. */
export interface Block {
  readonly levels: Factors;
  /** Rounds (native) or seeds (emulated). */
  readonly rounds: number;
  /** Native only: after `rounds`, go on to at most this many until the interval's half width of `metric` is within `within` of its value. */
  readonly until?: { readonly metric: string; readonly within: number; readonly rounds: number };
}

/** A question that measurement answers. One file in `pipeline/experiments/` exports one of these as default. */
export interface Experiment {
  /** Also the name of the notebook and of the file of samples. */
  readonly id: string;
  /** Raise when the meaning of a cell changes: it is part of the digest of inputs. */
  readonly version: number;
  readonly question: string;
  readonly factors: Factors;
  readonly profiles: Readonly<Record<Profile, readonly Block[]>>;
  /** How one cell is run. Pure: the same cell gives the same trial. */
  trial(cell: Cell): Trial;
}
