import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { layOut } from "../build/experiments/running/plan.js";
import type { Progress } from "../build/experiments/running/progress.js";
import { allRuns, publishedRun, samplesOf } from "../build/store/run.js";
import { attemptKey, type Sample } from "../build/store/sample.js";
import { emulated, experiment, go, native, tableLab } from "./input/table.ts";

let data: string;
beforeEach(() => (process.env["NULLIUS_DATA"] = data = mkdtempSync(join(tmpdir(), "nullius-runner-"))));
afterEach(() => rmSync(data, { recursive: true, force: true }));

const keys = (samples: readonly Sample[]): string[] => samples.map((s) => `${attemptKey(s)} ${s.round} ${s.order}`).sort();
const requests = [{ experiment: experiment(), blocks: [emulated, native] }];

test("a run measures every cell in every round, then stands", async () => {
  const lab = tableLab();
  const outcome = await go(lab);
  assert.equal(outcome.state, "begun");
  assert.equal(outcome.measured, 6 * 2 + 3 * 2);
  assert.equal(new Set(keys(samplesOf(outcome.run))).size, 18);
  assert.equal(publishedRun()?.id, outcome.run.id);
  const again = tableLab();
  assert.equal((await go(again)).state, "unchanged");
  assert.equal(again.measured.length, 0);
});

test("native cells run alone, emulated ones as many at once as asked, never both", async () => {
  const lab = tableLab({ milliseconds: 5 });
  await go(lab);
  assert.deepEqual(lab.most, { native: 1, emulated: 2, mixed: false });
});

test("the order comes from the seed: shuffled, interleaved by rounds, the same each time, and whatever is available", async () => {
  const order = async (seed: number, noEmulator = false): Promise<string[]> => {
    const plan = await layOut(requests, tableLab({ noEmulator }), seed);
    return [...plan.native, ...plan.emulated].map((i) => `${i.order} ${i.round} ${JSON.stringify(i.cell)}`);
  };
  const one = await order(1);
  assert.deepEqual(await order(1), one);
  assert.notDeepEqual(await order(2), one);
  const natives = one.filter((line) => line.includes("host"));
  assert.deepEqual(await order(1, true), natives);
  const plan = await layOut(requests, tableLab(), 1);
  for (const items of [plan.native, plan.emulated]) assert.deepEqual(items.map((i) => i.round), items.map((i) => i.round).sort());
  assert.notDeepEqual(plan.emulated.filter((i) => i.round === 0).map((i) => i.cell), plan.emulated.filter((i) => i.round === 1).map((i) => i.cell));
});

test("a changed program re-measures its own cells and adopts the rest, with provenance and files", async () => {
  const first = await go(tableLab());
  const lab = tableLab({ builds: { engine: 1 } });
  const second = await go(lab);
  assert.equal(second.state, "begun");
  assert.ok(lab.measured.length === 6 && lab.measured.every((m) => m.startsWith("engine ")), lab.measured.join());
  assert.equal(second.adopted, 12);
  for (const s of samplesOf(second.run)) {
    assert.equal(s.adoptedFrom, s.cell["server"] === "engine" ? undefined : first.run.id);
    assert.ok(existsSync(join(second.run.folder, s.histogram!)));
    if (s.basis === "emulated") assert.ok(existsSync(join(second.run.folder, s.profile!)));
  }
  const third = await go(tableLab());
  assert.equal(third.measured, 0);
  assert.ok(samplesOf(third.run).every((s) => s.adoptedFrom !== third.run.id && s.adoptedFrom !== undefined));
  const engine = samplesOf(third.run).filter((s) => s.cell["server"] === "engine");
  assert.ok(engine.every((s) => s.adoptedFrom === first.run.id));
});

test("a new version of the experiment makes all its cells stale", async () => {
  await go(tableLab());
  const outcome = await go(tableLab(), { experiments: [experiment(undefined, "table", 2)] });
  assert.equal(outcome.measured, 18);
});

