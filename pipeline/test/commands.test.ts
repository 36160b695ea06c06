import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Estimate } from "../build/stats/estimate.js";
import { experiment, go, native, tableLab } from "./input/table.ts";

const cli = join(import.meta.dirname, "..", "build", "cli.js");
let data: string;
before(() => (process.env["NULLIUS_DATA"] = data = mkdtempSync(join(tmpdir(), "nullius-commands-"))));
after(() => rmSync(data, { recursive: true, force: true }));

function nullius(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [cli, ...words], { encoding: "utf8", env: { ...process.env, NULLIUS_DATA: data } });
}

/** One sentence on standard error, no stack, nothing on standard output. */
function fails(words: readonly string[], pattern: RegExp): void {
  const { status, stdout, stderr } = nullius(...words);
  assert.equal(status, 1, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, pattern);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
}

test("mistakes are one sentence that lists the known, and exit 1", () => {
  fails(["run", "acept"], /^nullius: unknown experiment "acept"; known are ablation, accept, .*chain/);
  fails(["run", "--profile", "fast"], /^nullius: unknown profile "fast"; known are quick, standard, full/);
  fails(["reproduce", "--profile", "fast"], /^nullius: unknown profile "fast"/);
  fails(["estimates", "--experiment", "acept"], /^nullius: unknown experiment "acept"/);
  fails(["estimates", "--run", "never"], /^nullius: unknown run "never"; known are none/);
  fails(["estimates"], /^nullius: there is no finished run; measure one with/);
  fails(["notebooks", "--profile", "fast"], /^nullius: unknown profile "fast"/);
  fails(["ledger", "--jsn"], /^nullius: unknown option '--jsn' \(Did you mean --json\?\); '.\/nullius help' lists/);
});

test("output that a full disk swallows is said, with exit 1", { skip: existsSync("/dev/full") ? false : "no /dev/full" }, () => {
  const { status, stderr } = spawnSync(process.execPath, [cli, "ledger"], { encoding: "utf8", stdio: ["ignore", openSync("/dev/full", "w"), "pipe"], env: { ...process.env, NULLIUS_DATA: data } });
  assert.equal(status, 1);
  assert.match(stderr, /^nullius: the standard output: the disk is full; .*\n$/);
});

test("a data folder that cannot be is one sentence", () => {
  const { status, stderr } = spawnSync(process.execPath, [cli, "run", "chain", "--profile", "quick"], { encoding: "utf8", env: { ...process.env, NULLIUS_DATA: cli } });
  assert.equal(status, 1);
  assert.match(stderr, /^nullius: .*cli\.js\/runs: it cannot be made there; .*NULLIUS_DATA to another folder\n$/);
});

test("estimates are rows of Estimate, in a table or as JSON", async () => {
  await go(tableLab(), { experiments: [experiment([native])] });
  const rows = JSON.parse(nullius("estimates", "--json").stdout) as Estimate[];
  assert.equal(rows.length, 3);
  for (const row of rows) {
    for (const key of ["experiment", "metric", "factors", "statistic", "value", "low", "high", "level", "method", "n", "unit", "meter", "basis", "runs", "command"]) assert.ok(key in row, key);
    assert.ok(row.low <= row.value && row.value <= row.high);
  }
  const { stdout } = nullius("estimates");
  assert.match(stdout, /^experiment +cell +metric +value +interval +unit +n +method\n/);
  assert.equal(stdout.trim().split("\n").length, 4);
});

test("ledger --json is one document and no word beside it, the same in any environment", () => {
  const plain = nullius("ledger", "--json");
  assert.equal(plain.status, 0, plain.stderr);
  assert.equal(plain.stderr, "");
  const rows = JSON.parse(plain.stdout) as { claim: string; verdict: string; published: unknown }[];
  assert.ok(rows.length > 0 && rows.every((row) => row.claim !== "" && row.verdict !== "" && "published" in row));
  const { HOME: _, ...rest } = process.env;
  const env = { ...rest, NULLIUS_DATA: data, TZ: "Asia/Kathmandu", LC_ALL: "de_DE.UTF-8", NO_COLOR: "1", COLUMNS: "40", TMPDIR: join(data, "missing") };
  const odd = spawnSync(process.execPath, [cli, "ledger", "--json"], { encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
  assert.equal(odd.stderr, "");
  assert.equal(odd.stdout, plain.stdout);
});

test("with --json a mistake leaves standard output empty", () => {
  for (const words of [["verify", "--cells", "0"], ["ledger", "--claim", "never"], ["render", "--article", "never"], ["notebooks", "never"], ["run", "never"], ["reproduce", "never"], ["estimates", "--run", "never"]]) fails([...words, "--json"], /^nullius: /);
});
