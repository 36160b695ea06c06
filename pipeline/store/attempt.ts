/** Where a figure comes from: this machine, an emulated one, an emulated one with slowed clocks, or a model. */
export type Basis = "native" | "emulated" | "dilated" | "simulated";

/** One level for each factor of an experiment: `{ server: "epoll", kernel: "6.12", silent: 0 }`. */
export type Cell = Readonly<Record<string, string | number>>;

/** A SHA-256 in hex over everything that can change the outcome of a cell: programs, kernel, emulator, meter, experiment version. */
export type Digest = string;

/** One measured value. `unit` is one that mathjs parses with the units of `stats/units.ts`: `instruction/connection`, `ns/connection`. */
export interface Reading {
  readonly value: number;
  readonly unit: string;
  /** Who read it: `emulator`, `schedstat`, `cputime`, `perf`, `loader`, `server`, `kernel`. */
  readonly meter: string;
}

/** Why an attempt has no metrics: the stage that failed, one sentence, and the tail of what the programs printed. */
export interface Failure {
  readonly stage: string;
  readonly message: string;
  readonly output?: string;
}

/**
 * One line of `data/runs/RUN/samples/EXPERIMENT.jsonl`: one attempt at one cell, whole or failed, never changed once written.
 * Its schema is `data/schema/attempt.schema.json`.
 */
export interface Attempt {
  readonly experiment: string;
  readonly cell: Cell;
  /** Repeat of the cell, from 0. Rounds pair cells: ratios are taken within a round. */
  readonly round: number;
  /** Seeds the guest (start offset, addresses) or the native order; the same for all cells of a round. */
  readonly seed: number;
  /** Position in the run's random order, from 0. */
  readonly order: number;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly durationSeconds: number;
  readonly inputs: Digest;
  readonly basis: Basis;
  readonly metrics: Readonly<Record<string, Reading>>;
  /** Plain facts that are not numbers: the path the engine chose and why, the kernel's release, the digests behind `inputs`. */
  readonly facts: Readonly<Record<string, string>>;
  /** Path of the HDR histogram, relative to the run's folder. */
  readonly histogram?: string;
  /** Path of the profile by symbol, relative to the run's folder. */
  readonly profile?: string;
  readonly failed?: Failure;
  /** The run this attempt was measured in, when it was adopted from an earlier one. */
  readonly adoptedFrom?: string;
}
