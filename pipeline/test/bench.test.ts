import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { run, type Row } from "../build/commands/bench.js";
import type { Trial } from "../build/hosts/trial.js";
import type { Reading } from "../build/store/attempt.js";
import { allRuns, publishedRun } from "../build/store/run.js";
import { subject, tableLab, type Table } from "./input/table.ts";

let data: string;
before(() => (process.env["NULLIUS_DATA"] = data = mkdtempSync(join(tmpdir(), "nullius-bench-"))));
after(() => rmSync(data, { recursive: true, force: true }));

/** Ours takes a tenth of the time of every peer, and of the CPU time half; a round's own speed is in both, so only pairing takes it out. */
function metrics(trial: Trial, seed: number): Record<string, Reading> {
  const speed = 1 + (seed % 5) / 2;
  const words = "program" in trial ? trial.program.arguments : [];
  const ours = words.includes("zap") || words.includes("pooled") || subject(trial) === "serve-pooled";
  const per = "program" in trial ? "operation" : "request";
  return {
    time: { value: (ours ? 10 : 100) * speed, unit: `ns/${per}`, meter: "bench" },
    cpu_time: { value: (ours ? 500 : 1000) * speed, unit: `ns/${per}`, meter: "cputime" },
    allocations: { value: ours ? 0 : 3, unit: `1/${per}`, meter: "bench" },
  };
}

/** What the command prints as JSON, on both streams. */
async function bench(table: Table, quick: boolean): Promise<{ code: number; rows: Row[]; said: string[] }> {
  const [log, error, write] = [console.log, console.error, process.stderr.write];
  const [out, said]: [string[], string[]] = [[], []];
  console.log = (line: string) => void out.push(line);
  console.error = (line: string) => void said.push(line);
  process.stderr.write = () => true;
  try {
    return { code: await run([], { json: true, quick }, tableLab(table)), rows: JSON.parse(out.join("")) as Row[], said };
  } finally {
    [console.log, console.error, process.stderr.write] = [log, error, write];
  }
}

test("a row for each operation and codec, and for each way to reach a server; ratios are paired within rounds", async () => {
  const { code, rows } = await bench({ metrics }, false);
  assert.equal(code, 0);
  const peers = (name: string): string[] => rows.filter((row) => row.name === name).map((row) => row.peer);
  for (const operation of ["decode", "encode", "handler"]) assert.deepEqual(peers(`typed.${operation}`), ["json", "jsonv2", "goccy", "sonic", "protobuf", "vtprotobuf", "vtprotobuf-unsafe", "flatbuffers"]);
  for (const name of ["server.inprocess", "server.depth1", "server.depth16", "server.body1m"]) assert.deepEqual(peers(name), ["fasthttp"]);
  assert.equal(rows.length, 28);
  for (const { name, ratio, low, high, n, method, allocations } of rows) {
    const expected = name === "server.inprocess" || name.startsWith("typed.") ? 0.1 : 0.5;
    for (const value of [ratio, low, high]) assert.ok(Math.abs(value - expected) < 1e-12, `${name} ${value}`);
    assert.deepEqual([n, method, allocations], [7, "bootstrap over rounds", 0]);
  }
});

test("each time all is measured again, in a run that is never published", async () => {
  const before = allRuns().length;
  const { code, rows } = await bench({ metrics }, true);
  assert.equal(code, 0);
  assert.ok(rows.every((row) => row.n === 3));
  const runs = allRuns();
  assert.equal(runs.length, before + 1);
  assert.ok(runs.every((held) => held.manifest.purpose === "exploration"));
  assert.equal(publishedRun(), undefined);
});

test("what fails is said, the rest is shown, and the exit code is 2", async () => {
  const failing: Table = { metrics, before: (trial) => void ("program" in trial && trial.program.arguments.includes("sonic") && assert.fail("no such codec")) };
  const { code, rows, said } = await bench(failing, true);
  assert.equal(code, 2);
  assert.equal(rows.length, 25);
  assert.deepEqual(said, ["decode", "encode", "handler"].map((operation) => `nullius: typed.${operation} / sonic: measure: no such codec`));
});
