import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { TrialFailure } from "../hosts/failure.js";
import { bench, observe, programDigest, type Watch } from "../hosts/loopback.js";
import { nativeIdentity } from "../hosts/machine.js";
import { isBench, type Availability, type BenchTrial, type LoopbackTrial, type Measurement } from "../hosts/trial.js";
import type { Digest, Reading } from "../store/attempt.js";
import { digestOf } from "./digest.js";
import { benchReadings, pace, reportedReadings } from "./readings.js";

/** The meter reads /proc, which every Linux has. */
export function cputimeAvailable(): Availability {
  if (process.platform === "linux") return { available: true };
  return { available: false, reason: `the cputime meter reads /proc, which ${process.platform} lacks`, remedy: "run on Linux" };
}

/** Digest of all that a native figure depends on: the programs, their arguments, and the machine. */
export function nativeInputs(trial: LoopbackTrial): Digest {
  const { timeoutSeconds: _, ...rest } = trial;
  const commands = isBench(trial) ? { bench: trial.program } : { server: trial.server, loader: trial.loader };
  const programs = Object.fromEntries(Object.entries(commands).flatMap(([name, { program, starts = [] }]) => [[name, programDigest(program)], ...starts.map((other) => [other, programDigest(other)])]));
  return digestOf({ ...rest, programs, machine: nativeIdentity() });
}

/**
 * CPU time of the server by two clocks: `schedstat_time`, which the loader reads at the edges of its window, and `cpu_time`, the
 * process clock over the whole load. On a kernel without fine accounting the first moves in steps of a tick (4 ms at 250 Hz), the
 * second always in steps of 10 ms: the experiment's windows are long for that reason. A bench reads its own clocks.
 */
export async function measureCputime(trial: LoopbackTrial, seed: number, signal: AbortSignal): Promise<Measurement> {
  if (isBench(trial)) return measureBench(trial, seed, signal);
  const inputs = nativeInputs(trial);
  const clock = new ProcessClock();
  const { loader, server, cores } = await observe(trial, seed, clock, signal);
  if (loader.completed === 0) throw new TrialFailure("loader", "not one connection was completed", JSON.stringify(loader).slice(0, 1000));
  const metrics: Record<string, Reading> = {
    // A server that reads its own clock at the window's edges is more exact, and its reading stands.
    cpu_time: { value: clock.nanoseconds / (trial.per === "request" ? server.replied : server.accepted), unit: `ns/${trial.per}`, meter: "cputime" },
    ...reportedReadings(loader, server, trial.per),
  };
  return {
    basis: "native",
    inputs,
    metrics,
    facts: { path: server.path, cores, pace: pace(loader), kernel: String(nativeIdentity()["kernel"]) },
    ...(loader.histogram === undefined ? {} : { histogram: loader.histogram }),
  };
}

/** A program alone, by the clocks and counts that it reads at the edges of its own window. */
async function measureBench(trial: BenchTrial, seed: number, signal: AbortSignal): Promise<Measurement> {
  const inputs = nativeInputs(trial);
  const report = await bench(trial, seed, signal);
  if (!(report.operations > 0)) throw new TrialFailure("bench", "not one operation was done", JSON.stringify(report).slice(0, 1000));
  return { basis: "native", inputs, metrics: benchReadings(report), facts: { ...report.facts, path: report.path, kernel: String(nativeIdentity()["kernel"]) } };
}

let tick: number | undefined;

/** Length of the tick in which /proc/PID/stat counts, in nanoseconds. */
function tickNanoseconds(): number {
  return (tick ??= 1e9 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" })));
}

/** User and system time of a process, its ended threads included, from /proc/PID/stat (proc(5), fields 14 and 15). */
class ProcessClock implements Watch {
  #pid = 0;
  #before = 0;
  nanoseconds = 0;

  async begin(pid: number): Promise<void> {
    this.#pid = pid;
    this.#before = this.#read();
  }

  async end(): Promise<void> {
    this.nanoseconds = this.#read() - this.#before;
  }

  #read(): number {
    const stat = readFileSync(`/proc/${this.#pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * tickNanoseconds();
  }
}
