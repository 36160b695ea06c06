import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { Fault } from "../fault.js";
import { inProject } from "../root.js";
import type { Digest } from "../store/attempt.js";
import { TrialFailure } from "./failure.js";
import { allowedCores, freePort } from "./machine.js";
import { ending, lastLine, Program, type Ended } from "./process.js";
import type { BenchReport, BenchTrial, Command, LoaderReport, ServerTrial } from "./trial.js";

/** What a server prints when it is told to stop. Counters it does not keep are left out. */
export interface ServerReport {
  readonly path: string;
  readonly accepted: number;
  readonly replied: number;
  readonly timed_out?: number;
  readonly refused?: number;
  readonly enters?: number;
  readonly completions?: number;
  readonly system_calls?: number;
  /** What the server's own runtime counted between the loader's two SIGUSR1. */
  readonly window?: ServerWindow;
}

/** A server's own counts over the loader's window. */
export interface ServerWindow {
  readonly requests: number;
  readonly seconds: number;
  readonly cpu_ns: number;
  /** Of the garbage collector; a runtime without one leaves them out. */
  readonly collections?: number;
  readonly pause_ns?: number;
  readonly allocations?: number;
  readonly allocated_bytes?: number;
}

/** Something that watches the server while the loader runs. */
export interface Watch {
  /** After the server is ready and before the loader starts. */
  begin(serverPid: number, signal: AbortSignal): Promise<void>;
  /** After the loader has ended and before the server is stopped. */
  end(): Promise<void>;
}

/** A trial's two reports, and how the cores were shared. */
export interface Observation {
  readonly loader: LoaderReport;
  readonly server: ServerReport;
  readonly cores: string;
}

/** Where a program of this machine lies. */
export const hostProgram = (name: string): string => inProject("native", "build", "host", name);

const digests = new Map<string, Digest>();

/**
 * SHA-256 of a program of this machine; read once for each time it was built.
 *
 * @throws Fault when it is not built
 */
export function programDigest(name: string): Digest {
  const path = hostProgram(name);
  let key: string;
  try {
    const { mtimeMs, size } = statSync(path);
    key = `${path} ${mtimeMs} ${size}`;
  } catch {
    throw new Fault(`${path}: the program is not built; run 'make setup', which also says what it lacks`);
  }
  const known = digests.get(key);
  if (known !== undefined) return known;
  const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
  digests.set(key, digest);
  return digest;
}

/**
 * Runs server and loader of a trial over the loopback of this machine, each pinned to a core of its own where there are two.
 * Nothing is left running, whatever happens.
 *
 * @throws TrialFailure naming the stage: `server`, `loader`, `report`
 */
export async function observe(trial: ServerTrial, seed: number, watch: Watch, signal: AbortSignal): Promise<Observation> {
  const cores = allowedCores();
  const [loaderCore, serverCore] = [cores[0]!, cores.at(-1)!];
  const port = await freePort();
  const server = start("server", trial.server, { port, seed }, serverCore, signal);
  try {
    await server.line(/^listening \d+/m, 10);
    await watch.begin(server.pid, signal);
    const loader = start("loader", trial.loader, { port, seed, "server-pid": server.pid }, loaderCore, signal);
    const loaded = await Promise.race([loader.end(trial.timeoutSeconds), diesFirst(server, loader)]);
    signal.throwIfAborted();
    await watch.end();
    if (loaded.code !== 0) throw new TrialFailure("loader", lastLine(loaded.stderr) ?? `it ended with ${ending(loaded)}`, loader.output);
    server.kill("SIGTERM");
    const served = await server.end(15);
    return {
      loader: report<LoaderReport>("loader", loaded, trial.loader.program),
      server: report<ServerReport>("server", served, trial.server.program),
      cores: cores.length > 1 ? `server on ${serverCore}, loader on ${loaderCore}` : "server and loader share one",
    };
  } finally {
    server.kill("SIGKILL");
    await server.ended.catch(() => {});
  }
}

/**
 * Runs a bench alone, pinned to the core that servers get.
 *
 * @throws TrialFailure naming the stage: `bench`, `report`
 */
export async function bench(trial: BenchTrial, seed: number, signal: AbortSignal): Promise<BenchReport> {
  const program = start("bench", trial.program, { seed }, allowedCores().at(-1)!, signal);
  const end = await program.end(trial.timeoutSeconds);
  signal.throwIfAborted();
  if (end.code !== 0) throw new TrialFailure("bench", lastLine(end.stderr) ?? `it ended with ${ending(end)}`, program.output);
  return report<BenchReport>("bench", end, trial.program.program);
}

function start(stage: string, command: Command, values: Readonly<Record<string, number>>, core: number, signal: AbortSignal): Program {
  const words = command.arguments.map((word) => word.replace(/^\{([a-z-]+)\}$/, (whole, name: string) => String(values[name] ?? whole)));
  return new Program({ stage, path: hostProgram(command.program), arguments: words, ...(command.environment === undefined ? {} : { environment: command.environment }), core, signal });
}

/** A server that ends under load fails the trial at once, not after the loader has given up. */
async function diesFirst(server: Program, loader: Program): Promise<never> {
  const end = await server.ended;
  loader.kill("SIGKILL");
  await loader.ended.catch(() => {});
  throw new TrialFailure("server", `it ended with ${ending(end)} under load`, server.output);
}

function report<T>(stage: string, end: Ended, program: string): T {
  const line = lastLine(end.stdout);
  try {
    return JSON.parse(line ?? "") as T;
  } catch {
    throw new TrialFailure("report", `${program} ended with ${ending(end)} and printed no report`, `${end.stderr}${end.stdout}`.slice(-4000));
  }
}
