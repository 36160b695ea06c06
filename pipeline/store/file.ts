import { appendFileSync, closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../fault.js";
import { dataFolder } from "./folder.js";

/** Writes all of a text or of bytes to an open file; a short write goes on where it stopped. */
export function writeAll(descriptor: number, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

/**
 * Writes a file whole or not at all: under another name, flushed, then renamed, the folder flushed too.
 *
 * @throws Fault when the disk is full or the folder may not be written
 */
export function writeWhole(path: string, content: string | Uint8Array): void {
  const partial = `${path}.partial`;
  try {
    const descriptor = openSync(partial, "w");
    try {
      writeAll(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, path);
    flushFolder(dirname(path));
  } catch (error) {
    rmSync(partial, { force: true });
    throw writeFault(path, error);
  }
}

/** Makes a folder and those above it, where they are missing. @throws Fault when it cannot be made there */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw writeFault(path, error);
  }
}

/** Adds a line to a log, which nothing is computed from. @throws Fault when the disk is full or the folder may not be written */
export function appendLine(path: string, line: string): void {
  try {
    appendFileSync(path, `${line}\n`);
  } catch (error) {
    throw writeFault(path, error);
  }
}

/** Copies a file. @throws Fault when the disk is full or the folder may not be written */
export function copyWhole(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    rmSync(to, { force: true });
    throw writeFault(to, error);
  }
}

/** Makes the names in a folder survive a power cut. */
export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The Fault for an error of a file that the user can mend, else the error itself. */
export function writeFault(path: string, error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOSPC":
    case "EDQUOT":
      return new Fault(`${path}: the disk is full; free some space and give the same command again, all that was measured so far is kept`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new Fault(`${path}: access is denied; change its owner or its permissions${elsewhere(path)}`);
    case "ENOENT": // also what making a folder on a disk mounted read-only comes to
    case "ENOTDIR":
    case "EISDIR":
    case "EEXIST":
      return new Fault(`${path}: it cannot be made there; see that the folders above it are folders and may be written${elsewhere(path)}`);
    case "EMFILE":
    case "ENFILE":
      return new Fault(`${path}: too many files are open; raise the limit with 'ulimit -n'`);
    default:
      return error;
  }
}

const elsewhere = (path: string): string => (path.startsWith(dataFolder()) ? ", or set NULLIUS_DATA to another folder" : "");
