import assert from "node:assert/strict";
import { test } from "node:test";
import type { Claim, Measure } from "../build/claims/claim.js";
import { judge } from "../build/claims/judge.js";
import { articles, readBook } from "../build/claims/books.js";
import { judgeAll, ledger } from "../build/claims/ledger.js";
import ablation from "../build/experiments/ablation.js";
import accept from "../build/experiments/accept.js";
import chain from "../build/experiments/chain.js";
import type { Experiment } from "../build/experiments/experiment.js";
import { product } from "../build/experiments/running/plan.js";
import type { Sample } from "../build/stats/index.js";
import { compare } from "../build/claims/rules.js";
import type { Estimate } from "../build/stats/estimate.js";
import { evidence, samples, wins } from "./evidence.ts";

const estimate = (low: number, value: number, high: number): Estimate => ({
  experiment: "accept", metric: "m", factors: {}, statistic: "median", value, low, high, level: 0.95, method: "range of 3 seeds", n: 3, unit: "1", meter: "emulator", basis: "emulated", runs: ["r"], command: "c",
});
const claim = (more: Partial<Claim>): Claim => ({ id: "c", article: "a", where: "w", quantity: "q", unit: "1", kind: "ratio", comparator: "interval", comparable: true, ...more });

const cases: readonly [string, Partial<Claim>, Pick<Measure, "pivot" | "expects">, readonly [number, number, number], string, string][] = [
  ["interval within the tolerance", { value: 3, tolerance: 0.1 }, {}, [3.2, 3.4, 3.6], "reproduced", "interval.agrees"],
  ["interval just touching the tolerance from below", { value: 3, tolerance: 0.1 }, {}, [2.5, 2.6, 2.7], "reproduced", "interval.agrees"],
  ["interval of the same sign, other size", { value: 3, tolerance: 0.1 }, {}, [1.5, 1.6, 1.7], "direction", "interval.direction"],
  ["interval flipped", { value: 3, tolerance: 0.1 }, {}, [0.6, 0.7, 0.8], "contradicted", "interval.opposite"],
  ["interval tied with no difference", { value: 3, tolerance: 0.1 }, {}, [0.9, 1, 1.1], "contradicted", "interval.tied"],
  ["a change, same sign", { value: -0.34, tolerance: 0.1 }, { pivot: 0 }, [-0.1, -0.05, -0.01], "direction", "interval.direction"],
  ["a change within the tolerance of a negative figure", { value: -0.34, tolerance: 0.1 }, { pivot: 0 }, [-0.37, -0.36, -0.35], "reproduced", "interval.agrees"],
  ["a change flipped", { value: -0.34, tolerance: 0.1 }, { pivot: 0 }, [0.01, 0.02, 0.03], "contradicted", "interval.opposite"],
  ["an absolute figure off, comparable, has no direction", { kind: "absolute", value: 100, tolerance: 0.1 }, {}, [120, 121, 122], "contradicted", "interval.differs"],
  ["range met", { comparator: "range", range: [2, 3] }, {}, [2.9, 3.1, 3.3], "reproduced", "interval.agrees"],
  ["range missed on the same side", { comparator: "range", range: [2, 3] }, {}, [3.1, 3.2, 3.3], "direction", "interval.direction"],
  ["range missed on the other side", { comparator: "range", range: [2, 3] }, {}, [0.1, 0.2, 0.3], "contradicted", "interval.opposite"],
  ["bound kept", { comparator: "bound", relation: "less than", value: 10 }, {}, [8, 9, 9.9], "reproduced", "bound.kept"],
  ["bound kept by the middle only", { comparator: "bound", relation: "less than", value: 10 }, {}, [8, 9, 11], "direction", "bound.unsure"],
  ["bound broken", { comparator: "bound", relation: "less than", value: 10 }, {}, [9, 11, 12], "contradicted", "bound.broken"],
  ["lower bound kept", { comparator: "bound", relation: "more than", value: 10 }, {}, [11, 12, 13], "reproduced", "bound.kept"],
  ["lower bound broken", { comparator: "bound", relation: "more than", value: 10 }, {}, [8, 9, 10], "contradicted", "bound.broken"],
  ["exact, with the window's edges", { kind: "exact", comparator: "exact", value: 4 }, {}, [4.001, 4.002, 4.003], "reproduced", "exact.agrees"],
  ["exact, not quite", { kind: "exact", comparator: "exact", value: 4 }, {}, [3.8, 3.9, 3.95], "contradicted", "exact.differs"],
  ["exact, but only about", { kind: "exact", comparator: "exact", relation: "about", value: 2 }, {}, [2.1, 2.1, 2.1], "reproduced", "exact.agrees"],
  ["order as published", { kind: "direction", comparator: "order" }, {}, [1, 2, 3], "reproduced", "order.agrees"],
  ["order tied", { kind: "direction", comparator: "order" }, {}, [-1, 0.5, 3], "contradicted", "order.tied"],
  ["order flipped", { kind: "direction", comparator: "order" }, {}, [-3, -2, -1], "contradicted", "order.opposite"],
  ["check of a figure that holds", { kind: "fact", comparator: "check", value: 4 }, {}, [4, 4, 4], "holds", "check.agrees"],
  ["check of a figure that fails", { kind: "fact", comparator: "check", value: 4 }, {}, [8, 8, 8], "fails", "check.differs"],
  ["check of what a measure expects", { kind: "feature", comparator: "check" }, { expects: 0 }, [0, 0, 0], "holds", "check.agrees"],
  ["check of what a measure expects, failing", { kind: "feature", comparator: "check" }, { expects: 0 }, [0.1, 0.1, 0.1], "fails", "check.differs"],
  ["check with nothing that could fail", { kind: "feature", comparator: "check" }, {}, [1, 1, 1], "not yet measured", "no-test"],
  ["open", { comparator: "open" }, {}, [1, 1, 1], "not comparable", "open"],
  ["open and on no hardware of its own", { comparator: "open", comparable: false }, {}, [1, 1, 1], "not comparable", "open"],
  ["bound to its hardware, though equal", { value: 3, tolerance: 0.1, comparable: false }, {}, [3, 3, 3], "not comparable", "hardware"],
  ["bound to its hardware, though far", { value: 3, tolerance: 0.1, comparable: false }, {}, [0.1, 0.1, 0.1], "not comparable", "hardware"],
];

