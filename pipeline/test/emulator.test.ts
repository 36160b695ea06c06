import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { boot, guestPrograms } from "../build/hosts/guest.js";
import { packageSet } from "../build/hosts/packages.js";
import { qemuSet } from "../build/hosts/qemu.js";
import type { Measurement, Trial } from "../build/hosts/trial.js";
import { emulatorAvailable, emulatorInputs, measureEmulated, type EmulatorOptions } from "../build/meters/emulator.js";
import { verify } from "../build/meters/verification.js";

// Each boot takes some seconds of a core, so all are made once, two at a time, and the tests read what came of them.

const never = new AbortController().signal;
const placement = { meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal" } as const;

function trial(over: { scheduling?: "equal" | "ordinary"; server?: string[]; loader?: string[]; warmUp?: number; timeoutSeconds?: number } = {}): Trial {
  return {
    placement: { ...placement, scheduling: over.scheduling ?? "equal" },
    server: { program: "accept-epoll", arguments: over.server ?? ["--port", "{port}"] },
    loader: { program: "accept-load", arguments: over.loader ?? ["--port", "{port}", "--connections", "2048", "--warmup", String(over.warmUp ?? 1024), "--in-flight", "512", "--silent", "0"] },
    per: "connection",
    timeoutSeconds: over.timeoutSeconds ?? 600,
  };
}

/** Reads, inside the guest and by the clock, what a time window sees: the server's CPU time and the connections opened to it. */
const byTheClock = `#!/bin/sh
for window in 1 2 3 4 5 6; do
  usleep 40000
  read -r time rest </proc/$server/schedstat
  set -- $(grep '^Tcp: [0-9]' /proc/net/snmp)
  echo "$time $7"
done
`;

const missing = await emulatorAvailable(placement);
const skip = missing.available ? false : `${missing.reason}; ${missing.remedy}`;
const skipBench = skip || (existsSync(join(guestPrograms("amd64"), "bench-codec")) ? false : "the Go programs are not built: make setup");

/** A program alone, which decodes a record so many times. */
function bench(operations: number): Trial {
  return { placement, program: { program: "bench-codec", arguments: ["--codec", "zap", "--operation", "decode", "--operations", String(operations), "--warmup", "2000"] }, per: "operation", timeoutSeconds: 600 };
}

const slots = [Promise.resolve<unknown>(undefined), Promise.resolve<unknown>(undefined)];
let turn = 0;
/** At most two boots at once. */
function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const slot = turn++ % slots.length;
  const result = slots[slot]!.then(task);
  slots[slot] = result.catch(() => {});
  return result;
}

const observed: string[] = [];
const cell = (over: Parameters<typeof trial>[0], options: EmulatorOptions = {}, seed = 1): Promise<Measurement> => inTurn(() => measureEmulated(trial(over), seed, never, options));
function boots() {
  const sound = cell({});
  return {
    sound,
    preempted: cell({ scheduling: "ordinary" }),
    otherSeed: cell({}, {}, 2),
    unseeded: cell({}, { guest: { seeded: false } }),
    early: cell({ warmUp: 0 }, { guest: { settleSeconds: 0 } }),
    watched: cell({}, { guest: { observer: byTheClock }, onBoot: ({ files }) => observed.push(files.get("observer.out") ?? "") }),
    older: cell({}, { qemu: "7.2" }),
    again: inTurn(async () => verify([{ trial: trial(), seed: 1, metrics: (await sound).metrics }], never, 1)),
    badServer: cell({ server: ["--port", "no-port"] }).catch((error: unknown) => error),
    badLoader: cell({ loader: ["--port", "no-port"] }).catch((error: unknown) => error),
  };
}
const made = skip ? undefined : boots();
for (const result of Object.values(made ?? {})) (result as Promise<unknown>).catch(() => {}); // each is awaited by its test
const of = async (name: Exclude<keyof NonNullable<typeof made>, "again" | "badServer" | "badLoader">): Promise<Measurement> => made![name];
const value = (measurement: Measurement, metric: string): number => measurement.metrics[metric]!.value;
const apart = (a: number, b: number): number => Math.abs(a / b - 1);

test("with equal scheduling two meters that know nothing of each other agree within half a hundredth", { skip }, async () => {
  const sound = await of("sound");
  assert.ok(apart(value(sound, "schedstat_time"), value(sound, "instructions")) < 0.005); // over 6,144 connections they agree to 0.0003, over these 2,048 the edges weigh more
  assert.equal(value(sound, "instructions"), value(sound, "instructions_user") + value(sound, "instructions_kernel"));
  assert.equal(sound.profile!.filter(({ task }) => task === "server").reduce((sum, { instructions }) => sum + instructions, 0) / 2048, value(sound, "instructions"));
  assert.equal(sound.inputs, await emulatorInputs(trial()));
});

test("the same cell booted again gives the very same values, and another seed does not", { skip }, async () => {
  assert.deepEqual(await made!.again, [[]]);
  const [one, two] = [await of("sound"), await of("otherSeed")];
  assert.equal(one.inputs, two.inputs);
  assert.notEqual(value(one, "instructions"), value(two, "instructions"));
  assert.ok(apart(value(two, "instructions"), value(one, "instructions")) < 0.02);
});

