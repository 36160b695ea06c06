import ablation from "../../build/experiments/ablation.js";
import kernels from "../../build/experiments/kernels.js";
import type { Gathered } from "../../build/claims/gather.js";
import type { Attempt } from "../../build/store/attempt.js";
import { ablationRows, acceptRows, chainRows, kernelsRows } from "./rows.ts";

/** The invented estimates as an invented run of three rounds, so that whole pages can be built from them. */
export function inventedRun(): Gathered {
  const cells = new Map<string, Attempt[]>();
  for (const row of [...acceptRows, ...chainRows, ...ablationRows, ...kernelsRows]) for (const round of [0, 1, 2]) {
    const key = JSON.stringify([row.experiment, row.factors]);
    const attempts = cells.get(key) ?? [];
    cells.set(key, attempts);
    const before = attempts[round];
    const reading = { value: row.value * (1 + (round - 1) * 0.002), unit: row.unit, meter: row.meter };
    attempts[round] = {
      experiment: row.experiment, cell: row.factors, round, seed: round, order: round, at: "2026-01-01T00:00:00Z", durationSeconds: 1, inputs: "0".repeat(64), basis: row.basis,
      facts: { path: "an invented path" }, metrics: { ...before?.metrics, [row.metric]: reading },
    };
  }
  const attempts = [...cells.values()].flat();
  const levels = (experiment: string): Record<string, (string | number)[]> => {
    const own = attempts.filter((attempt) => attempt.experiment === experiment);
    return Object.fromEntries([...new Set(own.flatMap((attempt) => Object.keys(attempt.cell)))].map((factor) => [factor, [...new Set(own.flatMap((attempt) => attempt.cell[factor] ?? []))]]));
  };
  const run = { id: "invented", folder: "/invented", manifest: { startedAt: "2026-01-01T00:00:00Z", fingerprint: { cpu: "An invented processor", kernel: "6.12" } } };
  return { run, evidence: { run: run.id, attempts, factors: { accept: levels("accept"), chain: levels("chain"), ablation: ablation.factors, kernels: kernels.factors }, unavailable: [] } } as unknown as Gathered;
}

/** A run in which nothing was measured. */
export function nothing(): Gathered {
  const { evidence } = inventedRun();
  return { run: undefined, evidence: { ...evidence, run: undefined, attempts: [] } };
}
