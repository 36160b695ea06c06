import type { BenchReport, LoaderReport } from "../hosts/trial.js";
import type { ServerReport, ServerWindow } from "../hosts/loopback.js";
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
  return per === "request" ? { ...readings, ...requestReadings(loader, server) } : readings;
}

/** What servers of requests on kept connections give beside: the tail, the wire, and their own runtime's counts. */
function requestReadings(loader: LoaderReport, server: ServerReport): Record<string, Reading> {
  const readings: Record<string, Reading> = {};
  if (loader.latency_ns.p999 !== undefined) readings["latency_p999"] = { value: loader.latency_ns.p999, unit: "ns", meter: "loader" };
  if (loader.offered_rate !== undefined) readings["offered_rate"] = { value: loader.offered_rate, unit: "request/s", meter: "loader" };
  for (const [name, bytes] of [["request_bytes", loader.sent_bytes], ["reply_bytes", loader.received_bytes]] as const) {
    if (bytes !== undefined) readings[name] = { value: bytes / loader.completed, unit: "B/request", meter: "loader" };
  }
  return server.window === undefined || !(server.window.requests > 0) ? readings : { ...readings, ...windowReadings(server.window) };
}

/** The article counts its collections in six seconds. */
const articleSeconds = 6;

function windowReadings(window: ServerWindow): Record<string, Reading> {
  const { requests, seconds } = window;
  const readings: Record<string, Reading> = { cpu_time: { value: window.cpu_ns / requests, unit: "ns/request", meter: "cputime" } };
  const add = (name: string, value: number | undefined, unit: string): void => void (value === undefined || (readings[name] = { value, unit, meter: "server" }));
  const scaled = (value: number | undefined, by: number): number | undefined => (value === undefined ? undefined : value * by);
  add("allocations", scaled(window.allocations, 1 / requests), "1/request");
  add("allocated_bytes", scaled(window.allocated_bytes, 1 / requests), "B/request");
  add("collections", window.collections, "1");
  add("collections_six_seconds", scaled(window.collections, articleSeconds / seconds), "1");
  add("pause_time", window.pause_ns, "ns");
  add("pause_six_seconds", scaled(window.pause_ns, articleSeconds / seconds), "ns");
  return readings;
}

/** The readings of a bench: what its window took, divided by its operations. */
export function benchReadings(report: BenchReport): Record<string, Reading> {
  const { operations } = report;
  const each = (value: number, unit: string, meter: string): Reading => ({ value: value / operations, unit: `${unit}/operation`, meter });
  return {
    time: each(report.window_ns, "ns", "bench"),
    cpu_time: each(report.cpu_ns, "ns", "cputime"),
    allocations: each(report.allocations, "1", "bench"),
    allocated_bytes: each(report.allocated_bytes, "B", "bench"),
    ...(report.bytes === undefined ? {} : { wire_bytes: each(report.bytes, "B", "bench") }),
    ...(report.collections === undefined ? {} : { collections: { value: report.collections, unit: "1", meter: "bench" } }),
    ...(report.allocation_sites === undefined ? {} : { allocation_sites: { value: report.allocation_sites, unit: "1", meter: "bench" } }),
  };
}

/** Says of a run whether the loader was the bottleneck: then its throughput is the loader's, not the server's. */
export function pace(loader: LoaderReport): string {
  return loader.loader_cpu_ns / loader.window_ns > boundShare ? "the loader's core was full: throughput is a lower bound" : "the loader kept up";
}
