import type { Command, Placement, Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import type { Block, Experiment, Factors } from "./experiment.js";
import { placementOf } from "./running/placement.js";

const factors = {
  server: ["go", "vanilla", "epoll", "accept4", "engine", "six-techniques"],
  meter: ["emulator", "cputime", "perf"],
  /** `host` is the kernel, and below the architecture, of the machine that measures natively. */
  kernel: ["6.1", "6.12", "host"],
  architecture: ["amd64", "arm64", "host"],
  /** `equal`: server and loader both SCHED_BATCH, so that every server meets the same batches; a native cell has a core for each. */
  scheduling: ["equal", "ordinary"],
  silent: [0, 1, 100],
} as const satisfies Factors;

const emulated = { server: factors.server, meter: ["emulator"], kernel: ["6.1", "6.12"], architecture: ["amd64"], scheduling: ["equal"], silent: [0] } satisfies Factors;
const native = { server: factors.server, meter: ["cputime", "perf"], kernel: ["host"], architecture: ["host"], scheduling: ["ordinary"], silent: [0] } satisfies Factors;
const steady = { metric: "schedstat_time", within: 0.02 } as const;

const profiles: Record<"quick" | "standard" | "full", readonly Block[]> = {
  quick: [
    { levels: emulated, rounds: 1 },
    { levels: { ...emulated, server: ["engine", "six-techniques"], kernel: ["6.12"], silent: [100] }, rounds: 1 },
    { levels: native, rounds: 2 },
  ],
  standard: [
    { levels: { ...emulated, silent: [0, 1, 100] }, rounds: 3 },
    { levels: native, rounds: 5, until: { ...steady, rounds: 6 } },
  ],
  full: [
    { levels: { ...emulated, scheduling: ["equal", "ordinary"], silent: [0, 1, 100] }, rounds: 5 },
    { levels: { ...emulated, architecture: ["arm64"], scheduling: ["equal", "ordinary"] }, rounds: 3 },
    { levels: { ...native, silent: [0, 1, 100] }, rounds: 8, until: { ...steady, rounds: 20 } },
  ],
};

/** The programs of `native/accept`; the engine has two named configurations. */
function server(name: string | number | undefined): Command {
  const port = ["--port", "{port}"];
  if (name === "engine" || name === "six-techniques") return { program: "accept-engine", arguments: [...port, "--configuration", name] };
  return { program: `accept-${name}`, arguments: port };
}

/**
 * The loader, and how many connections it makes in the window: an emulated count is exact, so the fewest that fill the batches do;
 * a native clock moves in steps of up to 4 ms and is noisy, so the server computes for half a second or more.
 */
export function loader(placement: Placement, silent: string | number, inFlight = 512): Command {
  const [connections, warmUp] = placement.meter === "emulator" ? [6_144, 2_048] : [32_768, 4_096];
  return {
    program: "accept-load",
    arguments: [
      ...["--port", "{port}", "--connections", String(connections), "--warmup", String(warmUp), "--in-flight", String(inFlight)],
      ...["--silent", String(silent), "--silent-settle-ms", "1500", "--server-pid", "{server-pid}", "--seed", "{seed}"],
    ],
  };
}

/** What a short connection costs: an 18-byte request, a 19-byte reply, close; 512 in flight over loopback. */
const accept: Experiment = {
  id: "accept",
  version: 1,
  question: "What does a short connection cost each server, on which kernel, and what do silent clients change?",
  factors,
  profiles,
  trial(cell: Cell): Trial {
    const placement = placementOf(cell);
    return { placement, server: server(cell["server"]), loader: loader(placement, cell["silent"] ?? 0), per: "connection", timeoutSeconds: placement.meter === "emulator" ? 900 : 60 };
  },
};

export default accept;
