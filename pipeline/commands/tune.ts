import { Fault } from "../fault.js";
import { LocalShell } from "../hosts/shell.js";
import { tune, type Row } from "../hosts/tuning/index.js";

/** The device that the default route goes through. */
async function usualDevice(shell: LocalShell): Promise<string> {
  const { stdout } = await shell.run(["ip", "-o", "route", "show", "default"]);
  const device = /\bdev (\S+)/.exec(stdout)?.[1];
  if (device === undefined) throw new Fault("this machine has no default route to tell which device is meant; name it: ./nullius tune --interface eth0");
  return device;
}

/** `nullius tune [--interface D] [--dry-run] [--without K,K] [--json]`: sets this machine up as a server under load; `untune` sets it back. */
export async function run(_words: string[], options: Record<string, unknown>): Promise<number> {
  const dryRun = options["dryRun"] === true;
  if (process.platform !== "linux") throw new Fault(`the settings are Linux's, and this is ${process.platform}; run it on Linux`);
  if (!dryRun && process.getuid?.() !== 0) throw new Fault("only root may change these settings; run the same command as root, or with --dry-run to see what it would change");
  const shell = new LocalShell(options["namespace"] as string | undefined);
  const device = (options["interface"] as string | undefined) ?? (await usualDevice(shell));
  // Until it is whole, an interrupt turns it back: process.exit does what the guard was made for.
  const onSignal = (): void => process.exit(130);
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    const without = ((options["without"] as string | undefined) ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
    const { rows, machine } = await tune(shell, { device, without, dryRun, owner: "hand" });
    if (options["json"] === true) console.log(JSON.stringify({ device, driver: machine.driver, receiveQueues: machine.receiveQueues, rows }, null, 2));
    else console.log(table(rows));
    return 0;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

function table(rows: readonly Row[]): string {
  const cells = rows.map(({ outcome, knob, place, before = "", wanted, reason }) => [outcome, knob, place, reason ?? (wanted === undefined || wanted === before ? before : `${before} -> ${wanted}`)]);
  const widths = [0, 1, 2].map((i) => Math.max(...cells.map((row) => row[i]!.length)));
  return cells.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd()).join("\n");
}
