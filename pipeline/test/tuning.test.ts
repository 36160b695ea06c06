import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { inNamespace, NamespacePair, namespacesAvailable } from "../build/hosts/namespace.js";
import { LocalShell } from "../build/hosts/shell.js";
import { knobs, tune, untune } from "../build/hosts/tuning/index.js";
import { ringRows, same } from "../build/hosts/tuning/knobs.js";
import { maskOf, rangeOf } from "../build/hosts/tuning/machine.js";

const here = await namespacesAvailable();
const skip = here.available ? false : here.reason;
const build = join(import.meta.dirname, "..", "build");
const url = (path: string): string => JSON.stringify(pathToFileURL(join(build, path)).href);

let folder: string;
let pair: NamespacePair;
let shell: LocalShell;
/** A veth with two queues each way, which knows XPS; that of the pair has one. */
const device = "nltune0";

before(async () => {
  process.env["NULLIUS_TUNING"] = folder = mkdtempSync(join(tmpdir(), "nullius-tuning-"));
  if (skip !== false) return;
  pair = await NamespacePair.make();
  shell = new LocalShell(pair.server.namespace);
  await inNamespace(pair.server.namespace, "ip", "link", "add", device, "numtxqueues", "2", "numrxqueues", "2", "type", "veth", "peer", "name", "nltune1", "numtxqueues", "2", "numrxqueues", "2");
});
after(async () => {
  await pair?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything a knob could change: all of the namespace's network settings and queues, and the host's. */
async function snapshot(): Promise<string> {
  const all = `cd /; find proc/sys/net sys/class/net/*/queues/ sys/devices/system/cpu/cpufreq -type f 2>/dev/null | grep -v -e stable_secret -e flush -e byte_queue -e idletime | sort | xargs grep -s ''`;
  return (await shell.run(["sh", "-c", all])).stdout + (await new LocalShell().run(["sh", "-c", all])).stdout;
}

function nullius(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(build, "cli.js"), ...words], { encoding: "utf8", env: { ...process.env, NULLIUS_TUNING: folder } });
}

/** A process that tunes the namespace through `place` and then does `rest`. Gives it once it has said that it is so far, or has ended. */
async function other(rest: string, place: "whole" | "half" = "whole"): Promise<ChildProcess> {
  const script = `const { LocalShell } = await import(${url("hosts/shell.js")}); const { tune } = await import(${url("hosts/tuning/index.js")});
    class Half extends LocalShell {
      async run(words, options) {
        if (words[1] !== "-s") return super.run(words, options);
        const lines = options.input.split("\\n");
        await super.run(words, { input: lines.slice(0, 2 + (lines.length >> 1)).join("\\n") });
        console.log("half");
        await new Promise(() => setInterval(() => {}, 1000));
      }
    }
    const places = { whole: LocalShell, half: Half };
    const tuned = await tune(new places.${place}(${JSON.stringify(pair.server.namespace)}), { device: "${device}" }); console.log("tuned"); ${rest}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, NULLIUS_TUNING: folder } });
  await Promise.race([once(child.stdout!, "data"), once(child, "exit")]);
  return child;
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

test("masks, ranges and the table of ethtool are read and written as the kernel does", () => {
  assert.deepEqual([maskOf([0]), maskOf([0, 1, 2, 19]), maskOf([32]), maskOf([0, 71])], ["1", "80007", "1,00000000", "80,00000000,00000001"]);
  assert.deepEqual(rangeOf("0-2,5"), [0, 1, 2, 5]);
  assert.ok(same("0000000e", "e") && same("4096\t131072\t6291456", "4096 131072 6291456") && same("00000000,000fffff", "fffff"));
  assert.ok(!same("1,00000000", "1") && !same("0", "1"));
  const text = "Ring parameters for eth0:\nPre-set maximums:\nRX:\t\t4096\nRX Mini:\tn/a\nTX:\t\t2048\nCurrent hardware settings:\nRX:\t\t512\nRX Mini:\tn/a\nTX:\t\t2048\n";
  assert.deepEqual(ringRows(text), [{ place: "ring rx of at most 4096", value: "512" }, { place: "ring tx of at most 2048", value: "2048" }]);
});

test("which knobs a namespace exercises, and which are the host's alone", { skip }, async (t) => {
  const was = await snapshot();
  const { rows, undo } = await tune(shell, { device });
  try {
    const changed = [...new Set(rows.filter((row) => row.outcome === "changed").map((row) => row.knob))];
    t.diagnostic(`exercised here: ${changed.join(", ")}; the host's alone: ${knobs.map(({ name }) => name).filter((name) => !changed.includes(name)).join(", ")}`);
    assert.deepEqual(changed, ["socket-buffers", "somaxconn", "syn-backlog", "ports", "rps", "rfs", "xps"]);
    const ring = rows.find((row) => row.knob === "ring")!;
    assert.deepEqual([ring.outcome, ring.reason], ["refused", "Operation not supported"]);
    assert.equal(rows.find((row) => row.place.endsWith("rx-1/rps_flow_cnt"))!.wanted, "16384");
    const tuned = await snapshot();
    assert.notEqual(tuned, was);
    const second = await tune(shell, { device });
    assert.deepEqual([second.rows.filter((row) => row.outcome === "changed").length, await snapshot()], [0, tuned], "what is set stays set");
  } finally {
    await undo();
  }
  assert.equal(await snapshot(), was);
  assert.deepEqual(readdirSync(folder), []);
});

