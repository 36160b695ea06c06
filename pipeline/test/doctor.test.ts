import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const cli = join(root, "pipeline", "build", "cli.js");

interface Row {
  readonly name: string;
  readonly required: boolean;
  readonly found: boolean;
  readonly detail: string;
  readonly remedy: string;
}

test("says of each thing whether it is there, and what to do when not", () => {
  const rows = JSON.parse(execFileSync(process.execPath, [cli, "doctor", "--json"], { encoding: "utf8", env: { ...process.env, NULLIUS_ROOT: root } })) as Row[];
  const byName = new Map(rows.map((row) => [row.name, row]));
  assert.equal(byName.get("node")!.detail, process.version);
  assert.equal(byName.size, rows.length);
  for (const row of rows) assert.equal(row.remedy === "", row.found, row.name);
});

test("an empty project lacks what nothing works without: exit code 2 and a remedy for each", () => {
  const empty = mkdtempSync(join(tmpdir(), "nullius doctor "));
  try {
    mkdirSync(join(empty, "pipeline"));
    cpSync(join(root, "package.json"), join(empty, "package.json"));
    const { status, stdout } = spawnSync(process.execPath, [cli, "doctor"], { encoding: "utf8", env: { PATH: "/nowhere", NULLIUS_ROOT: empty } });
    assert.equal(status, 2);
    assert.match(stdout, /^MISSING {2}node .* not there -> make setup$/m);
    assert.match(stdout, /^missing {2}QEMU 10\.0 .* not unpacked -> make setup$/m);
    assert.match(stdout, /^missing {2}chromium .* not on PATH -> as root: apt-get install chromium$/m);
  } finally {
    rmSync(empty, { recursive: true });
  }
});
