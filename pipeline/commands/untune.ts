import { Fault } from "../fault.js";
import { untune } from "../hosts/tuning/index.js";

/** `nullius untune [--json]`: turns back all that `tune`, or a process that was killed, left set on this machine. */
export async function run(_words: string[], options: Record<string, unknown>): Promise<number> {
  if (process.getuid?.() !== 0) throw new Fault("only root may change these settings; run the same command as root");
  const undone = await untune({ all: true });
  if (options["json"] === true) console.log(JSON.stringify(undone.map(({ device, outcome, changes }) => ({ device, outcome, changes: changes.map(({ knob, place, before }) => ({ knob, place, before })) })), null, 2));
  else console.log(undone.length === 0 ? "nothing is tuned" : undone.map(({ device, outcome, changes }) => `${device}: ${outcome}, ${changes.length} settings`).join("\n"));
  return undone.some(({ outcome }) => outcome === "in use") ? 2 : 0;
}
