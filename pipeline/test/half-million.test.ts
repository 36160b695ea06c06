import assert from "node:assert/strict";
import { test } from "node:test";
import bodies from "../build/experiments/bodies.js";
import clients from "../build/experiments/clients.js";
import framework from "../build/experiments/framework.js";
import transport from "../build/experiments/transport.js";
import typed from "../build/experiments/typed.js";
import { readBook } from "../build/claims/books.js";
import { judgeAll } from "../build/claims/ledger.js";
import { layOut, product } from "../build/experiments/running/plan.js";
import type { Experiment } from "../build/experiments/experiment.js";
import { isBench } from "../build/hosts/trial.js";
import { benchReadings, reportedReadings } from "../build/meters/readings.js";
import type { Sample } from "../build/stats/index.js";
import { tableLab } from "./input/table.ts";

const experiments: readonly Experiment[] = [framework, transport, bodies, typed, clients];
const book = readBook("half-million");
const factors = Object.fromEntries(experiments.map((experiment) => [experiment.id, experiment.factors]));

const loader = { completed: 1000, failed: 0, window_ns: 2e9, loader_cpu_ns: 1e9, server_cpu_ns: 5e7, segments: 8000, silent_open: 0, latency_ns: { min: 1, p50: 2000, p99: 3000, p999: 4000, max: 5000 }, offered_rate: 600, sent_bytes: 90_000, received_bytes: 120_000 };
const window = { requests: 1000, seconds: 2, cpu_ns: 4e7, collections: 20, pause_ns: 500, allocations: 3000, allocated_bytes: 96_000 };
const server = { path: "a server", accepted: 64, replied: 1200, window };
const bench = { operations: 500, window_ns: 1e6, cpu_ns: 9e5, allocations: 1000, allocated_bytes: 24_000, bytes: 81_000, collections: 2, allocation_sites: 3, path: "a bench", facts: { wire: "identical replies of naive and pooled, 126 bytes", roundtrip: "same bytes" } };

/** One whole attempt at every cell of the profiles, as the programs would have left it. */
function attempts(experiment: Experiment): Sample[] {
  const cells = Object.values(experiment.profiles).flatMap((blocks) => blocks.flatMap((block) => product(block.levels)));
  return cells.map((cell, order): Sample => {
    const alone = isBench(experiment.trial(cell));
    return {
      experiment: experiment.id, cell, round: 0, seed: 1, order, at: "2026-01-01T00:00:00Z", durationSeconds: 1, inputs: "0".repeat(64),
      basis: cell["meter"] === "emulator" ? "emulated" : "native",
      metrics: { ...(alone ? benchReadings(bench) : reportedReadings(loader, server, "request")), instructions: { value: 100 + (order % 7), unit: alone ? "instruction/operation" : "instruction/request", meter: "emulator" } },
      facts: alone ? bench.facts : { path: server.path },
      run: "20260101T000000Z-test", ranAs: "standard",
    };
  });
}

const later = new Set(["wire", "handshake"]);

test("once the five experiments have run, every claim that they answer has a verdict of its own, in the claim's unit", () => {
  const rows = judgeAll(book, { run: "r", attempts: experiments.flatMap(attempts), factors, unavailable: [] });
  assert.equal(rows.length, 82);
  for (const [index, row] of rows.entries()) {
    const { unit, comparator } = book.claims[index]!;
    const measure = book.measures.find(({ claim }) => claim === row.claim)!;
    if (later.has(measure.experiment!)) {
      assert.deepEqual([row.verdict, row.cause], ["not yet measured", "later"], row.claim);
      continue;
    }
    assert.ok(!["not yet measured", "not measurable here"].includes(row.verdict), `${row.claim}: ${row.verdict}, ${row.reason}`);
    assert.notEqual(row.subject, "none", row.claim);
    if (measure.fact === undefined && comparator !== "open") assert.equal(row.measured!.unit, unit ?? "1", row.claim);
  }
});