test("an experiment that was not asked for is carried into the new run", async () => {
  const other = experiment([native], "other");
  await go(tableLab(), { experiments: [experiment([native]), other] });
  const outcome = await go(tableLab({ builds: { go: 1 } }), { experiments: [experiment([native])] });
  assert.equal(outcome.measured, 2);
  assert.equal(samplesOf(outcome.run, ["other"]).length, 6);
  assert.deepEqual(outcome.run.manifest.experiments.map((e) => e.id), ["table", "other"]);
});

test("a failure is written down and tried once more; when it stays it stands, until asked to retry", async () => {
  const flaky = new Set<string>();
  const lab = tableLab({ before: (trial, seed) => {
    const name = `${trial.server.program} ${seed}`;
    if (trial.placement.meter !== "cputime") return;
    if (trial.server.program === "go") throw Object.assign(new Error("port 1 is in use"), { stage: "server", output: "bind: in use" });
    if (trial.server.program === "epoll" && !flaky.has(name)) throw flaky.add(name) && new Error("once");
  } });
  const outcome = await go(lab, { experiments: [experiment([native])] });
  const samples = samplesOf(outcome.run);
  assert.equal(samples.filter((s) => s.failed !== undefined).length, 2 * 2 + 2);
  assert.deepEqual(samples.find((s) => s.cell["server"] === "go")!.failed, { stage: "server", message: "port 1 is in use", output: "bind: in use" });
  assert.equal(samples.filter((s) => s.cell["server"] === "epoll" && s.failed === undefined).length, 2);
  assert.equal((await go(tableLab(), { experiments: [experiment([native])] })).state, "unchanged");
  const retried = await go(tableLab(), { experiments: [experiment([native])], retry: true });
  assert.equal(retried.measured, 2);
  assert.equal(samplesOf(retried.run).filter((s) => s.failed !== undefined).length, 0);
});

test("what is not available is kept in the manifest with its reason, the rest is measured", async () => {
  const outcome = await go(tableLab({ noEmulator: true }), { experiments: [experiment([emulated, { ...native, levels: { ...native.levels, meter: ["cputime", "perf"] } }])] });
  assert.equal(outcome.measured, 6);
  const { unavailable } = outcome.run.manifest;
  assert.deepEqual(unavailable.map((u) => [u.reason, u.cells.length]).sort(), [["no emulator here", 6], ["no perf here", 3]]);
});

test("inputs that change while the run goes on fail the attempt", async () => {
  const builds: Record<string, number> = {};
  const lab = tableLab({ builds, before: () => void (builds["go"] = 7) });
  const outcome = await go(lab, { experiments: [experiment([native])] });
  const changed = samplesOf(outcome.run).filter((s) => s.failed?.stage === "inputs");
  assert.ok(changed.length > 0 && changed.every((s) => s.cell["server"] === "go"));
});

test("the stop rule goes on while any cell of its block is not known closely, up to its last round", async () => {
  const block = { ...native, rounds: 3, until: { metric: "instructions", within: 0.02, rounds: 6 } };
  const steady = await go(tableLab({ value: () => 1000 }), { experiments: [experiment([block])] });
  assert.equal(steady.measured, 9);
  const noisy = await go(tableLab({ value: (trial, seed) => (trial.server.program === "go" ? 1000 + 300 * (seed % 2) : 1000) }), { experiments: [experiment([block], "noisy")] });
  assert.equal(samplesOf(noisy.run, ["noisy"]).length, 18);
  assert.equal((await go(tableLab(), { experiments: [experiment([block], "noisy")] })).state, "unchanged");
});

test("an exploration is never published", async () => {
  const outcome = await go(tableLab(), { purpose: "exploration" });
  assert.ok(outcome.run.finished);
  assert.equal(publishedRun(), undefined);
});

test("progress counts adopted attempts, failures and the time left", async () => {
  await go(tableLab());
  const told: Progress[] = [];
  await go(tableLab({ builds: { engine: 1 } }), { tell: (p) => void told.push(p) });
  assert.deepEqual(told.map((p) => [p.done, p.total]), [[12, 18], [13, 18], [14, 18], [15, 18], [16, 18], [17, 18], [18, 18]]);
  assert.ok(told[0]!.secondsLeft > 0);
  assert.equal(told.at(-1)!.secondsLeft, 0);
});

