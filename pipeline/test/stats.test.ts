import assert from "node:assert/strict";
import { test } from "node:test";
import { cellEstimates, evaluate, interval, Unmeasured, type Sample } from "../build/stats/index.js";

/** A sample of a table: `value` instructions of `server` in `round`. */
function sample(server: string, round: number, value: number, over: Partial<Sample> = {}): Sample {
  return {
    experiment: "accept", cell: { server, kernel: "6.12" }, round, seed: round + 1, order: 0, at: "2026-01-01T00:00:00Z", durationSeconds: 1,
    inputs: "0".repeat(64), basis: "emulated", facts: {}, run: "r1",
    metrics: {
      instructions: { value, unit: "instruction/connection", meter: "emulator" },
      schedstat_time: { value: value / 3, unit: "ns/connection", meter: "schedstat" },
      enters: { value: 0.5, unit: "1/connection", meter: "server" },
      throughput: { value: 1e9 / value, unit: "connection/s", meter: "loader" },
    },
    ...over,
  };
}
const go = [73_000, 74_000, 75_000], engine = [18_000, 18_100, 18_500];
const samples = [...go.map((v, i) => sample("go", i, v)), ...engine.map((v, i) => sample("engine", i, v))];
const primary = { kernel: "6.12" };

test("a ratio is computed seed by seed and ranged over the seeds", () => {
  const e = evaluate('instructions(server="go") / instructions(server="engine")', primary, samples);
  const ratios = go.map((v, i) => v / engine[i]!).sort((a, b) => a - b);
  assert.deepEqual([e.low, e.value, e.high], ratios);
  assert.equal(e.unit, "1");
  assert.equal(e.n, 3);
  assert.equal(e.method, "range of 3 seeds");
  assert.equal(e.basis, "emulated");
  assert.deepEqual(e.factors, { kernel: "6.12" });
  assert.deepEqual(e.runs, ["r1"]);
});

test("pairs stay pairs: common drift of a round cancels in the ratio", () => {
  const drift = [1, 2, 3, 4, 5, 6, 7];
  const native = drift.flatMap((d, i) => [sample("go", i, 4000 * d, { basis: "native" }), sample("engine", i, 1000 * d, { basis: "native" })]);
  const e = evaluate('instructions(server="go") / instructions(server="engine")', primary, native);
  assert.deepEqual([e.low, e.value, e.high], [4, 4, 4]);
  assert.equal(e.method, "bootstrap over rounds");
});

test("units: a plain selector keeps its own, a difference has one, a sum of unlike things is refused", () => {
  assert.equal(evaluate('instructions(server="go")', primary, samples).unit, "instruction/connection");
  assert.equal(evaluate('enters(server="go")', primary, samples).unit, "1/connection");
  const difference = evaluate('instructions(server="go") - instructions(server="engine")', primary, samples);
  assert.equal(difference.unit, "instruction/connection");
  assert.equal(difference.value, 55_900);
  assert.equal(evaluate('throughput(server="go")', primary, samples).unit, "connection/s");
  const share = evaluate('instructions(server="engine") / instructions(server="go") - 1', primary, samples);
  assert.ok(Math.abs(share.value - (18_100 / 74_000 - 1)) < 0.005);
  assert.equal(evaluate('throughput(server="go") / (1000 connection/s)', primary, samples).unit, "1");
  assert.throws(() => evaluate('instructions(server="go") + schedstat_time(server="go")', primary, samples), /nits/);
});

test("functions of mathjs are not selectors", () => {
  const e = evaluate('max(instructions(server="go"), instructions(server="engine")) / abs(instructions(server="go"))', primary, samples);
  assert.equal(e.value, 1);
});

test("a selector's own level comes before the primary one", () => {
  assert.equal(evaluate('instructions(server="go")', { kernel: "6.12", server: "engine" }, samples).value, 74_000);
  assert.equal(evaluate("instructions", { kernel: "6.12", server: "engine" }, samples).value, 18_100);
});