test("the conditions shown beside a verdict are all there", () => {
  const rows = judgeAll(book, { run: "r", attempts: experiments.flatMap(attempts), factors, unavailable: [] });
  for (const { claim, others = [] } of book.measures) assert.equal(rows.find((row) => row.claim === claim)!.others.length, others.length, claim);
});

test("what is judged on our own code says so", () => {
  for (const { claim, subject, note = "" } of book.measures) {
    if (subject === "own code") assert.match(note, /our own|our loader's/, claim);
  }
});

test("a request's readings: the server's own window, collections also for six seconds, its own clock before the process's", () => {
  const readings = reportedReadings(loader, server, "request");
  assert.deepEqual(readings["cpu_time"], { value: 40_000, unit: "ns/request", meter: "cputime" });
  assert.deepEqual([readings["allocations"]!.value, readings["allocated_bytes"]!.value, readings["allocated_bytes"]!.unit], [3, 96, "B/request"]);
  assert.deepEqual([readings["collections"]!.value, readings["collections_six_seconds"]!.value, readings["pause_six_seconds"]!.value], [20, 60, 1500]);
  assert.deepEqual([readings["request_bytes"]!.value, readings["reply_bytes"]!.value, readings["offered_rate"]!.value, readings["latency_p999"]!.value], [90, 120, 600, 4000]);
  const blind = reportedReadings(loader, { path: "p", accepted: 64, replied: 1200 }, "request");
  assert.equal(blind["cpu_time"], undefined);
  assert.equal(blind["allocations"], undefined);
  assert.equal(reportedReadings(loader, server, "connection")["latency_p999"], undefined, "a connection's readings are what they were");
});

test("a bench's readings are divided by its operations", () => {
  const readings = benchReadings(bench);
  assert.deepEqual(readings["time"], { value: 2000, unit: "ns/operation", meter: "bench" });
  assert.deepEqual([readings["cpu_time"]!.value, readings["allocations"]!.value, readings["allocated_bytes"]!.value, readings["wire_bytes"]!.value, readings["allocation_sites"]!.value], [1800, 2, 48, 162, 3]);
  assert.equal(benchReadings({ operations: 1, window_ns: 1, cpu_ns: 1, allocations: 0, allocated_bytes: 0, path: "p" })["wire_bytes"], undefined);
});

test("every cell of every profile is a trial whose levels its factors know", () => {
  for (const { id, profiles, factors: known, trial } of experiments) {
    for (const block of Object.values(profiles).flat()) {
      for (const cell of product(block.levels)) {
        assert.deepEqual(Object.keys(cell).sort(), Object.keys(known).sort(), id);
        for (const [factor, level] of Object.entries(cell)) assert.ok(known[factor]!.includes(level), `${id}: ${factor} ${level}`);
        const made = trial(cell);
        assert.equal(made.placement.meter, cell["meter"]);
        const words = isBench(made) ? made.program.arguments : [...made.server.arguments, ...made.loader.arguments];
        assert.ok(words.every((word) => typeof word === "string" && !/undefined|NaN/.test(word)), `${id}: ${words.join(" ")}`);
      }
    }
  }
});

for (const experiment of experiments) {
  test(`${experiment.id}: a smaller profile asks for nothing that a larger one does not, so it is adopted whole`, async () => {
    const keys = async (profile: "quick" | "standard" | "full"): Promise<Set<string>> => {
      const plan = await layOut([{ experiment, blocks: experiment.profiles[profile] }], tableLab(), 1);
      return new Set([...plan.native, ...plan.emulated].map((item) => item.key));
    };
    const [quick, standard, full] = [await keys("quick"), await keys("standard"), await keys("full")];
    assert.deepEqual([[...quick.difference(standard)], [...standard.difference(full)]], [[], []]);
    assert.ok(quick.size < standard.size && standard.size < full.size);
  });
}
