import type { LoopbackTrial } from "../hosts/trial.js";
import type { Reading } from "../store/attempt.js";
import { measureEmulated, type EmulatorOptions } from "./emulator.js";

/** A stored measurement that must come out the same when it is booted again. */
export interface StoredCount {
  readonly trial: LoopbackTrial;
  readonly seed: number;
  readonly metrics: Readonly<Record<string, Reading>>;
}

/** One metric of a cell, as it was stored and as it came out again; undefined where one of the two has none. */
export interface Recount {
  readonly metric: string;
  readonly stored: number | undefined;
  readonly again: number | undefined;
  readonly unit: string;
}

/**
 * Boots each stored cell again, `concurrency` at a time, and compares every metric: all of them follow from the image and the seed,
 * times too, because guest time is the count of instructions. Gives, for each cell, the metrics in which the two differ.
 *
 * Throws a `TrialFailure` when a boot fails. The caller sees to it that the inputs are those of the stored measurement.
 */
export async function verify(cells: readonly StoredCount[], signal: AbortSignal, concurrency: number, options: EmulatorOptions = {}): Promise<Recount[][]> {
  const differences: Recount[][] = cells.map(() => []);
  const queue = cells.entries();
  const work = async (): Promise<void> => {
    for (const [index, { trial, seed, metrics }] of queue) differences[index] = compare(metrics, (await measureEmulated(trial, seed, signal, options)).metrics);
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work));
  return differences;
}

/** The metrics whose value or unit differ or that are gone. One that the meter has only learnt to read since was never stored, and moves nothing. */
export function compare(stored: StoredCount["metrics"], again: StoredCount["metrics"]): Recount[] {
  return Object.keys(stored)
    .filter((metric) => stored[metric]?.value !== again[metric]?.value || stored[metric]?.unit !== again[metric]?.unit)
    .map((metric) => ({ metric, stored: stored[metric]?.value, again: again[metric]?.value, unit: stored[metric]!.unit }));
}
