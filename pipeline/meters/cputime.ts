import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { TrialFailure } from "../hosts/failure.js";
import { observe, programDigest, type Watch } from "../hosts/loopback.js";
import { nativeIdentity } from "../hosts/machine.js";
import type { Availability, Measurement, Trial } from "../hosts/trial.js";
import type { Digest, Reading } from "../store/attempt.js";
import { digestOf } from "./digest.js";
import { pace, reportedReadings } from "./readings.js";

/** The meter reads /proc, which every Linux has. */
export function cputimeAvailable(): Availability {
  if (process.platform === "linux") return { available: true };
  return { available: false, reason: `the cputime meter reads /proc, which ${process.platform} lacks`, remedy: "run on Linux" };
}

/** Digest of all that a native figure depends on: the two programs, their arguments, and the machine. */
export function nativeInputs(trial: Trial): Digest {
  const { timeoutSeconds: _, ...rest } = trial;
  return digestOf({ ...rest, programs: { server: programDigest(trial.server.program), loader: programDigest(trial.loader.program) }, machine: nativeIdentity() });
}

/**
 * CPU time of the server by two clocks: `schedstat_time`, which the loader reads at the edges of its window, and `cpu_time`, the
 * process clock over the whole load. On a kernel without fine accounting the first moves in steps of a tick (4 ms at 250 Hz), the
 * second always in steps of 10 ms: the experiment's windows are long for that reason.
 */
export async function measureCputime(trial: Trial, seed: number, signal: AbortSignal): Promise<Measurement> {
  const inputs = nativeInputs(trial);
  const clock = new ProcessClock();
  const { loader, server, cores } = await observe(trial, seed, clock, signal);
  if (loader.completed === 0) throw new TrialFailure("loader", "not one connection was completed", JSON.stringify(loader).slice(0, 1000));
  const metrics: Record<string, Reading> = {
    ...reportedReadings(loader, server, trial.per),
    cpu_time: { value: clock.nanoseconds / server.accepted, unit: `ns/${trial.per}`, meter: "cputime" },
  };
  return {
    basis: "native",
    inputs,
    metrics,
    facts: { path: server.path, cores, pace: pace(loader), kernel: String(nativeIdentity()["kernel"]) },
    ...(loader.histogram === undefined ? {} : { histogram: loader.histogram }),
  };
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
