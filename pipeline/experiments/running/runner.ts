import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Fault } from "../../fault.js";
import type { Lab, Measurement, Placement } from "../../hosts/trial.js";
import type { Attempt, Basis, Failure } from "../../store/attempt.js";
import { appendLine, copyWhole, writeWhole } from "../../store/file.js";
import { Journal } from "../../store/journal.js";
import { takeLock } from "../../store/lock.js";
import { schemaVersion, type Fingerprint, type Manifest } from "../../store/manifest.js";
import { allRuns, createRun, finishRun, newRunId, samplesOf, type Run } from "../../store/run.js";
import { attemptKey, type Sample } from "../../store/sample.js";
import type { Profile } from "../experiment.js";
import { layOut, sha256, type Item, type Plan, type Request } from "./plan.js";
import { progressLine, type Progress } from "./progress.js";
import { State } from "./state.js";

/** What the manifest says of the machine and the sources; gathered only when a run begins. */
export interface Setting {
  readonly fingerprint: Fingerprint;
  readonly git: Manifest["git"];
}

export interface RunOptions {
  readonly requests: readonly Request[];
  readonly profile: Profile;
  readonly purpose: Manifest["purpose"];
  /** The command that was given, for the manifest. */
  readonly command: string;
  readonly lab: Lab;
  readonly setting: () => Promise<Setting>;
  /** Round r has seed `seed + r`. */
  readonly seed?: number;
  /** Emulated cells at once; as many as there are cores when left out. */
  readonly atOnce?: number;
  /** Measure again what failed in earlier runs. */
  readonly retry?: boolean;
  readonly signal?: AbortSignal;
  readonly tell?: (progress: Progress) => void;
}

/** What became of a command. */
export interface Outcome {
  /** `unchanged`: all that was asked for stands already, nothing was measured. */
  readonly state: "unchanged" | "begun" | "resumed";
  readonly run: Run;
  readonly plan: Plan;
  readonly measured: number;
  readonly adopted: number;
  readonly failed: number;
}

const defaultSeed = 1;

/**
 * Measures what is missing or stale: goes on with the newest unfinished run of the same plan, else begins a run if anything is
 * missing, else does nothing. Attempts of earlier finished runs on the same inputs are adopted, not measured again.
 *
 * @throws Fault with exit code 130 when `signal` aborts; the run stays and the same command goes on with it
 * @throws Fault when another process is measuring, a sample is damaged, the disk is full
 */
export async function measureMissing(options: RunOptions): Promise<Outcome> {
  const plan = await layOut(options.requests, options.lab, options.seed ?? defaultSeed);
  const runs = allRuns();
  const standing = runs.find((run) => run.finished && run.manifest.purpose === options.purpose && (options.purpose === "publication" || run.manifest.plan.digest === plan.digest));
  if (standing !== undefined && !wantsMore(plan, samplesOf(standing), options)) {
    return { state: "unchanged", run: standing, plan, measured: 0, adopted: 0, failed: 0 };
  }
  const release = takeLock(options.command);
  try {
    const unfinished = runs.find((run) => !run.finished && run.manifest.purpose === options.purpose && run.manifest.plan.digest === plan.digest && run.manifest.seed === (options.seed ?? defaultSeed));
    const run = unfinished ?? (await begin(options, plan, standing));
    const session = new Session(options, plan, run);
    try {
      if (unfinished === undefined) session.adopt(runs, standing);
      await session.measureAll();
    } finally {
      session.close();
      await options.lab.close?.();
    }
    return { state: unfinished === undefined ? "begun" : "resumed", run: finishRun(run, options.lab.now()), plan, ...session.counts() };
  } finally {
    release();
  }
}

function wantsMore(plan: Plan, samples: readonly Sample[], options: RunOptions): boolean {
  return new State(plan, usable(samples, options)).missing().length > 0;
}

const usable = (samples: readonly Sample[], options: RunOptions): readonly Sample[] => (options.retry === true ? samples.filter((s) => s.failed === undefined) : samples);

async function begin(options: RunOptions, plan: Plan, standing: Run | undefined): Promise<Run> {
  const { fingerprint, git } = await options.setting();
  const now = options.lab.now();
  const asked = options.requests.map(({ experiment }) => ({ id: experiment.id, version: experiment.version }));
  const carried = standing === undefined || options.purpose === "exploration" ? [] : standing.manifest.experiments.filter((e) => asked.every((a) => a.id !== e.id));
  return createRun({
    schema: schemaVersion,
    id: newRunId(now),
    startedAt: now.toISOString(),
    command: options.command,
    purpose: options.purpose,
    profile: options.profile,
    seed: options.seed ?? defaultSeed,
    experiments: [...asked, ...carried],
    plan: { digest: plan.digest, attempts: [...plan.native, ...plan.emulated].filter((item) => item.rule === undefined).length },
    unavailable: [...plan.unavailable, ...(standing?.manifest.unavailable ?? []).filter((u) => carried.some((c) => c.id === u.experiment))],
    git,
    fingerprint,
  });
}

