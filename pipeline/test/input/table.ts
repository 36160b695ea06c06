// An experiment and a lab that answers from a table, shared by the tests of the runner and by the process they kill.
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Block, Experiment } from "../../build/experiments/experiment.js";
import { measureMissing, type Outcome, type RunOptions } from "../../build/experiments/running/runner.js";
import type { Lab, Measurement, Trial } from "../../build/hosts/trial.js";
import type { Reading } from "../../build/store/attempt.js";
import { fingerprint } from "../../build/hosts/machine.js";

export const servers = ["go", "epoll", "engine"];
export const emulated: Block = { levels: { server: servers, meter: ["emulator"], kernel: ["6.1", "6.12"] }, rounds: 2 };
export const native: Block = { levels: { server: servers, meter: ["cputime"], kernel: ["host"] }, rounds: 2 };

export function experiment(blocks: readonly Block[] = [emulated, native], id = "table", version = 1): Experiment {
  return {
    id, version, question: "?", factors: { server: servers, meter: ["emulator", "cputime", "perf"], kernel: ["6.1", "6.12", "host"] },
    profiles: { quick: blocks, standard: blocks, full: blocks },
    trial: (cell): Trial => ({
      placement: cell["meter"] === "emulator" ? { meter: "emulator", kernel: String(cell["kernel"]), architecture: "amd64", scheduling: "equal" } : { meter: cell["meter"] as "cputime" | "perf" },
      server: { program: String(cell["server"]), arguments: [] }, loader: { program: "load", arguments: [] }, per: "connection", timeoutSeconds: 1,
    }),
  };
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

export interface Table {
  /** Changes the digest of this server's inputs. */
  builds?: Record<string, number>;
  /** Called before each measurement; throws to fail it. */
  before?: (trial: Trial, seed: number) => void | Promise<void>;
  milliseconds?: number;
  noEmulator?: boolean;
  /** Value of a native reading; by default close to 1000. */
  value?: (trial: Trial, seed: number) => number;
  /** All readings, in place of the one. */
  metrics?: (trial: Trial, seed: number) => Record<string, Reading>;
}

/** What is measured in a trial: its server, or the program that runs alone. */
export const subject = (trial: Trial): string => ("program" in trial ? trial.program.program : trial.server.program);

export interface TableLab extends Lab {
  readonly measured: string[];
  /** How many native and emulated measurements ran at once, at most. */
  readonly most: { native: number; emulated: number; mixed: boolean };
}

export function tableLab(table: Table = {}): TableLab {
  const now = { native: 0, emulated: 0 };
  const most = { native: 0, emulated: 0, mixed: false };
  const measured: string[] = [];
  const inputs = (trial: Trial): string => hash(JSON.stringify([trial, table.builds?.[subject(trial)] ?? 0]));
  return {
    measured, most,
    available: async ({ meter }) => (meter === "perf" || (meter === "emulator" && table.noEmulator === true) ? { available: false, reason: `no ${meter} here`, remedy: "get one" } : { available: true }),
    inputs: async (trial) => inputs(trial),
    now: () => new Date(),
    log: () => {},
    async measure(trial, seed, signal): Promise<Measurement> {
      const kind = trial.placement.meter === "emulator" ? "emulated" : "native";
      now[kind]++;
      most[kind] = Math.max(most[kind], now[kind]);
      most.mixed ||= now.native > 0 && now.emulated > 0;
      try {
        await pause(table.milliseconds ?? 1, undefined, { signal });
        measured.push(`${subject(trial)} ${"kernel" in trial.placement ? trial.placement.kernel : "host"} ${seed}`);
        await table.before?.(trial, seed);
        const value = table.value?.(trial, seed) ?? 1000 + parseInt(hash(JSON.stringify(trial) + seed).slice(0, 4), 16) / 65536;
        return {
          basis: kind, inputs: inputs(trial), facts: { path: "table" },
          metrics: table.metrics?.(trial, seed) ?? { instructions: { value, unit: "instruction/connection", meter: kind === "emulated" ? "emulator" : "perf" } },
          ...(kind === "emulated" ? { profile: [{ task: "server", symbol: "tcp_v4_rcv", instructions: Math.round(value) }] } : {}),
          histogram: "HISTFAAA",
        };
      } finally {
        now[kind]--;
      }
    },
  };
}

export function go(lab: Lab, over: Partial<RunOptions> & { experiments?: readonly Experiment[] } = {}): Promise<Outcome> {
  const { experiments = [experiment()], ...rest } = over;
  return measureMissing({
    requests: experiments.map((e) => ({ experiment: e, blocks: e.profiles.quick })),
    profile: "quick", purpose: "publication", command: "./nullius run table --profile quick", lab, atOnce: 2,
    setting: async () => ({ fingerprint: fingerprint(), git: { commit: null, dirty: null } }),
    ...rest,
  });
}
