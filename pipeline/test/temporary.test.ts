import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inTemporaryFolder, sweep } from "../build/hosts/temporary.js";

const was = process.env["TMPDIR"];
const folder = mkdtempSync(join(tmpdir(), "nullius-temporary-"));
before(() => (process.env["TMPDIR"] = folder));
after(() => {
  if (was === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = was;
  rmSync(folder, { recursive: true, force: true });
});

test("a temporary folder is gone after the work, failed work too", async () => {
  let seen = "";
  await assert.rejects(inTemporaryFolder(async (path) => {
    seen = path;
    assert.ok(existsSync(path));
    throw new Error("failed");
  }), /failed/);
  assert.ok(seen.startsWith(folder) && !existsSync(seen));
});

test("what a killed process left is removed; what a living one uses, and what is not ours, stays", () => {
  const gone = spawnSync("true").pid;
  const [left, used, other] = [`nullius-trial-${gone}-a`, `nullius-trial-${process.pid}-b`, "nullius-other"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [left, used, other]) mkdirSync(path);
  sweep();
  assert.ok(existsSync(left), "too young to be sure");
  sweep(Date.now() + 2 * 3_600_000);
  assert.deepEqual([left, used, other].map(existsSync), [false, true, true]);
});

test("a TMPDIR that is not there is a Fault", async () => {
  process.env["TMPDIR"] = join(folder, "never");
  await assert.rejects(inTemporaryFolder(async () => {}), (error: Error) => error.name === "Fault" && /never\/nullius-trial-/.test(error.message));
  process.env["TMPDIR"] = folder;
});
