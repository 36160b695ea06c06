import { spawnSync } from "node:child_process";
import { TrialFailure } from "../hosts/failure.js";
import { observe, type Watch } from "../hosts/loopback.js";
import { nativeIdentity } from "../hosts/machine.js";
import { Program } from "../hosts/process.js";
import { isBench, type Availability, type LoopbackTrial, type Measurement } from "../hosts/trial.js";
import type { Reading } from "../store/attempt.js";
import { nativeInputs } from "./cputime.js";
import { pace, reportedReadings } from "./readings.js";

/** Events counted on the server: retired instructions, user and kernel apart. */
const events = ["instructions:u", "instructions:k"] as const;

/** One event of `perf stat`. `share` is the part of the time it was on the counter; below 1 perf has scaled the value up. */
export interface Count {
  readonly event: string;
  readonly value: number;
  readonly share: number;
}

/** A line of `perf stat` without a count, with the reason perf gave. */
export interface NotCounted {
  readonly event: string;
  readonly reason: string;
}

/**
 * Reads what `perf stat -x,` or `perf stat -j` wrote (perf-stat(1), "CSV FORMAT" and "JSON FORMAT"): for each event its count, or why
 * there is none. Lines of other text, such as warnings, are passed over.
 */
export function parsePerfStat(text: string): (Count | NotCounted)[] {
  return text.split("\n").flatMap((line) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return [];
    return trimmed.startsWith("{") ? jsonLine(trimmed) : csvLine(trimmed);
  });
}

function jsonLine(line: string): (Count | NotCounted)[] {
  let row: Record<string, unknown>;
  try {
    row = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return [];
  }
  const event = row["event"];
  return typeof event === "string" && event !== "" ? [count(event, String(row["counter-value"]), Number(row["pcnt-running"]))] : [];
}

/** `value,unit,event,run time,share,...` */
function csvLine(line: string): (Count | NotCounted)[] {
  const [value, , event, runTime, share] = line.split(",");
  if (value === undefined || event === undefined || event === "" || runTime === undefined || !/^(<.*>|[\d.]+)$/.test(value)) return [];
  return [count(event, value, Number(share))];
}

function count(event: string, value: string, percent: number): Count | NotCounted {
  const reason = /^<(.*)>$/.exec(value)?.[1];
  return reason === undefined ? { event, value: Number(value), share: percent / 100 } : { event, reason };
}

let known: Availability | undefined;

/** Whether perf can count instructions here: it must be installed, allowed, and the machine must have counters. Asked once. */
export function perfAvailable(): Availability {
  return (known ??= judge(spawnSync("perf", ["stat", "-x,", "-e", events.join(","), "--", "true"], { encoding: "utf8", timeout: 10_000, env: { ...process.env, LC_ALL: "C" } })));
}

/** What a trial of `perf stat` says about this machine. */
export function judge(trial: { readonly error?: Error | undefined; readonly status: number | null; readonly stderr: string }): Availability {
  const no = (reason: string, remedy: string): Availability => ({ available: false, reason, remedy });
  if (trial.error !== undefined) return no("perf is not installed", "install the package linux-perf, or use the meters emulator and cputime");
  const counts = parsePerfStat(trial.stderr);
  if (/paranoid|permission|not allowed|Operation not permitted/i.test(trial.stderr)) {
    return no("the kernel does not let this user count kernel instructions (kernel.perf_event_paranoid)", "sudo sysctl kernel.perf_event_paranoid=1, or run as root");
  }
  const missing = counts.find((c): c is NotCounted => "reason" in c);
  if (missing !== undefined) return no(`the machine has no hardware counter for ${missing.event} (${missing.reason}), as most virtual machines`, "use the meters emulator and cputime, or a machine with a PMU");
  if (trial.status !== 0 || counts.length < events.length) return no(`perf stat failed: ${trial.stderr.trim().split("\n").at(-1) ?? `exit code ${trial.status}`}`, "try 'perf stat -e instructions:u,instructions:k true'");
  return { available: true };
}

/**
 * Instructions of the server by hardware counters, user and kernel, over the whole load, divided by the connections it accepted.
 * Not tried on a machine with counters yet: its parser is tested on recorded output, its availability on this machine.
 */
export async function measurePerf(trial: LoopbackTrial, seed: number, signal: AbortSignal): Promise<Measurement> {
  if (isBench(trial)) throw new Error(`perf was given the bench ${trial.program.program}; it reads servers`);
  const inputs = nativeInputs(trial);
  const counter = new Counter();
  const { loader, server, cores } = await observe(trial, seed, counter, signal);
  if (loader.completed === 0) throw new TrialFailure("loader", "not one connection was completed", JSON.stringify(loader).slice(0, 1000));
  const [user, kernel] = events.map((event) => counter.value(event) / (trial.per === "request" ? server.replied : server.accepted));
  const reading = (value: number): Reading => ({ value, unit: `instruction/${trial.per}`, meter: "perf" });
  return {
    basis: "native",
    inputs,
    metrics: { ...reportedReadings(loader, server, trial.per), instructions: reading(user! + kernel!), instructions_user: reading(user!), instructions_kernel: reading(kernel!) },
    facts: { path: server.path, cores, pace: pace(loader), kernel: String(nativeIdentity()["kernel"]), counters: counter.share },
    ...(loader.histogram === undefined ? {} : { histogram: loader.histogram }),
  };
}

/** `perf stat` attached to the server; it prints when it is interrupted. */
class Counter implements Watch {
  #perf: Program | undefined;
  #counts: (Count | NotCounted)[] = [];

  async begin(pid: number, signal: AbortSignal): Promise<void> {
    this.#perf = new Program({ stage: "perf", path: "perf", arguments: ["stat", "-x,", "-e", events.join(","), "--pid", String(pid)], environment: { LC_ALL: "C" }, signal });
    // perf says nothing once it is attached; a quarter of a second is far more than it takes, and the loader starts after.
    const early = await Promise.race([this.#perf.ended, new Promise<undefined>((resolve) => setTimeout(resolve, 250))]);
    if (early !== undefined) throw new TrialFailure("perf", `perf stat ended at once: ${early.stderr.trim().split("\n").at(-1)}`, early.stderr);
  }

  async end(): Promise<void> {
    this.#perf!.kill("SIGINT");
    this.#counts = parsePerfStat((await this.#perf!.end(10)).stderr);
  }

  /** Whether perf had the counters all the time or scaled up what it saw. */
  get share(): string {
    const least = Math.min(...this.#counts.map((c) => ("share" in c ? c.share : 0)));
    return least >= 1 ? "counted all the time" : `scaled up by perf: counted ${Math.round(least * 100)} % of the time`;
  }

  value(event: string): number {
    const found = this.#counts.find((c) => c.event === event);
    if (found === undefined) throw new TrialFailure("perf", `perf stat printed no line for ${event}`);
    if ("reason" in found) throw new TrialFailure("perf", `perf stat did not count ${event}: ${found.reason}`);
    return found.value;
  }
}
