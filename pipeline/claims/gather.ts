import { experiments } from "../experiments/running/registry.js";
import { samplesOf, type Run } from "../store/run.js";
import type { Evidence } from "./evidence.js";

/** The run to judge by, if there is one, with what was read from it. */
export interface Gathered {
  readonly run: Run | undefined;
  readonly evidence: Evidence;
}

/** The evidence of a run; none at all for no run. Throws a Fault for damaged samples. */
export async function gather(run: Run | undefined): Promise<Gathered> {
  const factors = Object.fromEntries((await experiments()).map((experiment) => [experiment.id, experiment.factors]));
  const evidence: Evidence = { run: run?.id, attempts: run === undefined ? [] : samplesOf(run), factors, unavailable: run?.manifest.unavailable ?? [] };
  return { run, evidence };
}
