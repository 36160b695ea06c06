import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Journal, readJournal } from "../build/store/journal.js";
import { query } from "../build/store/query.js";
import { allRuns, publishedRun, samplesOf, type Run } from "../build/store/run.js";
import type { Attempt } from "../build/store/attempt.js";
import { experiment, go, native, tableLab } from "./input/table.ts";

let data: string;
beforeEach(() => (process.env["NULLIUS_DATA"] = data = mkdtempSync(join(tmpdir(), "nullius-store-"))));
afterEach(() => rmSync(data, { recursive: true, force: true }));

const measured = async (): Promise<Run> => (await go(tableLab(), { experiments: [experiment([native])] })).run;
const samplesFile = (run: Run): string => join(run.folder, "samples", "table.jsonl");
const fault = (pattern: RegExp) => (error: Error): boolean => error.name === "Fault" && pattern.test(error.message);

test("a torn last line costs that line only, and the next line starts on its own", async () => {
  const run = await measured();
  appendFileSync(samplesFile(run), '{"experiment":"ta');
  assert.equal(samplesOf(run).length, 6);
  const [first] = readJournal(samplesFile(run)).attempts;
  const journal = new Journal(samplesFile(run));
  journal.append(first!);
  journal.close();
  assert.equal(samplesOf(run).length, 7);
  assert.match(readFileSync(join(run.folder, "logs", "table.jsonl.torn"), "utf8"), /^\{"experiment":"ta\n$/);
});

test("a damaged line anywhere else names file, line and remedy", async () => {
  const run = await measured();
  const whole = readFileSync(samplesFile(run), "utf8").split("\n");
  const damage = (line: number, text: string): void => writeFileSync(samplesFile(run), whole.map((l, i) => (i === line ? text : l)).join("\n"));
  damage(2, whole[2]!.slice(0, 40));
  assert.throws(() => samplesOf(run), fault(/samples\/table\.jsonl:3: the sample is damaged, it is not JSON; restore it from a copy, or delete the line/));
  damage(5, whole[5]!.replace('"basis":"native"', '"basis":"guessed"'));
  assert.throws(() => samplesOf(run), fault(/table\.jsonl:6: the sample is damaged, \/basis must be equal to one of the allowed values/));
  damage(0, whole[0]!.replace(/"inputs":"\w+"/, '"inputs":"x"'));
  await assert.rejects(go(tableLab(), { experiments: [experiment([native])] }), fault(/table\.jsonl:1:/));
  assert.match(readFileSync(samplesFile(run), "utf8"), /"inputs":"x"/);
});

test("what does not fit the schema is refused before it is written", async () => {
  const run = await measured();
  const [first] = readJournal(samplesFile(run)).attempts;
  const before = readFileSync(samplesFile(run), "utf8");
  const journal = new Journal(samplesFile(run));
  const bad: Partial<Attempt>[] = [{ metrics: { x: { value: Number.NaN, unit: "1", meter: "m" } } }, { metrics: {} }, { failed: { stage: "server", message: "and yet metrics" } }, { round: -1 }, { at: "yesterday" }];
  for (const over of bad) assert.throws(() => journal.append({ ...first!, ...over }), /does not fit its schema/);
  journal.close();
  assert.equal(readFileSync(samplesFile(run), "utf8"), before);
});

test("a finished run whose samples are gone says so, by its folder", async () => {
  const run = await measured();
  rmSync(join(run.folder, "samples"), { recursive: true });
  assert.throws(() => samplesOf(publishedRun()!), fault(/\/samples: the samples of a finished run are gone; restore them from a copy, or move the run's folder away$/));
});

test("a run of a newer schema, and a damaged manifest, are Faults that name the file", async () => {
  const run = await measured();
  const path = join(run.folder, "manifest.json");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace('"schema": 1', '"schema": 2'));
  assert.throws(() => allRuns(), fault(/manifest\.json: the run is of schema 2, newer than the 1 that this nullius reads; update nullius/));
  writeFileSync(path, text.slice(0, 100));
  assert.throws(() => allRuns(), fault(/manifest\.json: the manifest is damaged, it is not JSON/));
  writeFileSync(path, text.replace('"seed": 1', '"seed": "one"'));
  assert.throws(() => allRuns(), fault(/\/seed must be integer/));
});

test("only finished runs are published; the reference stands in; unknown runs list the known", async () => {
  assert.equal(publishedRun(), undefined);
  const run = await measured();
  cpSync(run.folder, join(data, "reference"), { recursive: true });
  assert.equal(publishedRun()!.folder, run.folder);
  rmSync(join(run.folder, "finished"));
  assert.equal(publishedRun()!.folder, join(data, "reference"));
  assert.throws(() => publishedRun(run.id), fault(/not finished/));
  assert.throws(() => publishedRun("nope"), fault(/unknown run "nope"; known are reference$/));
});

test("SQL over the files: samples, metrics, profiles, with the torn line passed over", async () => {
  const { run } = await go(tableLab({ before: (trial, seed) => { if (trial.server.program === "go" && seed === 1 && trial.placement.meter === "cputime") throw new Error("no"); } }));
  appendFileSync(samplesFile(run), '{"torn');
  const rows = await query("SELECT server, count(*) AS n, min(unit) AS unit FROM metrics WHERE metric = 'instructions' AND kernel = 'host' GROUP BY server ORDER BY server");
  assert.deepEqual(rows, [{ server: "engine", n: 2, unit: "instruction/connection" }, { server: "epoll", n: 2, unit: "instruction/connection" }, { server: "go", n: 1, unit: "instruction/connection" }]);
  assert.deepEqual(await query("SELECT count(*) AS n FROM samples WHERE failed_stage = 'measure' AND failed_message = 'no'"), [{ n: 2 }]);
  assert.deepEqual(await query("SELECT count(*) AS n FROM samples JOIN profiles USING (profile) WHERE symbol = 'tcp_v4_rcv' AND instructions > 0"), [{ n: 12 }]);
  const values = samplesOf(run).filter((s) => s.failed === undefined).map((s) => s.metrics["instructions"]!.value);
  assert.deepEqual((await query("SELECT value FROM metrics ORDER BY value")).map((r) => r["value"]), values.sort((a, b) => a - b));
  await assert.rejects(query("SELECT nothing FROM samples"), fault(/query: .*nothing.*views are samples, metrics, profiles/));
});

test("a full disk: a Fault, the lines before stay whole, and the same command goes on when there is room", async (t) => {
  const small = mkdtempSync(join(tmpdir(), "nullius-full-"));
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small]).status !== 0) return t.skip("mounting a small disk needs root");
  try {
    process.env["NULLIUS_DATA"] = small;
    await fill(small);
  } finally {
    spawnSync("umount", [small]);
    rmSync(small, { recursive: true });
  }
});

async function fill(small: string): Promise<void> {
  const filler = join(small, "filler");
  const lab = tableLab({ before: () => {
    if (lab.measured.length !== 5) return;
    // Takes all that is left, so that the next line has no room.
    spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1k", "count=512"]);
  } });
  await assert.rejects(go(lab), fault(/the disk is full; free some space and give the same command again/));
  const [run] = allRuns();
  assert.equal(run!.finished, false);
  const kept = samplesOf(run!).length;
  assert.ok(kept >= 3 && kept <= 5, String(kept));
  assert.ok(!existsSync(join(run!.folder, "finished")));
  rmSync(filler);
  const resumed = await go(tableLab());
  assert.equal(resumed.state, "resumed");
  assert.equal(samplesOf(resumed.run).length, 18);
}
