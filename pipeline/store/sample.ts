import type { Attempt, Cell } from "./attempt.js";

/** An attempt as the store reads it back: with the run that holds it and that run's profile. */
export interface Sample extends Attempt {
  readonly run?: string;
  readonly ranAs?: string;
}

/** One text for one cell, whatever the order of its factors. */
export function cellKey(cell: Cell): string {
  return JSON.stringify(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What makes two attempts the same measurement: under the same key an attempt may be reused instead of measured again. */
export function attemptKey(attempt: Pick<Attempt, "experiment" | "cell" | "seed" | "inputs">): string {
  return `${attempt.experiment} ${cellKey(attempt.cell)} ${attempt.seed} ${attempt.inputs}`;
}
