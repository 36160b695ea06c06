import { profileNamed } from "../experiments/index.js";
import { experiments, experimentsNamed } from "../experiments/running/registry.js";
import { notebookNames } from "../notebooks/execute.js";
import { executeOn } from "./notebooks.js";
import { run as ledger } from "./ledger.js";
import { run as render } from "./render.js";
import { measureNamed, describe } from "./run.js";

/**
 * `nullius reproduce [EXPERIMENT...] [--profile P]`: run, notebooks, render, ledger. Each stage reads only the files of the one before
 * and does nothing when they have not changed.
 */
export async function run(words: string[], options: Record<string, unknown>): Promise<number> {
  // Asked before anything is begun.
  profileNamed(options["profile"]);
  await experimentsNamed(words);
  const stage = (name: string): void => console.error(`== ${name}`);
  stage("run");
  const outcome = await measureNamed(words, options);
  console.error(describe(outcome));
  stage("notebooks");
  const known = new Set((await experiments()).map((experiment) => experiment.id));
  const names = notebookNames().filter((name) => words.length === 0 || words.includes(name) || !known.has(name));
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    for (const { notebook, executed } of await executeOn(outcome.run, names, outcome.run.manifest.profile, (line) => console.error(line), stop.signal)) {
      console.error(`${notebook}: ${executed ? "executed" : "unchanged"}`);
    }
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
  stage("render");
  // Only the ledger may write to standard output when its JSON is asked for.
  const rendered = await quietly(options["json"] === true, () => render([], { run: outcome.run.id }));
  stage("ledger");
  return Math.max(rendered, await ledger([], { run: outcome.run.id, json: options["json"] === true }));
}

async function quietly<T>(quiet: boolean, work: () => Promise<T>): Promise<T> {
  const { log } = console;
  if (quiet) console.log = console.error;
  try {
    return await work();
  } finally {
    console.log = log;
  }
}
