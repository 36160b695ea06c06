import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import ablation, { techniques } from "../build/experiments/ablation.js";
import accept from "../build/experiments/accept.js";
import chain from "../build/experiments/chain.js";
import kernels from "../build/experiments/kernels.js";
import { measure, profileNamed } from "../build/experiments/index.js";
import { placementOf } from "../build/experiments/running/placement.js";
import { layOut, product } from "../build/experiments/running/plan.js";
import { experiments, experimentsNamed } from "../build/experiments/running/registry.js";
import { evaluate } from "../build/stats/index.js";
import { publishedRun } from "../build/store/run.js";
import { tableLab } from "./input/table.ts";

let data: string;
before(() => (process.env["NULLIUS_DATA"] = data = mkdtempSync(join(tmpdir(), "nullius-experiments-"))));
after(() => rmSync(data, { recursive: true, force: true }));

test("experiments are found by their files", async () => {
  assert.deepEqual((await experiments()).map((e) => e.id).filter((id) => ["ablation", "accept", "chain", "kernels"].includes(id)), ["ablation", "accept", "chain", "kernels"]);
  await assert.rejects(experimentsNamed(["accept", "acept"]), /unknown experiment "acept"; known are ablation, accept, .*chain/);
});

for (const experiment of [ablation, accept, chain, kernels]) {
  test(`${experiment.id}: every cell of every profile is made of known levels and can be placed`, () => {
    for (const blocks of Object.values(experiment.profiles)) {
      for (const cell of blocks.flatMap((block) => product(block.levels))) {
        assert.deepEqual(Object.keys(cell).sort(), Object.keys(experiment.factors).sort());
        for (const [factor, level] of Object.entries(cell)) assert.ok(experiment.factors[factor]!.includes(level), `${factor} ${level}`);
        const trial = experiment.trial(cell);
        assert.equal(trial.placement.meter, cell["meter"]);
        assert.deepEqual(experiment.trial(cell), trial);
        assert.match(trial.server.program, /^accept-(go|vanilla|epoll|accept4|engine)$/);
      }
    }
  });

  test(`${experiment.id}: a smaller profile asks for nothing that a larger one does not, so it is adopted whole`, async () => {
    const keys = async (profile: "quick" | "standard" | "full"): Promise<Set<string>> => {
      const plan = await layOut([{ experiment, blocks: experiment.profiles[profile] }], tableLab(), 1);
      return new Set([...plan.native, ...plan.emulated].map((item) => item.key));
    };
    const [quick, standard, full] = [await keys("quick"), await keys("standard"), await keys("full")];
    assert.ok(quick.isSubsetOf(standard) && standard.isSubsetOf(full));
    assert.ok(quick.size < standard.size && standard.size < full.size);
  });
}

test("accept, standard: all servers on both kernels with three seeds, interleaved", async () => {
  const plan = await layOut([{ experiment: accept, blocks: accept.profiles.standard }], tableLab(), 1);
  const count = (silent: number): number => plan.emulated.filter((i) => i.cell["silent"] === silent).length;
  assert.deepEqual([count(0), count(1), count(100)], [36, 36, 36]);
  assert.ok(plan.emulated.every((i) => i.cell["scheduling"] === "equal" && i.cell["architecture"] === "amd64"));
  const first = plan.emulated.filter((i) => i.round === 0).slice(0, 12);
  assert.ok(new Set(first.map((i) => i.cell["server"])).size > 2 && new Set(first.map((i) => i.cell["kernel"])).size === 2);
});

test("silent clients reach the loader, and only an emulated window is counted exactly", () => {
  const cell = { server: "go", meter: "emulator", kernel: "6.1", architecture: "amd64", scheduling: "equal", silent: 100 };
  const words = (c: Record<string, string | number>): string => accept.trial(c).loader.arguments.join(" ");
  assert.match(words(cell), /--connections 6144 --warmup 2048 --in-flight 512 --silent 100 --silent-settle-ms 1500/);
  assert.match(words({ ...cell, meter: "cputime", kernel: "host", architecture: "host", silent: 0 }), /--connections 32768 .*--silent 0/);
});

test("chain changes nothing but the link within a base", () => {
  const cell = { base: "plain", link: "off", meter: "cputime", kernel: "host", architecture: "host", scheduling: "ordinary" };
  const words = (c: Record<string, string>): string => chain.trial(c).server.arguments.join(" ");
  assert.equal(words(cell).replace("link-chain=off", "link-chain=on"), words({ ...cell, link: "on" }));
  assert.match(words(cell), /multishot-accept=off .*direct-descriptors=off/);
  assert.doesNotMatch(words({ ...cell, base: "six-techniques" }), /multishot/);
});