test("an interrupted run is left unfinished and goes on with the same attempts", async () => {
  const stop = new AbortController();
  let count = 0;
  const lab = tableLab({ before: () => { if (++count === 5) stop.abort(); } });
  await assert.rejects(go(lab, { signal: stop.signal }), (e: Error & { exitCode?: number }) => e.exitCode === 130 && /same command goes on/.test(e.message));
  assert.equal(publishedRun(), undefined);
  assert.equal(allRuns()[0]!.finished, false);
  const resumed = await go(tableLab());
  assert.equal(resumed.state, "resumed");
  assert.equal(samplesOf(resumed.run).length, 18);
});

/** Runs the table in a process of its own; `until` samples it is killed. */
async function process9(folder: string, until?: number, signal: NodeJS.Signals = "SIGKILL"): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "input", "measure-table.ts")], { env: { ...process.env, NULLIUS_DATA: folder }, stdio: ["ignore", "pipe", "pipe"] });
  let out = "", err = "";
  child.stdout.on("data", (d) => (out += d));
  child.stderr.on("data", (d) => (err += d));
  const closed = once(child, "close");
  while (until !== undefined && lines(folder) < until && child.exitCode === null) await new Promise((r) => setTimeout(r, 5));
  if (until !== undefined) child.kill(signal);
  await closed;
  return { code: child.exitCode, out, err };
}

function lines(folder: string): number {
  const runs = join(folder, "runs");
  if (!existsSync(runs)) return 0;
  return readdirSync(runs).reduce((n, run) => {
    const file = join(runs, run, "samples", "table.jsonl");
    return n + (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);
  }, 0);
}

test("kill -9 in the middle, twice, once with a torn line: the plan and every figure equal those of an uninterrupted run", async () => {
  const whole = mkdtempSync(join(tmpdir(), "nullius-whole-"));
  try {
    const straight = await process9(whole);
    assert.match(straight.out, /"begun"/, straight.err);
    await process9(data, 4);
    assert.ok(lines(data) < 18);
    const [run] = allRuns();
    appendFileSync(join(run!.folder, "samples", "table.jsonl"), '{"experiment":"table","cell":{"serv');
    await process9(data, 9);
    const end = await process9(data);
    assert.match(end.out, /"resumed"/, end.err);
    assert.equal(allRuns().length, 1);
    const mine = samplesOf(publishedRun()!);
    process.env["NULLIUS_DATA"] = whole;
    const theirs = samplesOf(publishedRun()!);
    assert.deepEqual(keys(mine), keys(theirs));
    assert.equal(publishedRun()!.manifest.plan.digest, run!.manifest.plan.digest);
    const figures = (samples: readonly Sample[]): string[] => samples.map((s) => `${attemptKey(s)} ${JSON.stringify(s.metrics)}`).sort();
    assert.deepEqual(figures(mine), figures(theirs));
    assert.match(readFileSync(join(run!.folder, "logs", "table.jsonl.torn"), "utf8"), /"serv\n/);
  } finally {
    rmSync(whole, { recursive: true, force: true });
  }
});

test("SIGTERM ends with exit code 130 and keeps what was measured", async () => {
  const { code, err } = await process9(data, 3, "SIGTERM");
  assert.equal(code, 130, err);
  assert.ok(lines(data) >= 3);
});

test("two processes do not measure into one folder", async () => {
  let inner: Promise<unknown> | undefined;
  await go(tableLab({ before: () => void (inner ??= assert.rejects(go(tableLab()), /is measuring here already/)) }));
  await inner;
  assert.ok(inner !== undefined);
});

test("a line deleted from a finished run is measured again", async () => {
  const { run } = await go(tableLab(), { experiments: [experiment([native])] });
  const file = join(run.folder, "samples", "table.jsonl");
  const kept = readFileSync(file, "utf8").split("\n").slice(1).join("\n");
  unlinkSync(file);
  appendFileSync(file, kept);
  const outcome = await go(tableLab(), { experiments: [experiment([native])] });
  assert.deepEqual([outcome.state, outcome.measured, outcome.adopted], ["begun", 1, 5]);
});
