import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import type { Experiment, Factors } from "./experiment.js";
import { alone, emulated, native, places, underLoad } from "./requests.js";

const factors = {
  /** `http` is raw fasthttp; `naive` allocates where the article says that its first server did; `pooled` does not. All have the same handler. */
  server: ["http", "naive", "pooled"],
  method: ["in-process", "loopback"],
  /** The collector's target: a collection when the heap has grown by this many per cent. */
  gogc: [100, 200, 400, 800, "off"],
  /** Requests on their way at once on each connection. */
  depth: [1, 16],
  connections: [1, 16, 64, 256, 1024, 4096],
  /** Length of a native window. Six seconds are what the article counts collections in; elsewhere one will do. */
  seconds: [1, 6],
  ...places,
} as const satisfies Factors;

const { server } = factors;
const base = { server, method: ["loopback"], gogc: [100], depth: [1], connections: [64], seconds: [1], ...native } satisfies Factors;
const six = { ...base, seconds: [6] } satisfies Factors;
const inProcess = { ...base, method: ["in-process"], connections: [1] } satisfies Factors;
const counted = { ...base, depth: [1, 16], ...emulated } satisfies Factors;

const programs: Readonly<Record<string, string>> = { http: "fasthttp", naive: "naive", pooled: "pooled" };
/** Operations that take about a quarter of a second here. */
const operations: Readonly<Record<string, number>> = { http: 250_000, naive: 150_000, pooled: 1_500_000 };

/** GET /health by HTTP and by two ZAP servers with the same bytes on the wire: what the collector costs, and what is left without it. */
const transport: Experiment = {
  id: "transport",
  version: 1,
  question: "What does a request cost by HTTP and by ZAP, with and without allocations, and what has the collector to do with it?",
  factors,
  profiles: {
    quick: [
      { levels: six, rounds: 1 },
      { levels: { ...base, depth: [16] }, rounds: 1 },
      { levels: { ...base, server: ["naive"], gogc: [800] }, rounds: 1 },
      { levels: inProcess, rounds: 2 },
    ],
    standard: [
      { levels: six, rounds: 5 },
      { levels: { ...base, depth: [16] }, rounds: 5 },
      { levels: { ...base, gogc: [800] }, rounds: 5 },
      { levels: { ...base, gogc: [200, 400, "off"] }, rounds: 2 },
      { levels: { ...base, connections: [1, 256, 1024, 4096] }, rounds: 2 },
      { levels: inProcess, rounds: 5 },
      { levels: counted, rounds: 1 },
      { levels: { ...inProcess, ...emulated }, rounds: 1 },
    ],
    full: [
      { levels: six, rounds: 10 },
      { levels: { ...base, gogc: factors.gogc, depth: [1, 16], connections: factors.connections }, rounds: 5 },
      { levels: inProcess, rounds: 12 },
      { levels: { ...counted, gogc: [100, 800], kernel: ["6.1", "6.12"] }, rounds: 3 },
      { levels: { ...inProcess, ...emulated, kernel: ["6.1", "6.12"] }, rounds: 3 },
    ],
  },
  trial(cell: Cell): Trial {
    const name = String(cell["server"]);
    const words = ["--gogc", String(cell["gogc"])];
    if (cell["method"] === "in-process") return alone(cell, "bench-server", ["--server", programs[name]!, "--route", "/health", ...words], operations[name]!);
    return underLoad(cell, { program: `serve-${programs[name]}`, arguments: words }, {
      protocol: name === "http" ? "http" : "zap",
      target: "/health",
      connections: Number(cell["connections"]),
      depth: Number(cell["depth"]),
      seconds: Number(cell["seconds"]),
      counted: 8_192,
    });
  },
};

export default transport;
