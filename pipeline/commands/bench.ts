import bodies from "../experiments/bodies.js";
import type { Block, Experiment, Factors } from "../experiments/experiment.js";
import { measureHere } from "../experiments/index.js";
import { native } from "../experiments/requests.js";
import { show } from "../experiments/running/progress.js";
import transport from "../experiments/transport.js";
import typed from "../experiments/typed.js";
import { Fault } from "../fault.js";
import type { Lab } from "../hosts/trial.js";
import { evaluate, Unmeasured, type Sample } from "../stats/index.js";
import { samplesOf } from "../store/run.js";

/** One thing of ours beside one of others. */
export interface Row {
  readonly name: string;
  readonly peer: string;
  /** Ours over the peer's, paired within rounds: below 1 ours is cheaper. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** Rounds. */
  readonly n: number;
  readonly method: string;
  /** What is compared: wall-clock time of a bench, the server's CPU time under load. */
  readonly metric: "time" | "cpu_time";
  /** Ours, per operation or request. */
  readonly allocations: number;
}

type Levels = Readonly<Record<string, string | number>>;

/** A row to be: our level of one factor against each of the peers'. */
interface Comparison {
  readonly name: string;
  readonly experiment: Experiment;
  readonly metric: Row["metric"];
  readonly factor: string;
  readonly ours: string;
  /** Levels of the peers, and what they are called. */
  readonly peers: Readonly<Record<string, string>>;
  readonly levels: Levels;
}

const here: Levels = Object.fromEntries(Object.entries(native).map(([factor, [level]]) => [factor, level]));
const codecs = Object.fromEntries(typed.factors["codec"]!.filter((codec) => codec !== "zap").map((codec) => [String(codec), String(codec)]));
const health = { gogc: 100, connections: 64, seconds: 1, ...here };

function server(name: string, levels: Levels): Comparison {
  const metric = levels["method"] === "in-process" ? "time" : "cpu_time";
  return { name, experiment: transport, metric, factor: "server", ours: "pooled", peers: { http: "fasthttp" }, levels: { ...health, depth: 1, ...levels } };
}

export const comparisons: readonly Comparison[] = [
  ...["decode", "encode", "handler"].map((operation): Comparison => ({
    name: `typed.${operation}`, experiment: typed, metric: "time", factor: "codec", ours: "zap", peers: codecs, levels: { operation, records: "server", ...here },
  })),
  server("server.inprocess", { method: "in-process", connections: 1 }),
  server("server.depth1", { method: "loopback" }),
  server("server.depth16", { method: "loopback", depth: 16 }),
  { name: "server.body1m", experiment: bodies, metric: "cpu_time", factor: "server", ours: "writev", peers: { http: "fasthttp" }, levels: { route: "/body", bytes: 1024 * 1024, ...here } },
];

/** The cells of a comparison, ours and the peers'. */
function block({ factor, ours, peers, levels }: Comparison, rounds: number): Block {
  const others = Object.fromEntries(Object.entries(levels).map(([name, level]) => [name, [level]]));
  return { levels: { ...others, [factor]: [ours, ...Object.keys(peers)] } satisfies Factors, rounds };
}

/**
 * What a run gave, a row for each comparison and peer; `missing` says in a sentence each what could not be compared.
 *
 * Ratios are taken within a round and their interval from a bootstrap over rounds, as everywhere.
 */
export function compareAll(samples: readonly Sample[]): { rows: Row[]; missing: string[] } {
  const rows: Row[] = [];
  const missing: string[] = [];
  for (const { name, experiment, metric, factor, ours, peers, levels } of comparisons) {
    const attempts = samples.filter((sample) => sample.experiment === experiment.id);
    const value = (expression: string): ReturnType<typeof evaluate> => evaluate(expression, levels, attempts, { factors: experiment.factors });
    for (const [level, peer] of Object.entries(peers)) {
      try {
        const { value: ratio, low, high, n, method } = value(`${metric}(${factor}="${ours}") / ${metric}(${factor}="${level}")`);
        rows.push({ name, peer, ratio, low, high, n, method, metric, allocations: value(`allocations(${factor}="${ours}")`).value });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        missing.push(`${name} / ${peer}: ${failureOf(attempts, factor, [ours, level]) ?? (error instanceof Unmeasured ? "not measured" : error.message)}`);
      }
    }
  }
  return { rows, missing };
}

/** Why attempts at one of the levels failed, if any did. */
function failureOf(attempts: readonly Sample[], factor: string, levels: readonly string[]): string | undefined {
  const failed = attempts.find(({ cell, failed: failure }) => failure !== undefined && levels.includes(String(cell[factor])))?.failed;
  return failed === undefined ? undefined : `${failed.stage}: ${failed.message}`;
}

/**
 * `nullius bench [--quick] [--json]`: our codec and server beside their peers, measured side by side in one run of its own, which is never
 * published. Exit 2 when something could not be measured.
 */
export async function run(_words: string[], options: Record<string, unknown>, lab?: Lab): Promise<number> {
  const rounds = options["quick"] === true ? 3 : 7;
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  const screen = show(process.stderr);
  try {
    const outcome = await measureHere([typed, transport, bodies].map((experiment) => ({ experiment, blocks: comparisons.filter((c) => c.experiment === experiment).map((c) => block(c, rounds)) })), {
      profile: options["quick"] === true ? "quick" : "standard",
      purpose: "exploration",
      command: `./nullius bench${options["quick"] === true ? " --quick" : ""}`,
      seed: Date.now() % 2 ** 31, // one that no run has had
      signal: stop.signal,
      tell: screen.tell,
      ...(lab === undefined ? {} : { lab }),
    });
    screen.end();
    const { rows, missing } = compareAll(samplesOf(outcome.run));
    const unavailable = outcome.plan.unavailable.map(({ experiment, cells, reason, remedy }) => `${experiment}: ${cells.length} cells not measurable here: ${reason}; ${remedy}`);
    for (const line of [...unavailable, ...missing]) console.error(`nullius: ${line}`);
    console.log(options["json"] === true ? JSON.stringify(rows) : table(rows));
    return missing.length > 0 ? 2 : 0;
  } finally {
    screen.end();
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

function table(rows: readonly Row[]): string {
  const number = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 3 });
  const lines = [["", "relative to", "ratio", "interval", "allocations", ""], ...rows.map((row) => [row.name, row.peer, number(row.ratio), `${number(row.low)} to ${number(row.high)}`, number(row.allocations), `${row.metric}, ${row.method}, ${row.n}`])];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) => line.map((text, column) => text.padEnd(widths[column]!)).join("  ").trimEnd()).join("\n");
}
