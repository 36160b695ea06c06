import { cellKey, type Sample } from "../store/sample.js";
import type { Estimate } from "./estimate.js";
import { interval } from "./interval.js";
import { commandFor, distinct, measuredIn, repeats } from "./provenance.js";

/**
 * One estimate for each cell and metric: the median over its rounds or seeds with an interval. Failed attempts carry no metrics and
 * count for nothing here; of two whole attempts at one round the last stands.
 */
export function cellEstimates(attempts: readonly Sample[]): Estimate[] {
  const estimates: Estimate[] = [];
  for (const samples of byCell(attempts).values()) {
    for (const metric of distinct(samples.flatMap((s) => Object.keys(s.metrics)))) {
      const read = samples.filter((s) => s.metrics[metric] !== undefined);
      const first = read[0]!;
      const { unit } = first.metrics[metric]!;
      estimates.push({
        experiment: first.experiment,
        metric,
        factors: first.cell,
        statistic: "median",
        ...interval(read.map((s) => s.metrics[metric]!.value), repeats(first.basis)),
        n: read.length,
        unit,
        meter: distinct(read.map((s) => s.metrics[metric]!.meter)).join(", "),
        basis: first.basis,
        runs: distinct(read.map(measuredIn)),
        command: commandFor(read),
      });
    }
  }
  return estimates;
}

function byCell(attempts: readonly Sample[]): Map<string, Sample[]> {
  const rounds = new Map<string, Map<number, Sample>>();
  for (const sample of attempts) {
    if (sample.failed !== undefined) continue;
    const key = `${sample.experiment} ${cellKey(sample.cell)}`;
    (rounds.get(key) ?? rounds.set(key, new Map()).get(key)!).set(sample.round, sample);
  }
  return new Map([...rounds].map(([key, samples]) => [key, [...samples.values()].sort((a, b) => a.round - b.round)]));
}
