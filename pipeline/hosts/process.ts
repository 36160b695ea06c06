import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { TrialFailure } from "./failure.js";

/** How a program is started. */
export interface Launch {
  /** Names it in failures: `server`, `loader`. */
  readonly stage: string;
  readonly path: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Pins it, and whatever it starts, to this core. */
  readonly core?: number;
  /** The network namespace it is started in, by its name. */
  readonly namespace?: string;
  readonly signal: AbortSignal;
}

/** How a program ended, with all it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Output kept of each stream: more than any report, less than a runaway program prints. */
const keptBytes = 4 * 1024 * 1024;

/**
 * A program that runs as the head of a process group of its own, so that stopping it stops all it started, and that the kernel kills
 * when this process dies, be it by `kill -9`.
 */
export class Program {
  readonly #launch: Launch;
  readonly #child: ChildProcess;
  readonly ended: Promise<Ended>;
  #stdout = "";
  #stderr = "";
  readonly #onAbort = (): void => this.kill("SIGKILL");

  constructor(launch: Launch) {
    launch.signal.throwIfAborted();
    this.#launch = launch;
    const [command, ...words] = [...guard(), ...enter(launch.namespace), ...pin(launch.core), launch.path, ...launch.arguments];
    this.#child = spawn(command!, words, { detached: true, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...launch.environment } });
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => (this.#stdout = (this.#stdout + text).slice(-keptBytes)));
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => (this.#stderr = (this.#stderr + text).slice(-keptBytes)));
    launch.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", (error) => reject(new TrialFailure(launch.stage, `${launch.path} cannot be started: ${error.message}`)));
      this.#child.once("close", (code, signal) => resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr }));
    });
    // Whoever awaits `ended` gets the error; that nobody awaited it yet must not end the process.
    this.ended.catch(() => {}).finally(() => launch.signal.removeEventListener("abort", this.#onAbort));
  }

  /** The guards end in exec, so this is the program's own number. */
  get pid(): number {
    return this.#child.pid!;
  }

  get output(): string {
    return `${this.#stderr}${this.#stdout}`.slice(-4000);
  }

  /** Waits for a line on standard error. @throws TrialFailure when the program ends before, or prints none in time */
  async line(pattern: RegExp, seconds: number): Promise<void> {
    const late = Date.now() + seconds * 1000;
    let ended: Ended | undefined;
    void this.ended.then((end) => (ended = end), () => {});
    while (!pattern.test(this.#stderr)) {
      this.#launch.signal.throwIfAborted();
      if (ended !== undefined) throw new TrialFailure(this.#launch.stage, lastLine(this.#stderr) ?? `it ended with ${ending(ended)} before it was ready`, this.output);
      if (Date.now() > late) throw new TrialFailure(this.#launch.stage, `it was not ready within ${seconds} s`, this.output);
      await Promise.race([pause(10), this.ended.then(() => pause(0))]);
    }
  }

  /** Waits for the end. @throws TrialFailure when it does not come in time; the program is killed then */
  async end(seconds: number): Promise<Ended> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.kill("SIGKILL");
        reject(new TrialFailure(this.#launch.stage, `it did not end within ${seconds} s`, this.output));
      }, seconds * 1000);
    });
    try {
      return await Promise.race([this.ended, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // The group is gone already.
    }
  }
}

/** `exit code 2` or `signal SIGSEGV`. */
export const ending = (end: Ended): string => (end.signal === null ? `exit code ${end.code}` : `signal ${end.signal} (${constants.signals[end.signal]})`);

/** The last line with anything on it: where programs say what went wrong. */
export const lastLine = (text: string): string | undefined => text.trim().split("\n").at(-1) || undefined;

export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

let guardWords: readonly string[] | undefined;

function guard(): readonly string[] {
  return (guardWords ??= spawnSync("setpriv", ["--pdeathsig", "KILL", "true"]).status === 0 ? ["setpriv", "--pdeathsig", "KILL"] : []);
}

/** `ip netns exec` becomes the program, which so keeps its number and its guard. */
function enter(namespace: string | undefined): readonly string[] {
  return namespace === undefined ? [] : ["ip", "netns", "exec", namespace];
}

function pin(core: number | undefined): readonly string[] {
  return core === undefined ? [] : ["taskset", "--cpu-list", String(core)];
}
