import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { initramfs, type InitramfsEntry } from "../build/hosts/initramfs.js";
import { findPackageSet } from "../build/hosts/packages.js";

const entries: InitramfsEntry[] = [
  { path: "init", kind: "program", content: "#!/bin/sh\n" },
  { path: "bin/busybox", kind: "program", content: Buffer.from([0, 1, 2, 3, 255]) },
  { path: "bin/sh", kind: "link", content: "busybox" },
  { path: "trial/settings", kind: "file", content: "SETTLE=10\n" },
];

test("the same entries in another order give the same bytes", () => {
  assert.deepEqual(initramfs(entries), initramfs([...entries].reverse()));
});

test("one changed byte changes the archive", () => {
  assert.notDeepEqual(initramfs(entries), initramfs([...entries.slice(0, 3), { path: "trial/settings", kind: "file", content: "SETTLE=11\n" }]));
});

test("names are sorted, times and owners are zero, and every record starts at a multiple of four", () => {
  const archive = initramfs(entries);
  const names: string[] = [];
  for (let at = 0; at < archive.length; ) {
    assert.equal(at % 4, 0);
    assert.equal(archive.toString("latin1", at, at + 6), "070701");
    const field = (n: number): number => parseInt(archive.toString("latin1", at + 6 + n * 8, at + 14 + n * 8), 16);
    const [owner, group, time, size, length] = [field(2), field(3), field(5), field(6), field(11)] as const;
    assert.deepEqual([owner, group, time], [0, 0, 0]);
    names.push(archive.toString("latin1", at + 110, at + 110 + length - 1));
    at += Math.ceil((110 + length) / 4) * 4;
    at += Math.ceil(size / 4) * 4;
  }
  assert.deepEqual(names, ["bin", "bin/busybox", "bin/sh", "init", "trial", "trial/settings", "TRAILER!!!"]);
});

const busybox = findPackageSet(`busybox-${process.arch === "arm64" ? "arm64" : "amd64"}`);

test("cpio unpacks what was put in", { skip: busybox ? false : "no BusyBox here: make setup" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "nullius-cpio-"));
  try {
    execFileSync(join(busybox!.folder, "usr/bin/busybox"), ["cpio", "-idm"], { cwd: folder, input: initramfs(entries), stdio: ["pipe", "ignore", "ignore"] });
    assert.deepEqual(readFileSync(join(folder, "bin/busybox")), Buffer.from([0, 1, 2, 3, 255]));
    assert.equal(readlinkSync(join(folder, "bin/sh")), "busybox");
    assert.equal(statSync(join(folder, "init")).mode & 0o777, 0o755);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
