import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import { loader } from "./accept.js";
import type { Block, Experiment, Factors } from "./experiment.js";
import { placementOf } from "./running/placement.js";

/** The six techniques in the article's order, by the names that expressions use, with the engine's. */
export const techniques = {
  defer: "defer-taskrun",
  direct: "direct-descriptors",
  multishot: "multishot-accept",
  freelist: "freelist",
  fuse: "fuse-fin",
  skip: "skip-success",
} as const;
const six = Object.keys(techniques) as (keyof typeof techniques)[];

const either = ["off", "on"] as const;
const factors = {
  defer: either, direct: either, multishot: either, freelist: either, fuse: either, skip: either,
  /** TCP_DEFER_ACCEPT, which the published set does without: gains that vanish beside it were not io_uring's. */
  deferred: either,
  /** Direct descriptors in the table, connection objects on the freelist, requests that one entry into the kernel can bring. */
  table: [64, 256, 1024, 2048, 4096, 8192, 16384, 32768],
  kept: [16, 128, 512, 4096],
  batch: [16, 64, 256, 1024, 4096],
  in_flight: [1, 8, 64, 512, 2048, 4096],
  meter: ["emulator"],
  kernel: ["6.1", "6.12"],
  architecture: ["amd64", "arm64"],
  scheduling: ["equal", "ordinary"],
} as const satisfies Factors;

const all = (level: "off" | "on"): Factors => Object.fromEntries(six.map((name) => [name, [level]]));
/** The published set: the six on, sizes as published, the article's load. */
const published: Factors = {
  ...all("on"), deferred: ["off"], table: [4096], kept: [128], batch: [4096], in_flight: [512],
  meter: ["emulator"], kernel: ["6.12"], architecture: ["amd64"], scheduling: ["equal"],
};

/** None of the six, then one more in each step. */
const steps: readonly Factors[] = six.map((_, count) => ({ ...published, ...Object.fromEntries(six.map((name, place) => [name, [place < count ? "on" : "off"]])) }));
/** The published set, and each of the six left out of it. */
const leftOut: readonly Factors[] = [published, ...six.map((name) => ({ ...published, [name]: ["off"] }))];

/**
 * Sixteen runs of seven factors, 2^(7-3) of resolution IV (Box, Hunter and Hunter, chapter 6): the six and TCP_DEFER_ACCEPT. Main
 * effects are clear of interactions of two; those are mixed with one another, and the whole factorial tells them apart. Each sign is
 * chosen so that the published set is one of the sixteen.
 */
const fraction: readonly Factors[] = Array.from({ length: 16 }, (_, run) => {
  const [a, b, c, d] = [0, 1, 2, 3].map((place) => ((run >> place) & 1) * 2 - 1) as [number, number, number, number];
  const signs = { defer: a, direct: b, multishot: c, freelist: d, fuse: a * b * c, skip: b * c * d, deferred: -a * c * d };
  return { ...published, ...Object.fromEntries(Object.entries(signs).map(([name, sign]) => [name, [sign > 0 ? "on" : "off"]])) };
});

const whole: Factors = { ...published, ...Object.fromEntries(six.map((name) => [name, either])), deferred: either };
const sizes = (levels: Factors): Factors[] => Object.entries(levels).map(([factor, its]) => ({ ...published, [factor]: its }));
const loads = (levels: readonly number[]): Factors[] => [{ ...published, in_flight: levels }, { ...published, ...all("off"), in_flight: levels }];
const rounds = (count: number, levels: readonly Factors[]): Block[] => levels.map((its) => ({ levels: its, rounds: count }));

/** What each of the six techniques is worth: one after the other, each left out, in combination, by size and by load. */
const ablation: Experiment = {
  id: "ablation",
  version: 1,
  question: "What is each of the six techniques worth, in order, left out and together, and which sizes and loads change that?",
  factors,
  profiles: {
    quick: rounds(1, [...steps, ...leftOut]),
    standard: rounds(3, [
      ...steps, ...leftOut, ...fraction, { ...published, deferred: ["on"] },
      ...sizes({ table: [64, 1024, 4096, 16384, 32768], kept: [128, 4096], batch: [16, 256, 4096] }), ...loads([1, 64, 512, 4096]),
    ]),
    full: [
      ...rounds(3, [whole, ...sizes({ table: factors.table, kept: factors.kept, batch: factors.batch }), ...loads(factors.in_flight)]),
      ...rounds(3, [...steps, ...leftOut].map((levels) => ({ ...levels, scheduling: factors.scheduling }))),
      ...rounds(3, leftOut.map((levels) => ({ ...levels, kernel: factors.kernel }))),
      ...rounds(1, leftOut.map((levels) => ({ ...levels, architecture: ["arm64"] }))),
    ],
  },
  trial(cell: Cell): Trial {
    const placement = placementOf(cell);
    const switches = six.flatMap((name) => ["--set", `${techniques[name]}=${cell[name]}`]);
    return {
      placement,
      server: {
        program: "accept-engine",
        arguments: [
          ...["--port", "{port}", "--configuration", "six-techniques", ...switches, "--set", `defer-accept=${cell["deferred"]}`],
          ...["--table", String(cell["table"]), "--freelist", String(cell["kept"]), "--ring", String(cell["batch"])],
        ],
      },
      loader: loader(placement, 0, Number(cell["in_flight"])),
      per: "connection",
      timeoutSeconds: 900,
    };
  },
};

export default ablation;
