import { existsSync, readdirSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { Fault } from "../fault.js";
import { makeFolder, writeWhole } from "./file.js";
import { dataFolder } from "./folder.js";
import { readJournal } from "./journal.js";
import { readManifest, type Manifest } from "./manifest.js";
import type { Sample } from "./sample.js";

/** A run on disk. `finished` is true once its marker, the last thing written, is there. */
export interface Run {
  readonly id: string;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly finished: boolean;
}

const parts = ["samples", "histograms", "profiles", "logs", "notebooks"] as const;

/** A run's name: when and where, `20260101T000000Z-host`. It sorts by time. */
export function newRunId(now: Date): string {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const host = hostname().replaceAll(/[^A-Za-z0-9]+/g, "-");
  for (let i = 1; ; i++) {
    const id = `${time}-${host}${i === 1 ? "" : `-${i}`}`;
    if (!existsSync(dataFolder("runs", id))) return id;
  }
}

/** Makes the folder of a run; its manifest is written last, so that a folder without one is no run. */
export function createRun(manifest: Manifest): Run {
  const folder = dataFolder("runs", manifest.id);
  for (const part of parts) makeFolder(join(folder, part));
  writeWhole(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return { id: manifest.id, folder, manifest, finished: false };
}

/** Marks a run as finished: the last thing written of it. */
export function finishRun(run: Run, now: Date): Run {
  writeWhole(join(run.folder, "finished"), `${JSON.stringify({ at: now.toISOString() })}\n`);
  return { ...run, finished: true };
}

function openRun(folder: string): Run {
  const manifest = readManifest(folder);
  return { id: manifest.id, folder, manifest, finished: existsSync(join(folder, "finished")) };
}

/** All runs of `data/runs`, newest first, finished or not, explorations too. */
export function allRuns(): Run[] {
  const folder = dataFolder("runs");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, "manifest.json"))).sort().reverse().map((name) => openRun(join(folder, name)));
}

/** The committed run of `data/reference`, if there is one. */
export function referenceRun(): Run | undefined {
  const folder = dataFolder("reference");
  return existsSync(join(folder, "manifest.json")) ? openRun(folder) : undefined;
}

/**
 * The run to publish: the one named, else the newest that is finished and no exploration, else the reference; undefined when there is none.
 *
 * @throws Fault when the named run does not exist or is not finished
 */
export function publishedRun(id?: string): Run | undefined {
  if (id === undefined) return allRuns().find((run) => run.finished && run.manifest.purpose === "publication") ?? referenceRun();
  if (id === "reference") {
    const reference = referenceRun();
    if (reference === undefined) throw new Fault(`${dataFolder("reference")}: it holds no run; measure one with './nullius run'`);
    return reference;
  }
  const run = allRuns().find((r) => r.id === id);
  if (run === undefined) throw new Fault(`unknown run "${basename(id)}"; known are ${[...allRuns().filter((r) => r.finished).map((r) => r.id), ...(referenceRun() === undefined ? [] : ["reference"])].join(", ") || "none"}`);
  if (!run.finished) throw new Fault(`${run.folder}: the run is not finished and is not published; go on with it by '${run.manifest.command}'`);
  return run;
}

/**
 * All attempts of a run, or of some of its experiments, in the order they were written.
 *
 * @throws Fault naming file and line when a sample is damaged, and the folder when the samples of a finished run are gone
 */
export function samplesOf(run: Run, experiments?: readonly string[]): Sample[] {
  const folder = join(run.folder, "samples");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort() : [];
  if (files.length === 0 && run.finished && run.manifest.plan.attempts > 0) {
    throw new Fault(`${folder}: the samples of a finished run are gone; restore them from a copy, or move the run's folder away`);
  }
  return files
    .filter((name) => experiments === undefined || experiments.includes(basename(name, ".jsonl")))
    .flatMap((name) => readJournal(join(folder, name)).attempts)
    .map((attempt) => ({ ...attempt, run: run.id, ranAs: run.manifest.profile }));
}
