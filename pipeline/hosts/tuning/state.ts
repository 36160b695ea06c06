import { Fault } from "../../fault.js";
import { line, quoted, type Shell } from "../shell.js";
import type { Command } from "./knobs.js";
import type { Machine } from "./machine.js";
import { startOf } from "../../store/lock.js";

/** One place that was changed, with the command that changes it back. */
export interface Change {
  readonly knob: string;
  readonly place: string;
  readonly before: string;
  readonly wanted: string;
  readonly undo: Command;
}

/** Who minds a tuning: a process, which undoes it when it ends; or a person, who gave `tune` and will give `untune`. */
export type Owner = { readonly pid: number; readonly started: string } | "hand";

/** What is written, and flushed, before the first knob is turned: all that it takes to turn everything back. */
export interface Saved {
  readonly schema: 1;
  readonly at: string;
  readonly owner: Owner;
  readonly machine: Machine;
  readonly changes: readonly Change[];
}

/** Where saved states lie, on whichever host they belong to. */
export const stateFolder = (): string => process.env["NULLIUS_TUNING"] ?? "/var/lib/nullius/tuning";

/** One state for each device of each network namespace. */
export const stateName = ({ network, device }: Pick<Machine, "network" | "device">): string => `${network}-${device}`;

const path = (name: string, kind: "json" | "sh"): string => `${stateFolder()}/${name}.${kind}`;
/** The script that turns everything back, with no other program of ours. */
export const undoPath = (machine: Machine): string => path(stateName(machine), "sh");

// A file appears whole or not at all, and its name is on the disk before the next command begins.
const keep = `set -e; umask 077; mkdir -p "$(dirname "$1")"; cat > "$1.partial"; sync "$1.partial"; mv "$1.partial" "$1"; sync "$(dirname "$1")"`;

async function store(shell: Shell, file: string, text: string): Promise<void> {
  const { code, stderr } = await shell.run(["sh", "-c", keep, "sh", file], { input: text });
  if (code !== 0) throw new Fault(`${shell.name}: ${file}: what is set now cannot be saved, so nothing was changed: ${stderr.trim().split("\n").at(-1) ?? ""}; free some space, or run as root`);
}

/** Saves a state: the script first, because the state says that there is one. */
export async function save(shell: Shell, saved: Saved): Promise<void> {
  await store(shell, path(stateName(saved.machine), "sh"), `${undoScript(saved)}\n`);
  await store(shell, path(stateName(saved.machine), "json"), `${JSON.stringify(saved)}\n`);
}

/** Forgets a state, once everything is as before. */
export async function forget(shell: Shell, machine: Pick<Machine, "network" | "device">): Promise<void> {
  const name = stateName(machine);
  await shell.run(["rm", "-f", path(name, "json"), path(name, "sh")]);
}

/** All states that lie at a place. */
export async function states(shell: Shell): Promise<Saved[]> {
  const { stdout } = await shell.run(["sh", "-c", `for f in "$1"/*.json; do [ -e "$f" ] && cat "$f"; done; true`, "sh", stateFolder()]);
  return stdout.split("\n").filter((row) => row !== "").map((row) => {
    try {
      return JSON.parse(row) as Saved;
    } catch {
      throw new Fault(`${shell.name}: a file in ${stateFolder()} is damaged; the scripts beside it turn the settings back: sh FILE.sh, then remove both`);
    }
  });
}

/** Commands one after the other, each of which tells in a line how it ended: its number, its exit code and its last words. */
export function scriptOf(commands: readonly Command[]): string {
  const tell = `t() { n=$1; shift; if m=$("$@" 2>&1 >/dev/null); then printf '%s\\t0\\t\\n' "$n"; else printf '%s\\t1\\t%s\\n' "$n" "$(printf %s "$m" | tail -n 1)"; fi; }`;
  return ["export LC_ALL=C", tell, ...commands.map(({ words, input }, i) => (input === undefined ? `t ${i} ${line(words)} </dev/null` : `printf '%s\\n' ${quoted(input)} | t ${i} ${line(words)}`))].join("\n");
}

const undoScript = ({ machine, changes, at }: Saved): string =>
  `#!/bin/sh\n# Turns back what Nullius set for ${machine.device} on ${at}; to be run in the network namespace ${machine.network}.\n${scriptOf(undoing(changes))}`;

/** What was turned last is turned back first. */
export const undoing = (changes: readonly Change[]): Command[] => [...changes].reverse().map((change) => change.undo);

/** Whether the process that minds it is still there. */
export function isMinded({ owner }: Saved): boolean {
  return owner !== "hand" && startOf(owner.pid) === owner.started;
}

/** This process as an owner. */
export const me = (): Owner => ({ pid: process.pid, started: startOf(process.pid)! });
