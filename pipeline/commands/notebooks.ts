import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { profileNamed } from "../experiments/index.js";
import { Fault } from "../fault.js";
import { execute, inputsOf, notebookNames, stands } from "../notebooks/execute.js";
import { inProject } from "../root.js";
import { publishedRun, type Run } from "../store/run.js";

/** What became of a notebook. */
export interface ExecutedNotebook {
  readonly notebook: string;
  /** Absolute path of the executed copy. */
  readonly copy: string;
  /** False when the copy of an earlier execution still stands. */
  readonly executed: boolean;
}

/**
 * Executes notebooks on a run and puts the executed copies into the run's folder; what stands is not executed again.
 *
 * @param names names in `notebooks/` without extension
 * @throws Fault naming notebook, cell and message when one fails
 */
export async function executeOn(run: Run, names: readonly string[], profile: string, say: (line: string) => void, signal?: AbortSignal): Promise<ExecutedNotebook[]> {
  const done: ExecutedNotebook[] = [];
  const samples = join(run.folder, "samples");
  const data = existsSync(samples) ? readdirSync(samples).sort().map((name) => join(samples, name)) : [];
  for (const name of names) {
    const notebook = inProject("notebooks", `${name}.ipynb`);
    const copy = join(run.folder, "notebooks", `${name}.ipynb`);
    const inputs = inputsOf(notebook, data);
    const executed = !stands(copy, inputs);
    if (executed) {
      await execute(notebook, copy, {
        environment: { NULLIUS_RUN: run.id, NULLIUS_PROFILE: profile },
        inputs,
        tell: ({ cell, of }) => say(`notebook ${name}: cell ${cell} of ${of}`),
        ...(signal === undefined ? {} : { signal }),
      });
    }
    done.push({ notebook: name, copy, executed });
  }
  return done;
}

/** The command `notebooks`: all of them, or those named, on the newest run. */
export async function run(words: string[], options: Record<string, unknown>): Promise<number> {
  const profile = profileNamed(options["profile"]);
  const known = notebookNames();
  const names = words.length > 0 ? words.map((word) => word.replace(/\.ipynb$/, "")) : known;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Fault(`unknown notebook "${unknown}"; known are ${known.join(", ")}`);
  const on = publishedRun();
  if (on === undefined) throw new Fault("there is no run to execute the notebooks on; measure one with './nullius run'");
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  const done = await executeOn(on, names, profile, (line) => console.error(line), stop.signal);
  if (options["json"] === true) console.log(JSON.stringify(done, null, 2));
  else for (const { notebook, copy, executed } of done) console.log(`${notebook}: ${executed ? "executed" : "unchanged"}, ${resolve(copy)}`);
  return 0;
}