test("tune by command: shows without changing, is kept, leaves out and turns back what is left out; untune restores", { skip }, async () => {
  const was = await snapshot();
  const words = ["tune", "--namespace", pair.server.namespace, "--interface", device];
  const shown = nullius(...words, "--dry-run", "--without", "rps,rfs", "--json");
  assert.equal(shown.status, 0, shown.stderr);
  const { rows } = JSON.parse(shown.stdout) as { rows: { knob: string; outcome: string }[] };
  assert.ok(rows.filter(({ knob }) => knob === "rps" || knob === "rfs").every(({ outcome }) => outcome === "left out"));
  assert.ok(rows.some(({ knob, outcome }) => knob === "xps" && outcome === "would change"));
  assert.equal(await snapshot(), was);
  assert.equal(nullius(...words).status, 0);
  const whole = await snapshot();
  assert.equal(nullius("ledger", "--claim", "wire.rx.queues").status, 0);
  assert.equal(await snapshot(), whole, "what a person set stays");
  const less = nullius(...words, "--without", "rps,rfs");
  assert.equal(less.status, 0, less.stderr);
  assert.match(await snapshot(), /nltune0\/queues\/rx-0\/rps_cpus:0+\n/);
  assert.notEqual(await snapshot(), was);
  await assert.rejects(tune(shell, { device }), /was tuned by hand; turn that back first: .\/nullius untune$/);
  assert.match(nullius("untune").stdout, /^nltune0: turned back, \d+ settings\n$/);
  assert.equal(await snapshot(), was);
  assert.equal(nullius("untune").stdout, "nothing is tuned\n");
});

const ways = {
  "exits": "process.exit(3);",
  "fails": "setTimeout(() => { throw new Error('on purpose'); });",
  "is interrupted": "process.on('SIGINT', () => process.exit(130)); process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000);",
  "undoes it itself": "await tuned.undo();",
};
for (const [how, rest] of Object.entries(ways)) {
  test(`all is as before when a process that tuned ${how}`, { skip }, async () => {
    const was = await snapshot();
    await gone(await other(rest));
    assert.equal(await snapshot(), was);
    assert.deepEqual(readdirSync(folder), []);
  });
}

for (const place of ["whole", "half"] as const) {
  for (const command of [["untune"], ["estimates", "--json"]]) {
    test(`after kill -9 of a process, its tuning ${place} done, ${command[0]} leaves everything as before`, { skip }, async () => {
      const was = await snapshot();
      const child = await other("setInterval(() => {}, 1000);", place);
      assert.notEqual(await snapshot(), was);
      assert.deepEqual((await untune({ all: true })).map(({ outcome }) => outcome), ["in use"]);
      await assert.rejects(tune(shell, { device }), /is tuned by process \d+, which is still at work/);
      child.kill("SIGKILL");
      await gone(child);
      assert.notEqual(await snapshot(), was);
      nullius(...command);
      assert.equal(await snapshot(), was);
      assert.deepEqual(readdirSync(folder), []);
    });
  }
}

test("the script that is saved turns everything back with no program of ours", { skip }, async () => {
  const was = await snapshot();
  const child = await other("setInterval(() => {}, 1000);");
  child.kill("SIGKILL");
  await gone(child);
  const script = readdirSync(folder).find((name) => name.endsWith(".sh"))!;
  await inNamespace(pair.server.namespace, "sh", join(folder, script));
  assert.equal(await snapshot(), was);
  assert.deepEqual((await untune({ all: true })).map(({ outcome }) => outcome), ["turned back"]);
});

test("a namespace that is gone takes its state with it", { skip }, async () => {
  const second = await NamespacePair.make();
  await tune(new LocalShell(second.server.namespace), { device: second.server.device, owner: "hand" });
  await second.close();
  assert.deepEqual((await untune({ all: true })).map(({ outcome }) => outcome), ["gone"]);
  assert.deepEqual(readdirSync(folder), []);
});

test("mistakes are one sentence, and nothing is changed", { skip }, async () => {
  const was = await snapshot();
  await assert.rejects(tune(shell, { device: "eth9" }), { name: "Fault", message: /^the namespace .* has no network device "eth9"; it has lo, / });
  await assert.rejects(tune(shell, { device, without: ["rsp"] }), { name: "Fault", message: /^unknown knob "rsp"; known are ring, governor/ });
  process.env["NULLIUS_TUNING"] = "/proc/nowhere";
  try {
    await assert.rejects(tune(shell, { device }), /cannot be saved, so nothing was changed/);
  } finally {
    process.env["NULLIUS_TUNING"] = folder;
  }
  assert.equal(await snapshot(), was);
});
