import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Fault } from "../fault.js";
import type { Attempt } from "./attempt.js";
import { appendLine, flushFolder, writeAll, writeFault } from "./file.js";
import { violation } from "./schema.js";

/** What a file of samples holds. */
export interface Contents {
  readonly attempts: readonly Attempt[];
  /** The end of a last line that was cut short by a crash: not an attempt. */
  readonly torn?: string;
  /** Bytes up to the end of the last whole line. */
  readonly wholeBytes: number;
}

/**
 * Reads a file of samples. A last line without its end costs that line only.
 *
 * @throws Fault naming file and line when any other line is not an attempt
 */
export function readJournal(path: string): Contents {
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n");
  const tail = lines.pop()!;
  const attempts = lines.map((line, i) => parseLine(path, i + 1, line));
  const wholeBytes = Buffer.byteLength(text) - Buffer.byteLength(tail);
  return tail === "" ? { attempts, wholeBytes } : { attempts, torn: tail, wholeBytes };
}

function parseLine(path: string, number: number, line: string): Attempt {
  const remedy = "restore it from a copy, or delete the line to have its cell measured again";
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Fault(`${path}:${number}: the sample is damaged, it is not JSON; ${remedy}`);
  }
  const wrong = violation("attempt", value);
  if (wrong !== undefined) throw new Fault(`${path}:${number}: the sample is damaged, ${wrong}; ${remedy}`);
  return value as Attempt;
}

/** A file of samples open for appending. A line is validated, written and flushed before `append` returns. */
export class Journal {
  readonly path: string;
  readonly #descriptor: number;

  /** Opens or makes the file. A torn last line is moved to `logs/` beside, so that the next line starts on its own. */
  constructor(path: string) {
    this.path = path;
    const contents = existsSync(path) ? readJournal(path) : undefined;
    try {
      this.#descriptor = openSync(path, "a");
      if (contents === undefined) flushFolder(dirname(path));
    } catch (error) {
      throw writeFault(path, error);
    }
    if (contents?.torn !== undefined) {
      appendLine(join(dirname(dirname(path)), "logs", `${basename(path)}.torn`), contents.torn);
      ftruncateSync(this.#descriptor, contents.wholeBytes);
    }
  }

  /**
   * @throws Fault when the disk is full; what was written before stays whole
   */
  append(...attempts: readonly Attempt[]): void {
    const text = attempts.map((attempt) => `${JSON.stringify(checked(attempt))}\n`).join("");
    const { size } = fstatSync(this.#descriptor);
    try {
      writeAll(this.#descriptor, text);
      fsyncSync(this.#descriptor);
    } catch (error) {
      ftruncateSync(this.#descriptor, size);
      throw writeFault(this.path, error);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function checked(attempt: Attempt): Attempt {
  // Through JSON, because that is what will be read back: undefined fields go, NaN becomes null and is refused.
  const wrong = violation("attempt", JSON.parse(JSON.stringify(attempt)));
  if (wrong !== undefined) throw new TypeError(`an attempt at ${attempt.experiment} does not fit its schema: ${wrong}`);
  return attempt;
}