/** One command's work on one run. */
class Session {
  readonly #options: RunOptions;
  readonly #plan: Plan;
  readonly #run: Run;
  readonly #state: State;
  readonly #journals = new Map<string, Journal>();
  readonly #seconds = new Map<string, number[]>();
  readonly #startedAt: number;
  #measured = 0;
  #adopted = 0;
  #failed = 0;

  constructor(options: RunOptions, plan: Plan, run: Run) {
    this.#options = options;
    this.#plan = plan;
    this.#run = run;
    this.#startedAt = options.lab.now().getTime();
    // Opening the journals first moves torn lines out of the way of what is read and written next.
    for (const { id } of run.manifest.experiments) this.#journals.set(id, new Journal(join(run.folder, "samples", `${id}.jsonl`)));
    const samples = samplesOf(run);
    this.#adopted = samples.filter((s) => s.adoptedFrom !== undefined).length;
    this.#state = new State(plan, samples);
  }

  /** Takes over what earlier finished runs measured on the same inputs, and whole experiments that were not asked for this time. */
  adopt(runs: readonly Run[], standing: Run | undefined): void {
    const items = [...this.#plan.native, ...this.#plan.emulated];
    const ids = [...new Set(items.map((item) => item.experiment.id))];
    for (const run of runs.filter((r) => r.finished)) {
      const wanted = new Set(items.filter((item) => !this.#state.stands(item)).map((item) => item.key));
      if (wanted.size === 0) break;
      this.#take(run, usable(samplesOf(run, ids), this.#options).filter((s) => wanted.has(attemptKey(s))));
    }
    const carried = this.#run.manifest.experiments.map((e) => e.id).filter((id) => this.#options.requests.every((r) => r.experiment.id !== id));
    if (standing !== undefined && carried.length > 0) this.#take(standing, samplesOf(standing, carried));
  }

  #take(from: Run, samples: readonly Sample[]): void {
    for (const [id, journal] of this.#journals) {
      const attempts = samples.filter((s) => s.experiment === id).map(({ run: _run, ranAs: _ranAs, ...attempt }) => ({ ...attempt, adoptedFrom: attempt.adoptedFrom ?? from.id }));
      for (const file of attempts.flatMap((a) => [a.histogram, a.profile])) {
        if (file !== undefined && existsSync(join(from.folder, file))) copyWhole(join(from.folder, file), join(this.#run.folder, file));
      }
      if (attempts.length > 0) journal.append(...attempts);
      for (const attempt of attempts) this.#state.add(attempt);
      this.#adopted += attempts.length;
    }
  }

  /** Native cells alone, one after the other; then emulated ones, as many at once as there are cores. */
  async measureAll(): Promise<void> {
    this.#tell();
    await this.#work(this.#plan.native, 1);
    await this.#work(this.#plan.emulated, this.#options.atOnce ?? availableParallelism());
  }

  async #work(items: readonly Item[], atOnce: number): Promise<void> {
    const stop = new AbortController();
    const signal = this.#options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, this.#options.signal]);
    // A failed attempt is tried once more at the end of its round, away from what may have disturbed it.
    const queue = items.map((item) => ({ item, line: item.round }));
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
        if (!this.#state.needs(next.item)) continue;
        const attempt = await this.#attempt(next.item, signal);
        if (attempt?.failed === undefined || this.#state.stands(next.item)) continue;
        const { line } = next;
        const after = queue.findIndex((other) => other.line > line);
        queue.splice(after < 0 ? queue.length : after, 0, next);
      }
    };
    const workers = Array.from({ length: Math.max(1, atOnce) }, () => worker().catch((error: unknown) => {
      stop.abort();
      throw error;
    }));
    const ends = await Promise.allSettled(workers);
    const broken = ends.find((end) => end.status === "rejected");
    if (broken !== undefined) throw broken.reason;
    if (this.#options.signal?.aborted === true) throw new Fault(`interrupted after ${this.#measured} attempts, which are kept in ${this.#run.folder}; the same command goes on from there`, 130);
  }

  /** Makes one attempt and writes it down, whole or failed; nothing when it was interrupted. */
  async #attempt(item: Item, signal: AbortSignal): Promise<Attempt | undefined> {
    const { lab } = this.#options;
    const at = lab.now();
    let measurement: Measurement | undefined;
    let failed: Failure | undefined;
    try {
      measurement = await lab.measure(item.trial, item.seed, signal);
      if (measurement.inputs !== item.promised) failed = { stage: "inputs", message: "programs or images changed while the run was going on; give the same command again" };
    } catch (error) {
      if (error instanceof Fault) throw error;
      failed = failureOf(error);
    }
    if (signal.aborted) return undefined;
    const attempt: Attempt = {
      experiment: item.experiment.id,
      cell: item.cell,
      round: item.round,
      seed: item.seed,
      order: item.order,
      at: at.toISOString(),
      durationSeconds: (lab.now().getTime() - at.getTime()) / 1000,
      inputs: item.inputs,
      basis: measurement?.basis ?? basisOf(item.trial.placement),
      metrics: failed === undefined ? measurement!.metrics : {},
      facts: { ...measurement?.facts, trial: item.promised },
      ...(failed === undefined ? this.#files(item, measurement!) : { failed }),
    };
    this.#journals.get(attempt.experiment)!.append(attempt);
    this.#state.add(attempt);
    this.#measured++;
    if (failed !== undefined) this.#failed++;
    this.#remember(item, attempt.durationSeconds);
    this.#tell(attempt);
    return attempt;
  }

  /** Histogram and profile lie beside the samples, written before the line that names them. */
  #files(item: Item, measurement: Measurement): { histogram?: string; profile?: string } {
    const name = `${item.experiment.id}-${sha256(item.key).slice(0, 16)}`;
    const files: { histogram?: string; profile?: string } = {};
    if (measurement.histogram !== undefined) {
      files.histogram = join("histograms", `${name}.hdr`);
      writeWhole(join(this.#run.folder, files.histogram), `${measurement.histogram}\n`);
    }
    if (measurement.profile !== undefined) {
      files.profile = join("profiles", `${name}.jsonl`);
      writeWhole(join(this.#run.folder, files.profile), measurement.profile.map((row) => `${JSON.stringify(row)}\n`).join(""));
    }
    return files;
  }

  #remember(item: Item, seconds: number): void {
    const kind = item.trial.placement.meter;
    (this.#seconds.get(kind) ?? this.#seconds.set(kind, []).get(kind)!).push(seconds);
  }

  #tell(attempt?: Attempt): void {
    const planned = this.#state.planned();
    const progress: Progress = {
      done: planned.filter((item) => this.#state.stands(item)).length,
      total: planned.length,
      adopted: this.#adopted,
      failed: this.#failed,
      elapsedSeconds: (this.#options.lab.now().getTime() - this.#startedAt) / 1000,
      secondsLeft: this.#secondsLeft(planned),
      ...(attempt === undefined ? {} : { attempt }),
    };
    appendLine(join(this.#run.folder, "logs", "run.log"), `${this.#options.lab.now().toISOString()} ${progressLine(progress)}`);
    this.#options.tell?.(progress);
  }

  #secondsLeft(planned: readonly Item[]): number {
    let left = 0;
    for (const item of planned.filter((i) => !this.#state.stands(i))) {
      const { meter } = item.trial.placement;
      const seen = this.#seconds.get(meter);
      const each = seen === undefined ? (meter === "emulator" ? 10 : 3) : seen.reduce((a, b) => a + b, 0) / seen.length;
      left += meter === "emulator" ? each / (this.#options.atOnce ?? availableParallelism()) : each;
    }
    return left;
  }

  counts(): { measured: number; adopted: number; failed: number } {
    return { measured: this.#measured, adopted: this.#adopted, failed: this.#failed };
  }

  close(): void {
    for (const journal of this.#journals.values()) journal.close();
  }
}

/** What a measurement under this placement rests on; asked for when it failed and could not say so itself. */
function basisOf(placement: Placement): Basis {
  switch (placement.meter) {
    case "emulator": return "emulated";
    case "model": return "simulated";
    case "wire": return placement.lab === "slowed" ? "dilated" : "native";
    default: return "native";
  }
}

function failureOf(error: unknown): Failure {
  const { stage, output, message, stack } = error as { stage?: string; output?: string; message?: string; stack?: string };
  // An error without a stage is not one that a host or a meter expected: its stack is what tells where to look.
  const tail = output ?? (stage === undefined ? stack : undefined);
  return { stage: stage ?? "measure", message: message ?? String(error), ...(tail === undefined || tail === "" ? {} : { output: tail.slice(-4000) }) };
}
