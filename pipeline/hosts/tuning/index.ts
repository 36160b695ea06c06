import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { Fault } from "../../fault.js";
import { LocalShell, type Shell } from "../shell.js";
import { knobs, same, type Held, type Knob } from "./knobs.js";
import { machineOf, type Machine } from "./machine.js";
import { forget, isMinded, me, save, scriptOf, stateFolder, stateName, states, undoing, undoPath, type Change, type Owner, type Saved } from "./state.js";

export { knobs } from "./knobs.js";
export type { Machine } from "./machine.js";

/** One place of a knob: what it held, what it should hold, and what became of it. */
export interface Row {
  readonly knob: string;
  readonly place: string;
  readonly before?: string;
  readonly wanted?: string;
  /** `would change` is a dry run's `changed`; `refused` is a knob that this kernel or driver has not, `left out` one that was not asked for. */
  readonly outcome: "as wanted" | "changed" | "would change" | "refused" | "left out";
  /** The kernel's own words. */
  readonly reason?: string;
}

/** A host as it is tuned. */
export interface Tuned {
  readonly machine: Machine;
  readonly rows: readonly Row[];
  /** Turns everything back. @throws Fault naming what could not be turned back, which stays saved */
  undo(): Promise<void>;
}

export interface TuneOptions {
  readonly device: string;
  /** Names of knobs that are turned; all without it. */
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  readonly dryRun?: boolean;
  /** Who minds it: this process unless a person does. */
  readonly owner?: Owner;
}

/** The knobs of these names in their order. @throws Fault for an unknown name; it lists the known */
function chosen({ only, without = [] }: TuneOptions): Knob[] {
  const unknown = [...(only ?? []), ...without].find((name) => !knobs.some((knob) => knob.name === name));
  if (unknown !== undefined) throw new Fault(`unknown knob "${unknown}"; known are ${knobs.map((knob) => knob.name).join(", ")}`);
  return knobs.filter(({ name }) => (only === undefined || only.includes(name)) && !without.includes(name));
}

/**
 * Turns the knobs of a place. What was there is saved and flushed first. Given twice it changes nothing more and keeps what was first there;
 * a knob that is left out the second time is turned back.
 *
 * @throws Fault for an unknown device or knob, and where the state cannot be saved: nothing has been changed then
 */
export async function tune(shell: Shell, options: TuneOptions): Promise<Tuned> {
  const { device, dryRun = false, owner = me() } = options;
  const wanted = chosen(options);
  const machine = await machineOf(shell, device);
  const earlier = (await states(shell)).find((saved) => stateName(saved.machine) === stateName(machine) && saved.machine.boot === machine.boot);
  if (earlier !== undefined && !dryRun) refuseOthers(shell, earlier, owner);
  const { rows, changes, back } = await compare(shell, machine, wanted, earlier?.changes ?? []);
  if (dryRun) return { machine, rows, undo: async () => {} };
  if (changes.length === 0) return { machine, rows, undo: async () => {} };
  await save(shell, { schema: 1, at: new Date().toISOString(), owner: me(), machine, changes });
  const release = guard(shell, machine);
  const undo = async (): Promise<void> => {
    await turnBack(shell, machine, changes);
    release();
  };
  try {
    const writes = changes.filter(({ knob }) => wanted.some(({ name }) => name === knob));
    const refusals = await runAll(shell, [...back.map((change) => change.undo), ...writes.map(({ knob, place, wanted: value }) => knobNamed(knob).write(machine, place, value))]);
    const held = await readAll(shell, machine, wanted);
    const told = rows.map((row): Row => {
      if (row.outcome !== "would change") return row;
      const now = held.find(({ knob, place }) => knob === row.knob && place === row.place)?.value;
      const at = writes.findIndex(({ knob, place }) => knob === row.knob && place === row.place);
      if (now !== undefined && same(now, row.wanted!)) return { ...row, outcome: "changed" };
      return { ...row, outcome: "refused", reason: refusals.get(back.length + at) ?? `the kernel kept ${now ?? "nothing"}` };
    });
    // From here on a person minds it, and no later command undoes it.
    if (owner === "hand") {
      await save(shell, { schema: 1, at: new Date().toISOString(), owner, machine, changes });
      release();
    }
    return { machine, rows: told, undo };
  } catch (error) {
    await undo().catch(() => {});
    throw error;
  }
}

/** Two that tune one place would each take the other's settings for what was there before. */
function refuseOthers(shell: Shell, earlier: Saved, owner: Owner): void {
  if (earlier.owner === "hand") {
    if (owner !== "hand") throw new Fault(`${shell.name} was tuned by hand; turn that back first: ./nullius untune`);
  } else if (isMinded(earlier) && earlier.owner.pid !== process.pid) {
    throw new Fault(`${shell.name} is tuned by process ${earlier.owner.pid}, which is still at work; wait for it or stop it`);
  }
}

const knobNamed = (name: string): Knob => knobs.find((knob) => knob.name === name)!;

/** What each knob holds now. */
async function readAll(shell: Shell, machine: Machine, all: readonly Knob[]): Promise<(Held & { readonly knob: string })[]> {
  const held = await Promise.all(all.map(async (knob) => (await knob.read(shell, machine)).map((one) => ({ ...one, knob: knob.name }))));
  return held.flat();
}

