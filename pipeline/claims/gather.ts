import { experiments } from "../experiments/running/registry.js";
import { publishedRun, samplesOf, type Run } from "../store/run.js";
import type { Evidence } from "./evidence.js";

/** The run to judge by, if there is one, with what was read from it. */
export interface Gathered {
  readonly run: Run | undefined;
  readonly evidence: Evidence;
}

/**
 * The evidence of the run named, else of the newest finished one, else of `data/reference`; none at all when there is no run.
 * Throws a Fault for a run that is not there or not finished, and for damaged samples.
 */
export async function gather(runId?: string): Promise<Gathered> {
  const run = publishedRun(runId);
  const factors = Object.fromEntries((await experiments()).map((experiment) => [experiment.id, experiment.factors]));
  const evidence: Evidence = { run: run?.id, attempts: run === undefined ? [] : samplesOf(run), factors, unavailable: run?.manifest.unavailable ?? [] };
  return { run, evidence };
}
