import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { allowedCores } from "../build/hosts/machine.js";
import { pause, Program } from "../build/hosts/process.js";

const forever = new AbortController().signal;
const sh = (script: string, over: object = {}): Program => new Program({ stage: "server", path: "/bin/sh", arguments: ["-c", script], signal: forever, ...over });
const lives = (pid: number): boolean => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
async function gone(pid: number): Promise<void> {
  for (let i = 0; i < 500 && lives(pid); i++) await pause(10);
  assert.ok(!lives(pid), `process ${pid} is still there`);
}

test("a program's end gives code, signal and all it printed", async () => {
  const { code, stdout, stderr } = await sh("echo out; echo err >&2; exit 3").end(10);
  assert.deepEqual([code, stdout, stderr], [3, "out\n", "err\n"]);
});

test("one that ends before it is ready fails with its own last line", async () => {
  await assert.rejects(sh("echo first >&2; echo cannot bind port 1 >&2; exit 1").line(/^listening/m, 10), { name: "TrialFailure", stage: "server", message: "cannot bind port 1" });
});

test("one that is never ready, or never ends, fails in time and is killed", async () => {
  const deaf = sh("sleep 60");
  await assert.rejects(deaf.line(/^listening/m, 0.1), /not ready within 0.1 s/);
  await assert.rejects(deaf.end(0.1), /did not end within 0.1 s/);
  assert.equal((await deaf.ended).signal, "SIGKILL");
});

test("one that cannot be started fails with a sentence", async () => {
  const none = new Program({ stage: "server", path: "/nowhere/accept-none", arguments: [], signal: forever });
  await assert.rejects(none.line(/^listening/m, 10), (e: Error) => e.name === "TrialFailure" && /accept-none/.test(e.message));
});

test("aborting kills it with all it started", async () => {
  const stop = new AbortController();
  const parent = sh("sleep 60 & echo $! >&2; echo ready >&2; wait", { signal: stop.signal });
  await parent.line(/^ready$/m, 10);
  const child = Number(/^(\d+)$/m.exec(parent.output)![1]);
  stop.abort();
  await parent.ended;
  await gone(child);
});

test("it is pinned to the core asked for", async () => {
  const core = allowedCores().at(-1)!;
  const { stdout } = await sh("grep Cpus_allowed_list /proc/self/status", { core }).end(10);
  assert.equal(stdout.trim().split(/\s+/)[1], String(core));
});

test("kill -9 of this program's process takes its programs along", async () => {
  const module = pathToFileURL(join(import.meta.dirname, "..", "build", "hosts", "process.js")).href;
  const script = `const { Program } = await import(${JSON.stringify(module)}); const p = new Program({ stage: "s", path: "/bin/sleep", arguments: ["60"], signal: new AbortController().signal }); console.log(p.pid);`;
  const middle = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(middle.stdout, "data") as [Buffer];
  const pid = Number(line.toString());
  assert.ok(lives(pid));
  middle.kill("SIGKILL");
  await gone(pid);
});
