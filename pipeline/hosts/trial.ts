import type { Basis, Digest, Reading } from "../store/attempt.js";

/** A program under `native/build/HOST/`, HOST being `host`, `guest-amd64` or `guest-arm64`, with its arguments. `{port}`, `{seed}` and, for the loader, `{server-pid}` are replaced. */
export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Programs beside it that it starts itself: another build of them is another measurement. */
  readonly starts?: readonly string[];
}

/** Where a trial runs and by which meter it is read. */
export type Placement = EmulatedPlacement | NativePlacement | WirePlacement | ModelPlacement;

export interface EmulatedPlacement {
  readonly meter: "emulator";
  readonly kernel: string;
  readonly architecture: "amd64" | "arm64";
  readonly scheduling: "equal" | "ordinary";
}

export type NativePlacement = { readonly meter: "cputime" } | { readonly meter: "perf" };

/**
 * A server and a client with a link between them: two hosts over ssh; a guest of twenty processors whose clocks are slowed, with its client
 * outside; two network namespaces of this machine.
 */
export interface WirePlacement {
  readonly meter: "wire";
  readonly lab: "hosts" | "slowed" | "veth";
}

/** No machine at all: a model, computed. */
export interface ModelPlacement {
  readonly meter: "model";
}

/** What hosts know how to run and meters how to read. Nothing in it names an experiment. */
export type Trial = LoopbackTrial | WireTrial | ModelTrial;

/** What one machine does alone, real or emulated. */
export type LoopbackTrial = ServerTrial | BenchTrial;

/** A server under load. */
export interface ServerTrial {
  readonly placement: EmulatedPlacement | NativePlacement;
  readonly server: Command;
  /** The loader opens the window after its warm-up and closes it after exactly N, and prints one JSON line (`LoaderReport`). */
  readonly loader: Command;
  /** What a metric is divided by: the loader's count of completed connections or requests in the window. */
  readonly per: "connection" | "request";
  /** Upper bound for the whole trial. */
  readonly timeoutSeconds: number;
}

/** A program alone, which does the same operation many times and says itself what its window took (`BenchReport`). */
export interface BenchTrial {
  readonly placement: EmulatedPlacement | { readonly meter: "cputime" };
  /** It opens and closes the window by the same two marker functions as a loader. */
  readonly program: Command;
  readonly per: "operation";
  readonly timeoutSeconds: number;
}

/** A server under load over a link, with the server's network settings. */
export interface WireTrial {
  readonly placement: WirePlacement;
  readonly server: Command;
  /** The same loader as elsewhere; beside the other places in its arguments, `{host}` is the server's address. */
  readonly loader: Command;
  /** Knobs of `hosts/tuning` that are turned for this trial, in their order; none is the untuned host. All are turned back after it. */
  readonly tuning: readonly string[];
  /** `loopback`: the loader runs on the server's side, on what cores the server leaves. */
  readonly path: "wire" | "loopback";
  readonly per: "request";
  readonly timeoutSeconds: number;
}

/** A run of a model: its name and parameters; what it takes from measurements is read by the lab and enters the digest. */
export interface ModelTrial {
  readonly placement: ModelPlacement;
  readonly model: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly per: "request";
  readonly timeoutSeconds: number;
}

export const isBench = (trial: Trial): trial is BenchTrial => "program" in trial;
/** Whether it is counted in an emulated machine: exact, whatever else this one is doing. */
export const isEmulated = (trial: Trial): trial is LoopbackTrial & { readonly placement: EmulatedPlacement } => trial.placement.meter === "emulator";
export const isWire = (trial: Trial): trial is WireTrial => trial.placement.meter === "wire";
export const isModel = (trial: Trial): trial is ModelTrial => trial.placement.meter === "model";

/** What a bench prints as its last line of standard output, all of it over its window. */
export interface BenchReport {
  readonly operations: number;
  readonly window_ns: number;
  /** CPU time of the whole process, collector included. */
  readonly cpu_ns: number;
  readonly allocations: number;
  readonly allocated_bytes: number;
  /** Bytes that would cross the wire, both directions. */
  readonly bytes?: number;
  readonly collections?: number;
  /** Distinct places in the measured code that allocate for an operation. */
  readonly allocation_sites?: number;
  /** What it is, with the versions of Go and libraries. */
  readonly path: string;
  /** What it found out beside figures, by name: that its wire bytes are the golden ones. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** What the loader prints as its last line of standard output. Times in nanoseconds of the clock it ran under. */
export interface LoaderReport {
  readonly completed: number;
  readonly failed: number;
  readonly window_ns: number;
  readonly loader_cpu_ns: number;
  /** schedstat of all tasks of `--server-pid` over the window. */
  readonly server_cpu_ns: number;
  /** TcpOutSegs of the network namespace over the window, both directions of loopback. */
  readonly segments: number;
  readonly silent_open: number;
  readonly latency_ns: { readonly min: number; readonly p50: number; readonly p99: number; readonly p999?: number; readonly max: number };
  /** HDR histogram of latency, V2 deflate, base64. */
  readonly histogram?: string;
  /** Requests per second that an open loop was asked for. */
  readonly offered_rate?: number;
  /** Bytes of requests and of replies in the window, without the headers of TCP. */
  readonly sent_bytes?: number;
  readonly received_bytes?: number;
}

/** What one trial gave. `inputs` is the digest that `Lab.inputs` promised before. */
export interface Measurement {
  readonly basis: Basis;
  readonly inputs: Digest;
  readonly metrics: Readonly<Record<string, Reading>>;
  readonly facts: Readonly<Record<string, string>>;
  readonly histogram?: string;
  /** Instructions by task and symbol, largest first. */
  readonly profile?: readonly { readonly task: string; readonly symbol: string; readonly instructions: number }[];
}

export type Availability = { readonly available: true } | { readonly available: false; readonly reason: string; readonly remedy: string };

/** The effects of an experiment, passed in: a test passes a lab that answers from a table. */
export interface Lab {
  /** Whether this placement can be measured here, and why not. */
  available(placement: Placement): Promise<Availability>;
  /** The digest of everything that can change the outcome; computed without measuring. */
  inputs(trial: Trial): Promise<Digest>;
  /** Runs the trial once. Throws on failure with a message that names the stage; nothing is left running. */
  measure(trial: Trial, seed: number, signal: AbortSignal): Promise<Measurement>;
  /** Ends what was kept between trials: a guest that stays up, a connection to a host. Nothing of the lab is left on the machine. */
  close?(): Promise<void>;
  now(): Date;
  log(line: string): void;
}

/** What measures the trials of one `WirePlacement`; it may keep a guest or a connection between them. */
export interface Site {
  available(): Promise<Availability>;
  inputs(trial: WireTrial): Promise<Digest>;
  measure(trial: WireTrial, seed: number, signal: AbortSignal): Promise<Measurement>;
  close(): Promise<void>;
}
