import accept from "../build/experiments/accept.js";
import type { Evidence } from "../build/claims/evidence.js";
import type { Gathered } from "../build/claims/gather.js";
import type { Sample } from "../build/stats/index.js";

/** Instructions per connection by server, one value for each seed. */
export type Counts = Readonly<Record<string, readonly number[]>>;

/** Attempts as the emulated meter would have left them, at the article's primary condition. */
export function samples(counts: Counts, levels: Readonly<Record<string, string | number>> = {}): Sample[] {
  return Object.entries(counts).flatMap(([server, values]) => values.map((value, round): Sample => ({
    experiment: "accept",
    cell: { server, meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal", silent: 0, ...levels },
    round,
    seed: round + 1,
    order: round,
    at: "2026-01-01T00:00:00Z",
    durationSeconds: 1,
    inputs: "0".repeat(64),
    basis: "emulated",
    metrics: { instructions: { value, unit: "instruction/connection", meter: "emulator" }, failed: { value: 0, unit: "1/connection", meter: "loader" } },
    facts: { path: `plain calls <${server}>` },
    run: "20260101T000000Z-test",
    ranAs: "standard",
  })));
}

export function evidence(attempts: readonly Sample[], run: string | undefined = "20260101T000000Z-test"): Evidence {
  return { run: attempts.length === 0 ? undefined : run, attempts, factors: { accept: accept.factors }, unavailable: [] };
}

/** Evidence as a run would give it, without a run on disk. */
export function gathered(counts: Counts): Gathered {
  return { run: undefined, evidence: evidence(samples(counts)) };
}

/** The engine needs a third of Go's instructions and fewer than epoll. */
export const wins: Counts = { go: [66_000, 66_060, 65_940], engine: [22_000, 22_010, 21_990], epoll: [23_000, 23_020, 22_980] };
/** The engine needs more than both. */
export const loses: Counts = { go: [20_000, 20_020, 19_980], engine: [25_000, 25_010, 24_990], epoll: [23_000, 23_020, 22_980] };
/** The engine's interval overlaps that of epoll, and its ratio to Go is off in size only. */
export const ties: Counts = { go: [46_000, 46_010, 45_990], engine: [23_000, 23_030, 22_970], epoll: [23_000, 23_020, 22_980] };