const six = Object.keys(techniques);
const published = { ...Object.fromEntries(six.map((name) => [name, "on"])), deferred: "off", table: 4096, kept: 128, batch: 4096, in_flight: 512, meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal" };

/** The cells of a profile that differ from the published set in nothing but these factors. */
function varying(profile: "quick" | "standard" | "full", names: readonly string[]): Record<string, string | number>[] {
  const cells = ablation.profiles[profile].flatMap((block) => product(block.levels)).filter((cell) => Object.entries(published).every(([factor, level]) => names.includes(factor) || cell[factor] === level));
  return [...new Map(cells.map((cell) => [JSON.stringify(names.map((name) => cell[name])), cell])).values()];
}

test("ablation, quick: the six one by one in the article's order, and each left out, twelve cells in all", () => {
  const switches = varying("quick", six).map((cell) => six.map((name) => (cell[name] === "on" ? "1" : "0")).join("")).sort();
  assert.deepEqual(switches, ["000000", "100000", "110000", "111000", "111100", "111110", "111111", "111101", "111011", "110111", "101111", "011111"].sort());
  assert.equal(ablation.profiles.quick.flatMap((block) => product(block.levels)).length, 13, "the published set stands in both");
});

test("ablation, standard: sixteen of the 128 combinations are balanced, and no main effect is mixed with an interaction of two", () => {
  const names = [...six, "deferred"];
  const runs = ablation.profiles.standard.slice(13, 29).flatMap((block) => product(block.levels)).map((cell) => names.map((name) => (cell[name] === "on" ? 1 : -1)));
  assert.equal(new Set(runs.map(String)).size, 16);
  const column = (...places: number[]): number[] => runs.map((run) => places.reduce((sign, place) => sign * run[place]!, 1));
  const product2 = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, n) => sum + value * b[n]!, 0);
  names.forEach((_, one) => {
    assert.equal(product2(column(one), column()), 0, "balanced");
    names.forEach((_, other) => names.forEach((_, third) => {
      if (other !== one) assert.equal(product2(column(one), column(other)), 0, "main effects are independent");
      if (new Set([one, other, third]).size === 3) assert.equal(product2(column(one), column(other, third)), 0, `${names[one]} is mixed with ${names[other]} and ${names[third]}`);
    }));
  });
  assert.ok(runs.some((run) => String(run) === "1,1,1,1,1,1,-1"), "the published set is one of them");
});

test("ablation, full: all combinations of the six, with TCP_DEFER_ACCEPT and without, and every size and load", () => {
  assert.equal(varying("full", [...six, "deferred"]).length, 128);
  assert.deepEqual(["table", "kept", "batch", "in_flight"].map((factor) => varying("full", [factor]).length), [8, 4, 5, 6]);
  assert.deepEqual(["table", "kept", "batch", "in_flight"].map((factor) => varying("standard", [factor]).length), [5, 2, 3, 4]);
});

test("ablation: switches, sizes and load reach the programs, each by itself", () => {
  const words = (cell: Record<string, string | number>): string => [...ablation.trial(cell).server.arguments, ...ablation.trial(cell).loader.arguments].join(" ");
  assert.match(words(published), /--configuration six-techniques --set defer-taskrun=on .*--set skip-success=on --set defer-accept=off --table 4096 --freelist 128 --ring 4096 .*--in-flight 512/);
  for (const [name, technique] of Object.entries(techniques)) assert.equal(words({ ...published, [name]: "off" }), words(published).replace(`${technique}=on`, `${technique}=off`));
  assert.equal(words({ ...published, table: 64, kept: 16, batch: 256, in_flight: 1 }), words(published).replace("--table 4096 --freelist 128 --ring 4096", "--table 64 --freelist 16 --ring 256").replace("--in-flight 512", "--in-flight 1"));
});

test("an unknown meter, and a native meter away from the host, are Faults that list what is known", () => {
  assert.throws(() => placementOf({ meter: "stopwatch" }), /unknown meter "stopwatch"; known are emulator, cputime, perf/);
  assert.throws(() => placementOf({ meter: "perf", kernel: "6.1", architecture: "host" }), /meter "perf" reads this machine/);
  assert.throws(() => placementOf({ meter: "emulator", kernel: "6.1", architecture: "mips", scheduling: "equal" }), /unknown architecture "mips"/);
  assert.throws(() => profileNamed("fast"), /unknown profile "fast"; known are quick, standard, full/);
});

test("a notebook varies levels without touching what is published, and its estimates answer an expression", async () => {
  const lab = tableLab({ value: (trial) => (trial.server.program === "accept-go" ? 3000 : 1000) });
  const measured = await measure("accept", { profile: "quick", levels: { server: ["go", "engine"], meter: ["emulator"], kernel: ["6.12"], silent: [0] }, rounds: 4, lab, tell: () => {} });
  assert.equal(measured.samples.length, 8);
  assert.equal(measured.run.manifest.purpose, "exploration");
  assert.equal(publishedRun(), undefined);
  const ratio = evaluate('instructions(server="go") / instructions(server="engine")', { meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal", silent: 0 }, measured.samples, { factors: accept.factors });
  assert.deepEqual([ratio.value, ratio.n, ratio.unit], [3, 4, "1"]);
  const again = await measure("accept", { profile: "quick", levels: { server: ["go", "engine"], meter: ["emulator"], kernel: ["6.12"], silent: [0] }, rounds: 4, lab, tell: () => {} });
  assert.equal(again.state, "unchanged");
  await assert.rejects(measure("accept", { levels: { sever: ["go"] }, lab }), /unknown factor "sever" of accept; known are server, meter/);
  await assert.rejects(measure("accept", { levels: { server: ["rust"] }, lab }), /unknown level "rust" of "server" in accept; known are "go", "vanilla"/);
});

test("kernels: standard has every server on every kernel of amd64 with two seeds, full both architectures, and the trial is that of accept", () => {
  const [standard] = kernels.profiles.standard;
  assert.equal(product(standard!.levels).length, 66);
  assert.equal(standard!.rounds, 2);
  assert.equal(kernels.profiles.full.flatMap((block) => product(block.levels)).length, 132);
  const cell = { server: "epoll", meter: "emulator", kernel: "7.3", architecture: "amd64", scheduling: "equal" };
  assert.deepEqual(kernels.trial(cell), accept.trial({ ...cell, silent: 0 }));
});