for (const [name, more, measure, [low, value, high], verdict, cause] of cases) {
  test(`verdict: ${name}`, () => {
    assert.deepEqual(compare(claim(more), measure, estimate(low, value, high)), { verdict, cause });
  });
}

const book = {
  conditions: { accept: { meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal", silent: 0 } },
  others: { accept: [{ kernel: "6.1" }] },
};
const ratio: Measure = { claim: "c", experiment: "accept", expression: 'instructions(server="go") / instructions(server="engine")', subject: "own code", note: "the note" };

test("judge: a measured ratio carries its estimate, its basis and the other conditions", () => {
  const attempts = [...samples(wins), ...samples({ go: [50_000], engine: [20_000] }, { kernel: "6.1" })];
  const row = judge(claim({ value: 3, tolerance: 0.1 }), ratio, book, evidence(attempts));
  assert.equal(row.verdict, "reproduced");
  assert.equal(row.basis, "emulated");
  assert.equal(row.measured?.value, 3);
  assert.equal(row.measured?.n, 3);
  assert.deepEqual(row.others.map((other) => [other.factors["kernel"], other.value]), [["6.1", 2.5]]);
  assert.equal(row.reason, "3 (3 to 3) meets the published 3 within 10 %; the note");
});

test("judge: without a run, without the cell, after a failure, on a machine that cannot", () => {
  const one = claim({ value: 3, tolerance: 0.1 });
  assert.equal(judge(one, ratio, book, evidence([])).reason, "nothing has been measured yet");
  const noGo = judge(one, ratio, book, evidence(samples({ engine: [1] })));
  assert.equal(noGo.verdict, "not yet measured");
  assert.match(noGo.reason, /server is go/);
  const { metrics: _, ...rest } = samples({ go: [1] })[0]!;
  const failed = { ...rest, metrics: {}, failed: { stage: "boot", message: "no memory" } };
  assert.deepEqual(pick(judge(one, ratio, book, evidence([...samples({ engine: [1] }), failed]))), ["not measurable here", "it was tried and could not be measured: boot: no memory"]);
  const cell = failed.cell;
  const unavailable = { ...evidence(samples({ engine: [1] })), unavailable: [{ experiment: "accept", reason: "no QEMU here", cells: [cell] }] };
  assert.deepEqual(pick(judge(one, ratio, book, unavailable)), ["not measurable here", "it was tried and could not be measured: no QEMU here"]);
});

const pick = (row: { verdict: string; reason: string }): string[] => [row.verdict, row.reason];

test("judge: a fact holds or fails by what attempts recorded, and is not yet measured where none did", () => {
  const check = claim({ kind: "feature", comparator: "check" });
  const by = (pattern: string): Measure => ({ claim: "c", experiment: "accept", fact: { name: "path", pattern, levels: { server: "engine" } }, subject: "own code" });
  const seen = evidence(samples(wins));
  assert.equal(judge(check, by("plain calls"), book, seen).verdict, "holds");
  assert.equal(judge(check, by("ring"), book, seen).verdict, "fails");
  assert.equal(judge(check, by("plain"), book, evidence(samples({ go: [1] }))).verdict, "not yet measured");
});

test("judge: the best of several must be the published one, alone", () => {
  const by = (expected: string): Measure => ({ claim: "c", experiment: "accept", best: { of: { go: 'instructions(server="go")', engine: 'instructions(server="engine")', epoll: 'instructions(server="epoll")' }, is: "smallest", expected }, subject: "own code" });
  const order = claim({ kind: "optimum", comparator: "optimum" });
  assert.equal(judge(order, by("engine"), book, evidence(samples(wins))).verdict, "reproduced");
  assert.equal(judge(order, by("epoll"), book, evidence(samples(wins))).cause, "best.other");
  const close = evidence(samples({ go: [9], engine: [5, 6, 7], epoll: [6, 7, 8] }));
  assert.equal(judge(order, by("epoll"), book, close).verdict, "direction");
  assert.equal(judge(order, by("epoll"), book, evidence(samples({ go: [9] }))).verdict, "not yet measured");
});

test("ledger: every claim of every article has a verdict and a reason, with a run and without", () => {
  for (const article of articles()) {
    const claims = readBook(article);
    for (const seen of [evidence([]), evidence(samples(wins))]) {
      const rows = judgeAll(claims, seen);
      assert.deepEqual(rows.map((row) => row.claim), claims.claims.map((one) => one.id));
      for (const [index, row] of rows.entries()) {
        assert.notEqual(row.reason, "", row.claim);
        if (!claims.claims[index]!.comparable) assert.ok(!["reproduced", "contradicted"].includes(row.verdict), row.claim);
        if (row.measured) assert.notEqual(row.subject, "none", row.claim);
      }
    }
  }
});

/** One whole attempt at every cell of an experiment's factors, with every metric the conventions name. */
function complete(experiment: Experiment): Sample[] {
  const units: Record<string, string> = {
    instructions: "instruction/connection", cpu_time: "ns/connection", throughput: "connection/s", system_calls: "1/connection", enters: "1/connection",
    completions: "1/connection", segments: "1/connection", failed: "1",
  };
  const cells = Object.entries(experiment.factors).reduce<Record<string, string | number>[]>((sofar, [factor, levels]) => sofar.flatMap((cell) => levels.map((level) => ({ ...cell, [factor]: level }))), [{}]);
  const [template] = samples({ go: [1] });
  return cells.map((cell, index) => ({
    ...template!,
    experiment: experiment.id,
    cell,
    basis: cell["meter"] === "emulator" ? "emulated" : "native",
    metrics: Object.fromEntries(Object.entries(units).map(([metric, unit]) => [metric, { value: 2 + (index % 7), unit, meter: "emulator" }])),
  }));
}

test("ledger: once accept and chain have run, every measure that names them comes to a verdict of its own", () => {
  const attempts = [accept, chain].flatMap(complete);
  const claims = readBook("accept-engine");
  const rows = judgeAll(claims, { ...evidence(attempts), factors: { accept: accept.factors, chain: chain.factors } });
  for (const measure of claims.measures.filter(({ experiment }) => experiment === "accept" || experiment === "chain")) {
    const row = rows.find(({ claim }) => claim === measure.claim)!;
    assert.ok(!["not yet measured", "not measurable here"].includes(row.verdict), `${row.claim}: ${row.verdict}, ${row.reason}`);
    assert.ok(row.measured !== undefined && row.measured.low <= row.measured.value && row.measured.value <= row.measured.high, row.claim);
  }
});

test("ledger: once the ablation's standard profile has run, every claim of the six techniques has a verdict, and the largest gain is told by its step", () => {
  const gains: Record<string, number> = { defer: 100, direct: 50, multishot: 900, freelist: 800, fuse: 12_000, skip: 200, deferred: 3000 };
  const [template] = samples({ go: [1] });
  const cells = ablation.profiles.standard.flatMap((block) => product(block.levels));
  const run = (gain: Record<string, number>): Sample[] => cells.map((cell) => {
    const instructions = Object.entries(gain).reduce((left, [name, takes]) => left - (cell[name] === "on" ? takes : 0), 40_000 + Math.abs(Number(cell["table"]) - 4096) / 100);
    const metrics = { instructions, instructions_libc: cell["freelist"] === "on" ? 300 : 500, enters: 0.3, completions: cell["skip"] === "on" ? 2 : 4, segments: cell["fuse"] === "on" ? 8 : 10 };
    return {
      ...template!, experiment: "ablation", cell, facts: { path: "freelist of 128 connections" },
      metrics: {
        ...Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, { value, unit: name.startsWith("instructions") ? "instruction/connection" : "1/connection", meter: "emulator" }])),
        failed: { value: 0, unit: "1", meter: "loader" },
      },
    };
  });
  const book = readBook("accept-engine");
  const verdicts = (gain: Record<string, number>): Record<string, string> => {
    const rows = judgeAll(book, { ...evidence(run(gain)), factors: { ablation: ablation.factors } });
    return Object.fromEntries(book.measures.filter(({ experiment }) => experiment === "ablation").map(({ claim }) => [claim, rows.find((row) => row.claim === claim)!.verdict]));
  };
  assert.deepEqual(verdicts(gains), {
    "accept.defer.biggest": "contradicted", "accept.table.best": "reproduced", "accept.multishot.enters": "not comparable", "accept.freelist.size": "holds",
    "accept.freelist.libc.before": "not comparable", "accept.freelist.libc.after": "not comparable", "accept.fusion.segments": "reproduced",
    "accept.skip.completions.before": "reproduced", "accept.skip.completions.after": "reproduced", "library.configurations": "holds",
  });
  assert.equal(verdicts({ ...gains, defer: 13_000 })["accept.defer.biggest"], "reproduced");
});

test("ledger: an unknown claim or article is one sentence with what is near", () => {
  assert.throws(() => ledger(["accept-engine"], evidence([]), "accept.ratio.og"), { name: "Fault", message: 'unknown claim "accept.ratio.og": did you mean accept.ratio.go?' });
  assert.throws(() => ledger(["acept-engine"], evidence([])), { name: "Fault", message: 'unknown article "acept-engine": did you mean accept-engine?' });
});
