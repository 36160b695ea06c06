import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { inNamespace, NamespacePair, namespacesAvailable, receiveThreadsOf, sweepNamespaces } from "../build/hosts/namespace.js";
import { Program } from "../build/hosts/process.js";

const here = await namespacesAvailable();
const skip = here.available ? false : here.reason;
const module = pathToFileURL(join(import.meta.dirname, "..", "build", "hosts", "namespace.js")).href;

/** What a pair could leave behind: namespaces of ours, devices, kernel threads. Those of others come and go. */
function left(pid: number): string[] {
  const device = `nl${pid.toString(36).padStart(5, "0")}`;
  const list = (folder: string): string[] => { try { return readdirSync(folder); } catch { return []; } };
  const threads = list("/proc").filter((name) => { try { return readFileSync(`/proc/${name}/comm`, "utf8").startsWith(`napi/${device}`); } catch { return false; } });
  return [...list("/run/netns").filter((name) => name.startsWith(`nullius-${pid}-`)), ...list("/sys/class/net").filter((name) => name.startsWith(device)), ...threads];
}

/** A process that makes a pair and then does `rest`; gives its number once the pair is there. */
async function other(rest: string): Promise<{ child: ReturnType<typeof spawn>; pid: number }> {
  const script = `const { NamespacePair } = await import(${JSON.stringify(module)}); const pair = await NamespacePair.make({ receiveThreads: true }); console.log("made"); ${rest}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout!, "data");
  return { child, pid: child.pid! };
}

/** A namespace is freed a moment after its name. */
async function nothingLeft(pid: number): Promise<void> {
  for (let i = 0; i < 100 && left(pid).length > 0; i++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(left(pid), []);
}

test("two namespaces, a link between them with a receive thread at each end; nothing is left after close", { skip }, async () => {
  const pair = await NamespacePair.make({ receiveThreads: true });
  try {
    assert.deepEqual([pair.server, pair.client].map((end) => receiveThreadsOf(end.device).length), [1, 1]);
    const reached = await new Program({ stage: "ping", path: "sh", arguments: ["-c", `cat /sys/class/net/${pair.client.device}/carrier`], namespace: pair.client.namespace, signal: AbortSignal.timeout(10_000) }).end(5);
    assert.equal(reached.stdout, "1\n");
    const routes = await inNamespace(pair.client.namespace, "ip", "-4", "route");
    assert.match(routes, new RegExp(`^198\\.18\\.0\\.0/30 dev ${pair.client.device} .* src 198\\.18\\.0\\.2 \\n$`));
    const second = await NamespacePair.make();
    assert.equal(receiveThreadsOf(second.server.device).length, 0);
    await second.close();
    assert.deepEqual(sweepNamespaces(), [], "what is in use is not swept");
  } finally {
    await pair.close();
  }
  await nothingLeft(process.pid);
});

for (const [how, rest] of [["it exits", "process.exit(3);"], ["it fails", "throw new Error('x');"], ["SIGINT stops it", "process.on('SIGINT', () => process.exit(130)); process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000);"]] as const) {
  test(`nothing is left of a process when ${how}`, { skip }, async () => {
    const { child, pid } = await other(rest);
    if (child.exitCode === null) await once(child, "exit");
    await nothingLeft(pid);
  });
}

test("what kill -9 leaves is removed by the next sweep, and nothing else", { skip }, async () => {
  const { child, pid } = await other("setInterval(() => {}, 1000);");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(left(pid).filter((name) => name.startsWith("nullius-")).length, 2);
  assert.equal(sweepNamespaces().filter((name) => name.startsWith(`nullius-${pid}-`)).length, 2);
  await nothingLeft(pid);
});

test("what the kernel refuses is a failure of the stage link, in its words", { skip }, async () => {
  const [path] = [process.env["PATH"]];
  try {
    process.env["PATH"] = "/nowhere";
    await assert.rejects(NamespacePair.make(), (error: { stage: string; message: string }) => error.stage === "link" && /spawn ip ENOENT/.test(error.message));
  } finally {
    process.env["PATH"] = path;
  }
});
