import { spawn } from "node:child_process";
import { ethtoolCommand } from "./namespace.js";

/** How a command ended. A program that is not there ends with 127, one that was too slow with 124, as under a shell and `timeout`. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** For its standard input, which is empty otherwise. */
  readonly input?: string | Uint8Array;
  readonly seconds?: number;
}

/** A place where commands run with the rights of root: this machine, a network namespace of it, another host. */
export interface Shell {
  /** As messages name it. */
  readonly name: string;
  /** Runs a program with its arguments, none of which any shell reads. @throws Fault when the place itself cannot be reached */
  run(words: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The words that start ethtool there; undefined where there is none. */
  ethtool(): Promise<readonly string[] | undefined>;
}

/** This machine, or a network namespace of it by its name. */
export class LocalShell implements Shell {
  readonly name: string;
  /** The words before each command. */
  readonly prefix: readonly string[];

  constructor(namespace?: string) {
    this.name = namespace === undefined ? "this machine" : `the namespace ${namespace}`;
    this.prefix = namespace === undefined ? [] : ["ip", "netns", "exec", namespace];
  }

  run(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return execute([...this.prefix, ...words], options);
  }

  async ethtool(): Promise<readonly string[] | undefined> {
    return ethtoolCommand();
  }
}

/** Runs a program to its end, whatever that is. */
export function execute(words: readonly string[], { input = "", seconds = 30 }: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const [program, ...rest] = words;
    const child = spawn(program!, rest, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, LC_ALL: "C" } });
    let [stdout, stderr, late] = ["", "", false];
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, seconds * 1000);
    const end = (code: number, more = ""): void => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr: stderr + more });
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // A program that ends without reading all of its input has said why by its code.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.once("error", (error: NodeJS.ErrnoException) => end(error.code === "ENOENT" ? 127 : 126, error.message));
    child.once("close", (code) => (late ? end(124, `it did not end within ${seconds} s`) : end(code ?? 137)));
  });
}

/** A word as a POSIX shell reads it back whole. */
export const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Words as one line of a POSIX shell. */
export const line = (words: readonly string[]): string => words.map(quoted).join(" ");
