import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadedPart } from "../build/hosts/elf.js";
import { benchEntries, guestPrograms, soundSettings, trialEntries } from "../build/hosts/guest.js";
import { initramfs } from "../build/hosts/initramfs.js";
import { bootCommand, machineArguments } from "../build/hosts/qemu.js";
import { inProject } from "../build/root.js";

const programs = guestPrograms("amd64");
const built = existsSync(join(programs, "launch")) && existsSync(inProject(".cache", "debian", "busybox-amd64", ".digest")) ? false : "the guest is not built here: make setup";
const settings = { ...soundSettings, scheduling: "equal" } as const;
const command = (program: string, ...words: string[]) => ({ program, arguments: words });

test("a clone at another path builds the same plugin and the same loaded bytes of every program", { skip: built }, () => {
  const folder = mkdtempSync(join(tmpdir(), "nullius-clone-"));
  try {
    const clone = join(folder, "at", "quite", "another", "path");
    mkdirSync(clone, { recursive: true });
    for (const part of ["accept", "guest"]) cpSync(inProject("native", part), join(clone, "native", part), { recursive: true });
    const packages = inProject(".venv", "lib");
    const [python] = readdirSync(packages).filter((name) => name.startsWith("python3"));
    const tool = (...parts: string[]): string => join(packages, python!, "site-packages", ...parts);
    const cache = { ZIG_GLOBAL_CACHE_DIR: inProject(".cache", "zig"), ZIG_LOCAL_CACHE_DIR: join(folder, "zig") };
    const words = [`ZIG=${tool("ziglang", "zig")}`, `GO=${tool("go", "bin", "go")}`, `DEBIAN=${inProject(".cache", "debian")}`, "ARCHITECTURE=amd64"];
    execFileSync("make", ["-C", join(clone, "native", "guest"), ...words], { env: { ...process.env, ...cache }, stdio: ["ignore", "pipe", "pipe"] });
    const there = join(clone, "native", "build");
    for (const name of ["counter-1.so", "counter-4.so"]) assert.ok(readFileSync(join(there, "plugin", name)).equals(readFileSync(inProject("native", "build", "plugin", name))), `${name} differs`);
    const names = readdirSync(join(there, "guest-amd64")).filter((name) => !name.startsWith("."));
    assert.ok(names.length >= 6, names.join(" "));
    for (const name of names) assert.ok(loadedPart(readFileSync(join(there, "guest-amd64", name))).equals(loadedPart(readFileSync(join(programs, name)))), `${name} differs`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const builtGo = existsSync(join(programs, "serve-pooled")) ? false : "the Go programs are not built here: make setup";

test("a clone at another path builds the same Go programs", { skip: builtGo }, () => {
  const folder = mkdtempSync(join(tmpdir(), "nullius-clone-"));
  try {
    const names = ["zap-load", "serve-pooled"];
    cpSync(inProject("native", "zap"), join(folder, "another", "path", "native", "zap"), { recursive: true });
    const words = [`OUT=${join(folder, "out")}`, `GO=${inProject(".cache", "bin", "go")}`, "GOARCH=amd64", "TEXT=0x10001000", "LOADER_TEXT=0x20001000", ...names.map((name) => join(folder, "out", name))];
    execFileSync("make", ["-f", join(folder, "another", "path", "native", "zap", "Makefile"), ...words], { stdio: ["ignore", "pipe", "pipe"] });
    for (const name of names) assert.ok(loadedPart(readFileSync(join(folder, "out", name))).equals(loadedPart(readFileSync(join(programs, name)))), `${name} differs`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the image follows from the trial: placeholders are filled in the guest, words are quoted, the loader is told whom to watch", { skip: built }, () => {
  const entries = trialEntries("amd64", settings, command("accept-epoll", "--port", "{port}", "--note", "it's here"), command("accept-load", "--seed", "{seed}"));
  const text = (path: string): string => String(entries.find((entry) => entry.path === path)!.content);
  assert.match(text("trial/server"), /launch batch \/trial\/bin\/accept-epoll '--port' '8080' '--note' 'it'\\''s here'\n$/);
  assert.match(text("trial/loader"), /accept-load '--seed' "\$seed" '--server-pid' "\$server"\n$/);
  assert.equal(execFileSync("sh", ["-c", text("trial/server").replace(/^.*exec \S+/s, "printf '%s|'")], { encoding: "utf8" }), "batch|/trial/bin/accept-epoll|--port|8080|--note|it's here|");
  const ordinary = trialEntries("amd64", { ...settings, scheduling: "ordinary" }, command("accept-epoll"), command("accept-load"));
  assert.match(String(ordinary.find((entry) => entry.path === "trial/server")!.content), /launch ordinary /);
});

test("a program alone stands where the loader would, beside a server that only waits", { skip: builtGo }, () => {
  const entries = benchEntries("amd64", settings, command("serve-pooled", "--seed", "{seed}"));
  const text = (path: string): string => String(entries.find((entry) => entry.path === path)!.content);
  assert.match(text("trial/loader"), /launch batch \/trial\/bin\/serve-pooled '--seed' "\$seed"\n$/);
  assert.match(text("trial/server"), /^#!\/bin\/sh\necho 'listening /);
});

test("only what changes a count changes the image", { skip: built }, () => {
  const image = (server: string, ...words: string[]): Buffer => initramfs(trialEntries("amd64", settings, command(server, ...words), command("accept-load")));
  assert.ok(image("accept-epoll").equals(image("accept-epoll")));
  assert.ok(!image("accept-epoll").equals(image("accept-accept4")));
  assert.ok(!image("accept-epoll").equals(image("accept-epoll", "--cores", "1")));
});

test("the emulator's digest covers its command line without paths or seed; the boot gets both", () => {
  const words = machineArguments("amd64");
  assert.ok(!words.some((word) => word.includes("/") || word.includes("nullius.seed")));
  for (const needed of ["shift=0,sleep=off", "base=2026-01-01T00:00:00,clock=vm"]) assert.ok(words.includes(needed), needed);
  assert.match(words.at(-1)!, /nokaslr norandmaps random\.trust_cpu=off random\.trust_bootloader=off noapictimer acpi=off$/);
  const folder = inProject(".cache", "debian", "qemu-10.0");
  if (!existsSync(folder)) return;
  const { program, arguments: boot } = bootCommand({ name: "qemu-10.0", folder, digest: "" }, "amd64", 7, { kernel: "k", initramfs: "i", console: "c" });
  assert.match(program, /ld-linux/);
  assert.match(boot[boot.indexOf("-append") + 1]!, / nullius\.seed=7$/);
});