test("trap: wake-up preemption makes schedstat bill the loader's work to the server; the count of instructions is not taken in", { skip }, async () => {
  const [sound, preempted] = [await of("sound"), await of("preempted")];
  assert.ok(value(preempted, "switches") > 10 * value(sound, "switches"), "the loader must be preempted for the trap to bite");
  assert.ok(value(preempted, "schedstat_time") > 1.03 * value(preempted, "instructions"), "naive: schedstat overcharges");
  const total = (m: Measurement): number => value(m, "instructions") + value(m, "loader_instructions") + value(m, "other_instructions");
  assert.ok(apart(total(preempted) * value(preempted, "throughput"), 1e9) < 0.02, "counted: all tasks together are the guest's time");
});

test("trap: a time window cuts bursts in two; an exact number of connections does not", { skip }, async () => {
  const watched = await of("watched");
  const rows = observed[0]!.trim().split("\n").map((line) => line.split(" ").map(Number) as [number, number]);
  const windows = rows.slice(1).map(([time, opened], n) => (time - rows[n]![0]) / Math.max(1, opened - rows[n]![1])).filter((cost) => cost > 0);
  assert.ok(windows.length >= 2);
  assert.ok(Math.max(...windows.map((cost) => apart(cost, value(watched, "instructions")))) > 0.05, "naive: some window is off by more than 5 %");
  assert.ok(apart(value(await of("otherSeed"), "instructions"), value(await of("sound"), "instructions")) < 0.02);
  assert.equal(value(watched, "failed"), 0);
});

test("trap: an unseeded random generator costs the loader and moves the server's figure; the seeded one does not", { skip }, async () => {
  const [sound, unseeded] = [await of("sound"), await of("unseeded")];
  assert.ok(value(unseeded, "loader_instructions") > value(sound, "loader_instructions") + 5000, "naive: the generator's hashing shows");
  assert.ok(!sound.profile!.some(({ symbol, instructions }) => symbol.startsWith("blake2s_compress") && instructions > 2048 * 1000));
});

test("trap: without a pause, boot-time work runs in the window; after it, none does", { skip }, async () => {
  const [sound, early] = [await of("sound"), await of("early")];
  assert.ok(value(early, "other_instructions") > 1.5 * value(sound, "other_instructions"), "naive: other tasks are busy in the window");
  assert.ok(value(sound, "other_instructions") < 5000);
});

test("no receive work leaves server and loader, so the figure is not falsely low, and no warning is given", { skip }, async () => {
  const sound = await of("sound");
  assert.ok(value(sound, "displaced_share") < 0.05);
  assert.equal(sound.facts["warning"], undefined);
});

test("QEMU 7.2 counts the same within a hundredth, under another digest", { skip }, async () => {
  const [newer, older] = [await of("sound"), await of("older")];
  assert.notEqual(older.inputs, newer.inputs);
  assert.ok(apart(value(older, "instructions"), value(newer, "instructions")) < 0.01);
});

test("a program alone is counted between its own markers, the same each time, and nobody else with it", { skip: skipBench }, async () => {
  const [once, again, longer] = await Promise.all([bench(4_000), bench(4_000), bench(8_000)].map((trial) => inTurn(() => measureEmulated(trial, 1, never))));
  assert.deepEqual(once!.metrics, again!.metrics);
  assert.equal(once!.inputs, await emulatorInputs(bench(4_000)));
  assert.equal(once!.metrics["instructions"]!.unit, "instruction/operation");
  assert.ok(apart(value(once!, "instructions_user") + value(once!, "instructions_kernel"), value(once!, "instructions")) < 1e-12, "user and kernel are all of it");
  assert.ok(apart(value(longer!, "instructions"), value(once!, "instructions")) < 0.05, "per operation, whatever their number");
  assert.ok(apart(value(once!, "cpu_time"), value(once!, "instructions")) < 0.05, "one instruction is a nanosecond of the guest's time");
  assert.ok(value(once!, "instructions") > 20 && value(once!, "instructions") < 2_000);
  assert.ok(!once!.profile!.some(({ task }) => task === "server"));
});

test("a server or loader that fails is a failure that names the stage and shows what it said", { skip }, async () => {
  for (const [error, stage] of [[await made!.badServer, "server"], [await made!.badLoader, "loader"]] as const) {
    const failure = error as { name: string; stage: string; output: string; message: string };
    assert.equal(failure.name, "TrialFailure");
    assert.equal(failure.stage, stage);
    assert.match(failure.output, /no-port/);
  }
});

test("a guest that panics, hangs or is interrupted leaves a sentence and no process", { skip }, async () => {
  const machine = { qemu: qemuSet("10.0"), kernel: packageSet("kernel-6.12-amd64"), architecture: "amd64" } as const;
  const nothing = [{ path: "empty", kind: "file", content: "" }] as const;
  await assert.rejects(boot(machine, nothing, { seed: 1, timeoutSeconds: 600, signal: never }), (error: Error & { stage?: string; output?: string }) => error.stage === "boot" && /went down/.test(error.message) && /panic/i.test(error.output ?? ""));
  await assert.rejects(boot(machine, nothing, { seed: 1, timeoutSeconds: 0.5, signal: never }), (error: Error & { stage?: string }) => error.stage === "boot" && /did not end within 0.5 s of CPU time/.test(error.message));
  const interruption = new AbortController();
  setTimeout(() => interruption.abort(new Error("interrupted")), 500);
  await assert.rejects(boot(machine, nothing, { seed: 1, timeoutSeconds: 600, signal: interruption.signal }), /interrupted/);
  assert.deepEqual(ownEmulators(), []);
});

/** Emulators whose parent is this process. */
function ownEmulators(): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
    try {
      return new RegExp(`^PPid:\\s+${process.pid}$`, "m").test(readFileSync(`/proc/${pid}/status`, "utf8")) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("qemu-system");
    } catch {
      return false;
    }
  });
}
