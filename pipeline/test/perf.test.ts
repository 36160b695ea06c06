import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { judge, parsePerfStat } from "../build/meters/perf.js";

// no-pmu.* and paranoid.txt were recorded from perf 6.1 on a virtual machine without counters; counted.* and multiplexed.csv were put
// together in that format, since no machine with counters was at hand.
const recorded = (name: string): string => readFileSync(join(import.meta.dirname, "input", "perf", name), "utf8");
const both = [{ event: "instructions:u", value: 88214307, share: 1 }, { event: "instructions:k", value: 1593307466, share: 1 }];

test("counts are read alike from CSV and JSON, comments passed over", () => {
  assert.deepEqual(parsePerfStat(recorded("counted.csv")), both);
  assert.deepEqual(parsePerfStat(recorded("counted.json")), both);
});

test("a counter that was shared keeps its share of the time", () => {
  const counts = parsePerfStat(recorded("multiplexed.csv"));
  assert.deepEqual(counts.map((c) => "share" in c && c.share), [0.5, 0.4987, 1]);
});

test("what was not counted carries perf's reason and never a zero", () => {
  for (const [file, reason] of [["no-pmu.csv", "not supported"], ["no-pmu.json", "not supported"], ["not-counted.csv", "not counted"]] as const) {
    assert.deepEqual(parsePerfStat(recorded(file)), [{ event: "instructions:u", reason }, { event: "instructions:k", reason }]);
  }
});

test("availability says why not, with the remedy", () => {
  const ran = (file: string, status = 0) => judge({ status, stderr: recorded(file) });
  assert.deepEqual(ran("counted.csv"), { available: true });
  const reason = (answer: ReturnType<typeof judge>): string => (answer.available ? "" : answer.reason);
  assert.match(reason(ran("no-pmu.csv")), /no hardware counter for instructions:u \(not supported\)/);
  assert.match(reason(ran("paranoid.txt", 255)), /perf_event_paranoid/);
  assert.match(reason(judge({ status: null, stderr: "", error: new Error("spawn perf ENOENT") })), /not installed/);
  assert.match(reason(judge({ status: 129, stderr: "event syntax error: 'instructions:q'\n" })), /perf stat failed: event syntax error/);
});
