import type { BenchTrial, Command, Placement, ServerTrial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import { placementOf } from "./running/placement.js";

/** Where the programs of `native/zap` are measured: on this machine by its clocks, in the emulated one by counting. */
export const places = {
  meter: ["emulator", "cputime"],
  /** `host` is the kernel, and below the architecture, of the machine that measures natively. */
  kernel: ["6.1", "6.12", "host"],
  architecture: ["amd64", "arm64", "host"],
  /** `equal`: server and loader both SCHED_BATCH, so that every server meets the same batches; a native cell has a core for each. */
  scheduling: ["equal", "ordinary"],
} as const;

export const native = { meter: ["cputime"], kernel: ["host"], architecture: ["host"], scheduling: ["ordinary"] } as const;
export const emulated = { meter: ["emulator"], kernel: ["6.12"], architecture: ["amd64"], scheduling: ["equal"] } as const;

/** What the one loader does, whichever the protocol, so that only the protocol differs. */
export interface Load {
  readonly protocol: "http" | "zap";
  readonly target: string;
  readonly connections: number;
  /** Requests on their way at once on each connection. */
  readonly depth: number;
  /** Length of a native window; an emulated one is counted in requests, because its figures are exact. */
  readonly seconds: number;
  /** Requests of an emulated window. */
  readonly counted: number;
  /** The request's body: so many bytes in the shape of a chat, or these, as text or in hexadecimal digits; none for a GET. */
  readonly body?: { readonly bytes: number } | { readonly text: string } | { readonly hex: string };
}

/** A server under the loader, by the cell's placement. */
export function underLoad(cell: Cell, server: Command, load: Load): ServerTrial {
  const placement = placementOf(cell);
  const port = { ...server, arguments: ["--port", "{port}", ...server.arguments] };
  return { placement, server: port, loader: loader(placement, load), per: "request", timeoutSeconds: placement.meter === "emulator" ? 900 : 60 };
}

function loader(placement: Placement, load: Load): Command {
  const { protocol, target, connections, depth, seconds, counted, body = {} } = load;
  const isEmulated = placement.meter === "emulator";
  // Every connection has been served some times over before the window opens.
  const warmUp = Math.max(4 * connections * depth, isEmulated ? Math.ceil(counted / 4) : 4_096);
  return {
    program: "zap-load",
    arguments: [
      ...["--port", "{port}", "--protocol", protocol, "--target", target, "--connections", String(connections), "--depth", String(depth)],
      ...["--warmup-requests", String(warmUp), ...(isEmulated ? ["--requests", String(counted)] : ["--seconds", String(seconds)])],
      ...Object.entries(body).flatMap(([form, value]) => [`--body-${form}`, String(value)]),
      ...["--server-pid", "{server-pid}", "--seed", "{seed}"],
    ],
  };
}

/**
 * A program alone, with as many operations as fill its window: `count` natively, where a clock reads them; few when they are counted,
 * which is exact.
 */
export function alone(cell: Cell, program: string, words: readonly string[], count: number): BenchTrial {
  const placement = placementOf(cell);
  if (placement.meter === "perf") throw new Error("no bench is read by perf");
  const operations = placement.meter === "emulator" ? Math.min(count, 20_000) : count;
  const many = ["--operations", String(operations), "--warmup", String(Math.ceil(operations / 10))];
  return { placement, program: { program, arguments: [...words, ...many] }, per: "operation", timeoutSeconds: placement.meter === "emulator" ? 900 : 60 };
}
