import type { LoaderReport } from "../hosts/trial.js";
import type { ServerReport } from "../hosts/loopback.js";
import type { Reading } from "../store/attempt.js";

/** Above this share of a core the loader, not the server, sets the pace. */
const boundShare = 0.95;

/** The readings every native meter takes from what loader and server report. */
export function reportedReadings(loader: LoaderReport, server: ServerReport, per: string): Record<string, Reading> {
  const { completed, failed } = loader;
  const each = (value: number, unit: string, meter: string): Reading => ({ value: value / completed, unit: `${unit}/${per}`, meter });
  const readings: Record<string, Reading> = {
    throughput: { value: completed / (loader.window_ns / 1e9), unit: `${per}/s`, meter: "loader" },
    loader_cpu_share: { value: loader.loader_cpu_ns / loader.window_ns, unit: "1", meter: "loader" },
    silent_open: { value: loader.silent_open, unit: "1", meter: "loader" },
    failed: { value: failed / (completed + failed), unit: "1", meter: "loader" },
    latency_p50: { value: loader.latency_ns.p50, unit: "ns", meter: "loader" },
    latency_p99: { value: loader.latency_ns.p99, unit: "ns", meter: "loader" },
    latency_max: { value: loader.latency_ns.max, unit: "ns", meter: "loader" },
  };
  // A counter that could not be read is left out by the loader, or negative.
  if (loader.server_cpu_ns > 0) {
    readings["schedstat_time"] = each(loader.server_cpu_ns, "ns", "schedstat");
    readings["server_cpu_share"] = { value: loader.server_cpu_ns / loader.window_ns, unit: "1", meter: "schedstat" };
  }
  if (loader.segments >= 0) readings["segments"] = each(loader.segments, "1", "kernel");
  // A server counts over its whole life, warm-up included, so it is divided by its own count of connections.
  for (const counter of ["enters", "completions", "system_calls"] as const) {
    const value = server[counter];
    if (value !== undefined && server.accepted > 0) readings[counter] = { value: value / server.accepted, unit: `1/${per}`, meter: "server" };
  }
  return readings;
}

/** Says of a run whether the loader was the bottleneck: then its throughput is the loader's, not the server's. */
export function pace(loader: LoaderReport): string {
  return loader.loader_cpu_ns / loader.window_ns > boundShare ? "the loader's core was full: throughput is a lower bound" : "the loader kept up";
}
