import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Fault } from "../fault.js";
import { makeFolder, writeFault } from "./file.js";
import { dataFolder } from "./folder.js";

/**
 * Lets one process at a time measure into a data folder: two would disturb each other's clocks and write into one run.
 * A lock whose process is gone, after `kill -9` say, is taken over.
 *
 * @returns gives the lock back
 * @throws Fault naming the process that holds it
 */
export function takeLock(command: string): () => void {
  const path = dataFolder("runs", ".measuring");
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid), command });
  makeFolder(dataFolder("runs"));
  try {
    if (existsSync(path) && !isHeld(path)) rmSync(path);
    writeFileSync(path, mine, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw new Fault(`${path}: process ${holder(path)?.pid} is measuring here already; wait for it or stop it`);
    throw writeFault(path, error);
  }
  return () => rmSync(path, { force: true });
}

interface Holder {
  readonly pid: number;
  readonly started: string | undefined;
}

function holder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

function isHeld(path: string): boolean {
  const who = holder(path);
  return who !== undefined && who.started !== undefined && startOf(who.pid) === who.started;
}

/** When a process began, in ticks since boot: a number given again to another process has another start. One that is dead and not yet reaped holds nothing. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
