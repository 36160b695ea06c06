import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import { loader } from "./accept.js";
import type { Experiment, Factors } from "./experiment.js";
import { placementOf } from "./running/placement.js";

const factors = {
  /**
   * What the link is tried on: `six-techniques` is the engine as published; `plain` is the same without multishot accept and direct
   * descriptors, nearer to the engine of the day on which the published chain was tried.
   */
  base: ["six-techniques", "plain"],
  link: ["off", "on"],
  meter: ["emulator", "cputime", "perf"],
  kernel: ["6.1", "6.12", "host"],
  architecture: ["amd64", "arm64", "host"],
  scheduling: ["equal", "ordinary"],
} as const satisfies Factors;

const emulated = { base: factors.base, link: factors.link, meter: ["emulator"], kernel: ["6.1", "6.12"], architecture: ["amd64"], scheduling: ["equal"] } satisfies Factors;
const native = { base: factors.base, link: factors.link, meter: ["cputime", "perf"], kernel: ["host"], architecture: ["host"], scheduling: ["ordinary"] } satisfies Factors;
const steady = { metric: "schedstat_time", within: 0.02 } as const;

const bases: Readonly<Record<string, readonly string[]>> = {
  "six-techniques": [],
  plain: ["--set", "multishot-accept=off", "--set", "direct-descriptors=off"],
};

/** Receive, send and close linked into one chain of submissions: fewer entries into the kernel, and yet a worse score. Why? */
const chain: Experiment = {
  id: "chain",
  version: 1,
  question: "Does linking receive, send and close into one chain save entries into the kernel, and what does it cost?",
  factors,
  profiles: {
    quick: [
      { levels: { ...emulated, base: ["six-techniques"], kernel: ["6.12"] }, rounds: 1 },
      { levels: { ...native, base: ["six-techniques"] }, rounds: 2 },
    ],
    standard: [
      { levels: emulated, rounds: 3 },
      { levels: native, rounds: 5, until: { ...steady, rounds: 6 } },
    ],
    full: [
      { levels: { ...emulated, scheduling: ["equal", "ordinary"] }, rounds: 5 },
      { levels: { ...emulated, architecture: ["arm64"] }, rounds: 3 },
      { levels: native, rounds: 8, until: { ...steady, rounds: 20 } },
    ],
  },
  trial(cell: Cell): Trial {
    const placement = placementOf(cell);
    const base = bases[String(cell["base"])] ?? [];
    return {
      placement,
      server: { program: "accept-engine", arguments: ["--port", "{port}", "--configuration", "six-techniques", ...base, "--set", `link-chain=${cell["link"]}`] },
      loader: loader(placement, 0),
      per: "connection",
      timeoutSeconds: placement.meter === "emulator" ? 900 : 60,
    };
  },
};

export default chain;
