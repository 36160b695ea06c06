import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import type { Experiment, Factors } from "./experiment.js";
import { native } from "./requests.js";
import { placementOf } from "./running/placement.js";

const factors = {
  /** `load` is our own loader; the others report in their own words, which `client-report` reads. */
  client: ["hey", "bombardier", "load"],
  meter: ["cputime"],
  kernel: ["host"],
  architecture: ["host"],
  scheduling: ["ordinary"],
} as const satisfies Factors;

const all = { client: factors.client, ...native } satisfies Factors;

/** Three clients against one server: who tops out first is the client, not the server. */
const clients: Experiment = {
  id: "clients",
  version: 1,
  question: "How many requests a second does each client get out of one and the same server?",
  factors,
  profiles: {
    quick: [{ levels: all, rounds: 1 }],
    standard: [{ levels: all, rounds: 5 }],
    full: [{ levels: all, rounds: 12 }],
  },
  trial(cell: Cell): Trial {
    const many = ["--port", "{port}", "--target", "/health", "--connections", "64", "--seconds", "1", "--server-pid", "{server-pid}"];
    const loader = cell["client"] === "load"
      ? { program: "zap-load", arguments: [...many, "--protocol", "http", "--depth", "1", "--warmup-requests", "4096", "--seed", "{seed}"] }
      : { program: "client-report", arguments: ["--client", String(cell["client"]), ...many], starts: [String(cell["client"])] };
    return { placement: placementOf(cell), server: { program: "serve-fasthttp", arguments: ["--port", "{port}"] }, loader, per: "request", timeoutSeconds: 60 };
  },
};

export default clients;