test("what cannot be is a Fault that names it and lists the known", () => {
  const fails = (expression: string, levels: Record<string, string | number>, pattern: RegExp, options = {}) =>
    assert.throws(() => evaluate(expression, levels, samples, options), (e: Error) => e.name === "Fault" && !(e instanceof Unmeasured) && pattern.test(e.message));
  fails("instructions", primary, /leaves "server" open; give it one of "go", "engine"/);
  fails('joules(server="go")', primary, /unknown metric "joules"; known are enters, instructions/);
  fails('instructions(sever="go")', primary, /unknown factor "sever".*known are kernel, server/);
  fails('instructions(server="rust")', primary, /unknown level "rust" of "server".*"go", "engine"/);
  fails('instructions(server="go", 3)', primary, /mixes/);
  fails('instructions(server="go"', primary, /Parenthesis/);
  fails("1 + 1", primary, /selects no metric/);
});

test("a level of the experiment that was not measured is told from one that does not exist", () => {
  const factors = { server: ["go", "engine", "epoll"], kernel: ["6.1", "6.12"] };
  assert.throws(() => evaluate('instructions(server="epoll")', primary, samples, { factors }), Unmeasured);
  assert.throws(() => evaluate('instructions(server="rust")', primary, samples, { factors }), (e: Error) => !(e instanceof Unmeasured));
  assert.throws(() => evaluate('instructions(server="go")', primary, []), Unmeasured);
});

test("rounds without a partner are left out, and none at all is Unmeasured", () => {
  const e = evaluate('instructions(server="go") / instructions(server="engine")', primary, samples.slice(0, 5));
  assert.equal(e.n, 2);
  const apart = [sample("go", 0, 5), sample("engine", 1, 5)];
  assert.throws(() => evaluate('instructions(server="go") / instructions(server="engine")', primary, apart), Unmeasured);
});

test("failed attempts are passed over and the last whole attempt of a round stands", () => {
  const failed = sample("go", 0, 1, { failed: { stage: "server", message: "died" }, metrics: {} });
  assert.equal(evaluate('instructions(server="go")', primary, [sample("go", 0, 10), sample("go", 0, 20), failed]).value, 20);
});

test("bases do not mix, and native rounds of different runs say that they were not side by side", () => {
  assert.throws(() => evaluate('instructions(server="go") / instructions(server="engine")', primary, [sample("go", 0, 2), sample("engine", 0, 1, { basis: "native" })]), /mixes emulated and native/);
  const e = evaluate('instructions(server="go") / instructions(server="engine")', primary, [sample("go", 0, 2, { basis: "native" }), sample("engine", 0, 1, { basis: "native", run: "r2", adoptedFrom: "r0" })]);
  assert.match(e.method, /measured in different runs/);
  assert.deepEqual(e.runs, ["r0", "r1"]);
});

test("several experiments need the experiment named", () => {
  const both = [...samples, sample("go", 0, 5, { experiment: "chain" })];
  assert.throws(() => evaluate('instructions(server="go")', primary, both), /leaves "experiment" open/);
  assert.equal(evaluate('instructions(server="go", experiment="chain")', primary, both).value, 5);
  assert.equal(evaluate('instructions(server="go")', { ...primary, experiment: "accept" }, samples).value, 74_000);
});

test("an interval holds its value, is the same every time, and says when it is none", () => {
  for (const values of [[3], [1, 9], [1, 2, 3], [5, 5, 5, 5, 5], [1, 2, 3, 4, 100], [0.1, 0.2, 0.3, 0.15, 0.25, 0.7]]) {
    const a = interval(values, "rounds");
    assert.ok(a.low <= a.value && a.value <= a.high, JSON.stringify(a));
    assert.deepEqual(a, interval([...values].reverse(), "rounds"));
  }
  assert.match(interval([3], "seeds").method, /no interval/);
  assert.deepEqual([[3], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5]].map((values) => interval(values, "seeds").level), [0, 0.5, 0.75, 0.875, 0.95]);
});

test("cells give one estimate for each metric", () => {
  const rows = cellEstimates(samples);
  assert.equal(rows.length, 8);
  const row = rows.find((r) => r.metric === "instructions" && r.factors["server"] === "go")!;
  assert.deepEqual([row.low, row.value, row.high, row.n, row.meter], [73_000, 74_000, 75_000, 3, "emulator"]);
  assert.equal(row.command, "./nullius run accept");
});