/** What would be told, what must be saved, and what a former tuning changed that is not wanted any more. */
async function compare(shell: Shell, machine: Machine, wanted: readonly Knob[], earlier: readonly Change[]): Promise<{ rows: Row[]; changes: Change[]; back: Change[] }> {
  const changes = [...earlier];
  const held = await readAll(shell, machine, knobs);
  const rows = held.map(({ knob: name, place, value, refused }): Row => {
    const knob = knobNamed(name);
    const first = earlier.find((change) => change.knob === name && change.place === place);
    const before = first?.before ?? value;
    const base = { knob: name, place, ...(before === undefined ? {} : { before }) };
    if (!wanted.includes(knob)) return { ...base, outcome: "left out" };
    if (value === undefined) return { ...base, outcome: "refused", reason: refused ?? "" };
    const should = knob.desired(machine, { place, value: before! });
    const isSo = same(value, should);
    if (!isSo && first === undefined) changes.push({ knob: name, place, before: value, wanted: should, undo: knob.write(machine, place, value) });
    return { ...base, wanted: should, outcome: isSo ? "as wanted" : "would change" };
  });
  for (const { name } of knobs) if (!held.some(({ knob }) => knob === name)) rows.push({ knob: name, place: "", outcome: "refused", reason: "there is none here" });
  return { rows, changes, back: earlier.filter(({ knob }) => !wanted.some(({ name }) => name === knob)) };
}

/** Runs commands and gives what those that failed said, by their index. */
async function runAll(shell: Shell, commands: readonly { words: readonly string[]; input?: string }[]): Promise<Map<number, string>> {
  if (commands.length === 0) return new Map();
  const { code, stdout, stderr } = await shell.run(["sh", "-s"], { input: `${scriptOf(commands)}\n`, seconds: 60 });
  if (code !== 0) throw new Fault(`${shell.name}: the settings cannot be written: ${stderr.trim().split("\n").at(-1) || `exit code ${code}`}`);
  const told = stdout.split("\n").filter((row) => row !== "").map((row) => row.split("\t"));
  return new Map(told.filter(([, failed]) => failed === "1").map(([index, , message = ""]) => [Number(index), message.split(": ").at(-1)!]));
}

/** Turns changes back and looks whether they are. What has gone in the meantime, a device say, needs no turning back. */
async function turnBack(shell: Shell, machine: Machine, changes: readonly Change[]): Promise<void> {
  const refusals = await runAll(shell, undoing(changes));
  const names = new Set(changes.map(({ knob }) => knob));
  const held = await readAll(shell, machine, knobs.filter(({ name }) => names.has(name)));
  const open = changes.filter(({ knob, place, before }) => held.some((now) => now.knob === knob && now.place === place && now.value !== undefined && !same(now.value, before)));
  if (open.length > 0) {
    const why = refusals.get(changes.length - 1 - changes.indexOf(open[0]!));
    throw new Fault(`${shell.name}: ${open.map(({ place, before }) => `${place} could not be set back to ${before}`).join(", ")}${why === undefined ? "" : `: ${why}`}; set it by hand, or run 'sh ${undoPath(machine)}'`, 2);
  }
  await forget(shell, machine);
}

/** The end of this process turns a local place back; elsewhere whoever keeps the state there does it. Gives the end of it. */
function guard(shell: Shell, machine: Machine): () => void {
  if (!(shell instanceof LocalShell)) return () => {};
  const atExit = (): void => {
    const [program, ...words] = [...shell.prefix, "sh", undoPath(machine)];
    try {
      execFileSync(program!, words, { stdio: "ignore" });
      execFileSync("rm", ["-f", undoPath(machine), undoPath(machine).replace(/sh$/, "json")]);
    } catch {
      // The state stays, and the next command finds it.
    }
  };
  process.on("exit", atExit);
  return () => void process.off("exit", atExit);
}

/** What `untune` or a sweep did with one saved state. */
export interface Undone {
  readonly device: string;
  readonly changes: readonly Change[];
  readonly outcome: "turned back" | "gone" | "in use";
}

/**
 * Turns back the saved states of this machine, in whichever namespace: with `all` also those that a person made, otherwise only those of processes
 * that are gone. What was before the last boot is forgotten, and so is what a namespace that is gone held.
 *
 * @throws Fault naming what could not be turned back
 */
export async function untune({ all }: { readonly all: boolean }): Promise<Undone[]> {
  const here = new LocalShell();
  if (!existsSync(stateFolder()) || !readdirSync(stateFolder()).some((name) => name.endsWith(".json"))) return [];
  const undone: Undone[] = [];
  const boot = (await here.run(["cat", "/proc/sys/kernel/random/boot_id"])).stdout.trim();
  for (const saved of await states(here)) {
    const { machine, changes, owner } = saved;
    const place = machine.boot === boot ? shellOf(machine.network) : undefined;
    const tell = (outcome: Undone["outcome"]): void => void undone.push({ device: machine.device, changes, outcome });
    if (isMinded(saved)) tell("in use");
    else if (place === undefined) {
      await forget(here, machine);
      tell("gone");
    } else if (all || owner !== "hand") {
      await turnBack(place, machine, changes);
      tell("turned back");
    }
  }
  return undone;
}

/** The place that a namespace's number means; undefined once it is gone. */
function shellOf(network: string): Shell | undefined {
  if (String(statSync("/proc/self/ns/net").ino) === network) return new LocalShell();
  const name = existsSync("/run/netns") ? readdirSync("/run/netns").find((one) => String(statSync(`/run/netns/${one}`).ino) === network) : undefined;
  return name === undefined ? undefined : new LocalShell(name);
}
