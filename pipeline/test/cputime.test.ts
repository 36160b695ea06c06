import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { hostProgram, observe, programDigest } from "../build/hosts/loopback.js";
import { measureCputime, nativeInputs } from "../build/meters/cputime.js";
import { reportedReadings, pace } from "../build/meters/readings.js";
import type { LoaderReport, Trial } from "../build/hosts/trial.js";

const built = existsSync(hostProgram("accept-epoll")) && existsSync(hostProgram("accept-load"));
const skip = built ? false : "native/build/host is not built";
const signal = new AbortController().signal;
const watch = { begin: async () => {}, end: async () => {} };

const trial: Trial = {
  placement: { meter: "cputime" },
  server: { program: "accept-epoll", arguments: ["--port", "{port}"] },
  loader: { program: "accept-load", arguments: ["--port", "{port}", "--connections", "1024", "--warmup", "256", "--in-flight", "64", "--server-pid", "{server-pid}", "--seed", "{seed}"] },
  per: "connection",
  timeoutSeconds: 60,
};
const report: LoaderReport = { completed: 1000, failed: 0, window_ns: 2e9, loader_cpu_ns: 1e9, server_cpu_ns: 5e7, segments: 8000, silent_open: 0, latency_ns: { min: 1, p50: 2, p99: 3, p999: 4, max: 5 } };

test("a server under load is read by two clocks that see the same work", { skip }, async () => {
  const { metrics, basis, inputs, facts } = await measureCputime(trial, 1, signal);
  assert.equal(basis, "native");
  assert.equal(inputs, nativeInputs(trial));
  assert.ok(metrics["schedstat_time"]!.value > 0 || metrics["cpu_time"]!.value > 0);
  assert.equal(metrics["failed"]!.value, 0);
  assert.ok(metrics["system_calls"]!.value >= 4);
  assert.match(facts["cores"]!, /server on \d+, loader on \d+|share one/);
});

test("a port in use fails the attempt with the server's own sentence", { skip }, async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
  try {
    const bound: Trial = { ...trial, server: { ...trial.server, arguments: ["--port", String(port)] } };
    await assert.rejects(observe(bound, 1, watch, signal), (e: Error & { stage?: string }) => e.stage === "server" && new RegExp(`${port}.*in use`, "i").test(e.message));
  } finally {
    taken.close();
  }
});

test("a loader that refuses its arguments fails the attempt with its own sentence", { skip }, async () => {
  const bad: Trial = { ...trial, loader: { ...trial.loader, arguments: ["--port", "{port}", "--connections", "none"] } };
  await assert.rejects(observe(bad, 1, watch, signal), (e: Error & { stage?: string }) => e.stage === "loader" && /--connections/.test(e.message));
});

test("an interrupted trial leaves no server behind", { skip }, async () => {
  const stop = new AbortController();
  let pid = 0;
  const stopping = { begin: async (server: number) => void ((pid = server), setTimeout(() => stop.abort(), 50)), end: async () => {} };
  const long: Trial = { ...trial, loader: { ...trial.loader, arguments: trial.loader.arguments.map((a) => (a === "1024" ? "100000000" : a)) } };
  await assert.rejects(observe(long, 1, stopping, stop.signal));
  assert.ok(pid > 0 && !existsSync(`/proc/${pid}`));
});

test("a program that is not built is a Fault that says what to do", () => {
  assert.throws(() => programDigest("accept-none"), (e: Error) => e.name === "Fault" && /accept-none: the program is not built; run 'make setup'/.test(e.message));
});

test("the digest of inputs follows programs' arguments, not the order of fields", { skip }, () => {
  const { placement, ...rest } = trial;
  assert.equal(nativeInputs({ ...rest, placement }), nativeInputs(trial));
  assert.notEqual(nativeInputs({ ...trial, server: { ...trial.server, arguments: ["--port", "{port}", "--cores", "2"] } }), nativeInputs(trial));
});

test("readings are divided by what was completed in the window, a server's counters by what it accepted in its life", () => {
  const readings = reportedReadings(report, { path: "p", accepted: 2000, replied: 2000, enters: 1000, completions: 4000 }, "connection");
  assert.deepEqual(readings["schedstat_time"], { value: 50_000, unit: "ns/connection", meter: "schedstat" });
  assert.deepEqual(readings["segments"], { value: 8, unit: "1/connection", meter: "kernel" });
  assert.deepEqual([readings["enters"]!.value, readings["completions"]!.value, readings["throughput"]!.value], [0.5, 2, 500]);
  assert.equal(readings["system_calls"], undefined);
  const blind = reportedReadings({ ...report, server_cpu_ns: -1, segments: -1 }, { path: "p", accepted: 1, replied: 1 }, "connection");
  assert.equal(blind["schedstat_time"], undefined);
  assert.equal(blind["segments"], undefined);
});

test("a full loader is called the bottleneck", () => {
  assert.match(pace({ ...report, loader_cpu_ns: 1.99e9 }), /throughput is a lower bound/);
  assert.match(pace(report), /kept up/);
});
