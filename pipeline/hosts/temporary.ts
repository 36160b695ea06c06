import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFault } from "../store/file.js";

const prefix = "nullius-trial-";

/** No trial lasts as long: what is older is nobody's, even where the number of its process means nothing, in another container. */
const abandonedAfterHours = 6;

let swept = false;

/**
 * Gives `work` an empty folder, which is gone afterwards. What processes that were killed left behind is removed first, once.
 *
 * @throws Fault when the disk is full, or the folder that `TMPDIR` names is not there
 */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  let folder: string;
  try {
    if (!swept) sweep();
    swept = true;
    folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  } catch (error) {
    throw writeFault(join(tmpdir(), prefix), error);
  }
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the folders of trials whose process is gone. */
export function sweep(now = Date.now()): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid)) continue;
    const path = join(tmpdir(), name);
    try {
      const hours = (now - statSync(path).mtimeMs) / 3_600_000;
      if (hours > abandonedAfterHours || (hours > 1 && !lives(pid))) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another user's, or removed by its owner in this moment: neither is ours to mind.
    }
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
