import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { Fault } from "../fault.js";
import { inProject, root } from "../root.js";

/** How far an execution has come: `cell` of `of`, counting all cells from 1. */
export interface CellProgress {
  readonly notebook: string;
  readonly cell: number;
  readonly of: number;
}

export interface ExecuteOptions {
  /** Added to the kernel's environment: which run and profile the notebook's call uses. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Digest of all that the result depends on, kept in the copy; see `stands`. */
  readonly inputs?: string;
  readonly tell?: (progress: CellProgress) => void;
  readonly signal?: AbortSignal;
}

/** The notebooks in `notebooks/`, by name without extension, sorted. */
export function notebookNames(): string[] {
  return readdirSync(inProject("notebooks")).filter((name) => name.endsWith(".ipynb")).map((name) => basename(name, ".ipynb")).sort();
}

/**
 * Executes a notebook in a kernel of its own, without a browser, and writes the executed copy, as far as it came.
 *
 * @throws Fault with exit code 2 that names notebook, cell and message: a cell that throws or does not compile, a rejection
 *   that nobody awaits, an exception in a timer, an exit code that was set, a kernel that died
 * @throws Fault when the toolchain is not set up, or with exit code 130 when `signal` aborts
 */
export async function execute(notebook: string, copy: string, options: ExecuteOptions = {}): Promise<void> {
  const python = inProject(".venv", "bin", "python");
  if (!existsSync(python)) throw new Fault(`${python}: not set up; run 'make setup'`);
  const child = spawn(python, [inProject("pipeline", "notebooks", "execute.py"), notebook, copy, options.inputs ?? ""], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NULLIUS_ROOT: root, JUPYTER_PREFER_ENV_PATH: "1", ...options.environment },
    ...(options.signal === undefined ? {} : { signal: options.signal, killSignal: "SIGINT" as const }),
  });
  let failed: { cell: number | null; message: string } | null | undefined;
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-4000)));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const told = JSON.parse(line) as { cell?: number; of?: number; failed?: { cell: number | null; message: string } | null };
    if (told.failed !== undefined) failed = told.failed;
    else options.tell?.({ notebook: basename(notebook, ".ipynb"), cell: told.cell!, of: told.of! });
  });
  await new Promise<void>((resolve, reject) => {
    child.once("close", () => resolve());
    child.once("error", (error) => (options.signal?.aborted === true ? child.once("close", () => resolve()) : reject(error)));
  });
  if (options.signal?.aborted === true) throw new Fault(`${shown(notebook)}: interrupted`, 130);
  if (failed === undefined) throw new Error(`execute.py ended without a result for ${notebook}: ${errors}`);
  if (failed !== null) throw new Fault(`${shown(notebook)}${failed.cell === null ? "" : `, cell ${failed.cell}`}: ${failed.message}`, 2);
}

/** Whether a copy was executed to its end from just these inputs. */
export function stands(copy: string, inputs: string): boolean {
  if (!existsSync(copy)) return false;
  const { metadata } = JSON.parse(readFileSync(copy, "utf8")) as { metadata?: { nullius?: { inputs?: string } } };
  return metadata?.nullius?.inputs === inputs;
}

/** The digest of what an executed notebook depends on: itself, the code of the package, and the data it reads. */
export function inputsOf(notebook: string, data: readonly string[]): string {
  const digest = createHash("sha256").update(readFileSync(notebook));
  const build = inProject("pipeline", "build");
  const code = readdirSync(build, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js")).sort().map((name) => join(build, name));
  for (const file of [...code, ...data]) digest.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  return digest.digest("hex");
}

const shown = (notebook: string): string => (notebook.startsWith(`${root}/`) ? relative(root, notebook) : notebook);
