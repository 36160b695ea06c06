import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import type { Experiment, Factors } from "./experiment.js";
import { alone, emulated, native, places, underLoad } from "./requests.js";

const factors = {
  /** `zip` is a layer of our own, typed handlers over Fiber; `zip-log` writes an access log as well. */
  server: ["fasthttp", "fiber", "zip", "zip-log", "nethttp"],
  /** `in-process`: no socket, requests come from memory; `loopback`: under the loader. */
  method: ["in-process", "loopback"],
  /** `/chat` is the handler that does real work: it reads a chat as JSON and writes a completion. */
  route: ["/health", "/chat"],
  ...places,
} as const satisfies Factors;

const layers = ["fasthttp", "fiber", "zip", "zip-log"] as const;
const inProcess = { server: layers, method: ["in-process"], route: ["/health", "/chat"], ...native } satisfies Factors;
const loopback = { server: factors.server, method: ["loopback"], route: ["/health"], ...native } satisfies Factors;

/** Operations that take about a quarter of a second here. */
const operations: Readonly<Record<string, number>> = { "/health": 250_000, "/chat": 25_000 };

function command(name: string): { program: string; arguments: string[] } {
  const layered = name === "zip" || name === "zip-log";
  return layered ? { program: "serve-zip", arguments: ["--log", name === "zip-log" ? "on" : "off"] } : { program: `serve-${name}`, arguments: [] };
}

/** The framework tax: what a layer over raw fasthttp adds to a request, and how much of a handler's time that is. */
const framework: Experiment = {
  id: "framework",
  version: 1,
  question: "What does each layer over raw fasthttp add to a request, and what share is that of a handler that does real work?",
  factors,
  profiles: {
    quick: [
      { levels: { ...inProcess, route: ["/health"] }, rounds: 2 },
      { levels: { ...inProcess, server: ["zip", "zip-log"], route: ["/chat"] }, rounds: 2 },
      { levels: { ...loopback, server: ["fasthttp", "zip", "zip-log"] }, rounds: 1 },
    ],
    standard: [
      { levels: inProcess, rounds: 5 },
      { levels: loopback, rounds: 5 },
      { levels: { ...inProcess, route: ["/health"], ...emulated }, rounds: 1 },
      { levels: { ...loopback, server: ["fasthttp", "zip", "zip-log"], ...emulated }, rounds: 1 },
    ],
    full: [
      { levels: inProcess, rounds: 12 },
      { levels: { ...loopback, route: ["/health", "/chat"] }, rounds: 12 },
      { levels: { ...inProcess, ...emulated, kernel: ["6.1", "6.12"] }, rounds: 3 },
      { levels: { ...loopback, route: ["/health", "/chat"], ...emulated, kernel: ["6.1", "6.12"] }, rounds: 3 },
    ],
  },
  trial(cell: Cell): Trial {
    const [name, route] = [String(cell["server"]), String(cell["route"])];
    if (cell["method"] === "in-process") {
      return alone(cell, "bench-server", ["--server", name, "--route", route], (operations[route] ?? 1) / (name === "zip-log" ? 5 : 1));
    }
    const body = route === "/chat" ? { body: { bytes: 1_024 } } : {};
    return underLoad(cell, command(name), { protocol: "http", target: route, connections: 64, depth: 1, seconds: 1, counted: 4_096, ...body });
  },
};

export default framework;
