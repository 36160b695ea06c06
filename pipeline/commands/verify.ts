import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { localeTags, readLocales } from "../article/locale.js";
import { gather } from "../claims/gather.js";
import { attemptInputs } from "../experiments/running/plan.js";
import { experiments } from "../experiments/running/registry.js";
import { Fault } from "../fault.js";
import { TrialFailure } from "../hosts/failure.js";
import { isEmulated, type Availability, type LoopbackTrial } from "../hosts/trial.js";
import { emulatorAvailable, emulatorInputs } from "../meters/emulator.js";
import { verify, type Recount } from "../meters/verification.js";
import { filesUnder } from "../publish/output.js";
import { verifyPage } from "../publish/verify.js";
import { inProject, shortPath } from "../root.js";
import { attemptKey, type Sample } from "../store/sample.js";
import { publishedRun, samplesOf } from "../store/run.js";

interface Candidate {
  readonly sample: Sample;
  readonly trial: LoopbackTrial;
}

/**
 * `nullius verify [--cells N] [--run R] [--json]`: boots emulated cells of the newest finished run again and demands the very same
 * values of every metric. Exit 2 when one differs.
 *
 * Only cells that were measured with the present images can be compared; when there is none, that is said, with exit 2.
 */
export async function run(_words: string[], options: Record<string, unknown>): Promise<number> {
  if (options["pages"] === true) return verifyPages(options);
  const wanted = Number(options["cells"] ?? 4);
  if (!Number.isInteger(wanted) || wanted < 1) throw new Fault(`--cells ${String(options["cells"])}: give a whole number from 1`);
  const held = publishedRun(options["run"] === undefined ? undefined : String(options["run"]));
  if (held === undefined) throw new Fault("there is no finished run to verify; measure one with './nullius run'");
  const emulated = samplesOf(held).filter((sample) => sample.basis === "emulated" && sample.failed === undefined);
  if (emulated.length === 0) throw new Fault(`run ${held.id} holds no emulated cell, so nothing that can be booted again`);
  const present = await measuredWithPresentImages(emulated, held.id);
  if (present.length === 0) throw new Fault(`run ${held.id}: none of its ${emulated.length} emulated cells was measured with the present programs and images; measure again with './nullius run'`, 2);
  const chosen = pick(present, wanted, held.id);
  const counts = chosen.map(({ trial, sample }) => ({ trial, seed: sample.seed, metrics: sample.metrics }));
  const differences = await verify(counts, interrupted(), availableParallelism()).catch((error: unknown) => {
    if (error instanceof TrialFailure) throw new Fault(`run ${held.id}: a boot failed in stage ${error.stage}: ${error.message}; './nullius doctor' says what is missing`, 2);
    throw error;
  });
  const rows = chosen.map(({ sample }, n) => row(sample, differences[n]!));
  console.log(options["json"] === true ? JSON.stringify(rows) : table(rows));
  return rows.every(({ equal }) => equal) ? 0 : 2;
}

/**
 * `nullius verify --pages`: computes every measured figure of every page of `build/site` again from the raw samples, down to the letters that are
 * shown. Exit 2 when one differs; boots nothing.
 */
async function verifyPages(options: Record<string, unknown>): Promise<number> {
  const held = publishedRun(options["run"] === undefined ? undefined : String(options["run"]));
  const folder = inProject("build", "site");
  const files = filesUnder(folder).filter((file) => file.endsWith(".html"));
  if (files.length === 0) throw new Fault(`${shortPath(folder)}: there is no page to verify; write them by './nullius render'`);
  const common = inProject("paper", "locales");
  const locales = readLocales(localeTags(common), common);
  const { evidence } = await gather(held);
  const results = [];
  for (const file of files) {
    const html = readFileSync(file, "utf8");
    const locale = locales.get(/<html lang="([^"]+)"/.exec(html)?.[1] ?? "");
    if (locale === undefined) throw new Fault(`${shortPath(file)}: the page names no language that there are words for; write it again by './nullius render'`);
    results.push({ file: shortPath(file), ...(await verifyPage(html, shortPath(file), evidence, locale)) });
  }
  const mismatches = results.flatMap((result) => result.mismatches);
  const compared = results.reduce((sum, result) => sum + result.compared, 0);
  if (options["json"] === true) console.log(JSON.stringify(results));
  else for (const { file, figure, shown, computed } of mismatches) console.log(`${file}: ${figure} shows ${shown}, the samples of ${held?.id ?? "no run"} give ${computed}`);
  if (options["json"] !== true) console.log(`${files.length} pages, ${compared} figures compared, ${mismatches.length} different`);
  return mismatches.length === 0 ? 0 : 2;
}

/** The attempts whose inputs are what the same cell would have now. */
async function measuredWithPresentImages(samples: readonly Sample[], run: string): Promise<Candidate[]> {
  const known = await experiments();
  let lacking: Extract<Availability, { available: false }> | undefined;
  const found: Candidate[] = [];
  for (const sample of samples) {
    const experiment = known.find(({ id }) => id === sample.experiment);
    const trial = experiment?.trial(sample.cell);
    if (experiment === undefined || trial === undefined || !isEmulated(trial)) continue;
    const here = await emulatorAvailable(trial.placement);
    if (!here.available) lacking = here;
    else if (attemptInputs(experiment, await emulatorInputs(trial)) === sample.inputs) found.push({ sample, trial });
  }
  if (found.length === 0 && lacking !== undefined) throw new Fault(`run ${run}: nothing of it can be booted again here: ${lacking.reason}; ${lacking.remedy}`);
  return found;
}

/** Some of the cells, the same ones each time for one run, in no order that a cell's name decides. */
function pick(candidates: readonly Candidate[], wanted: number, run: string): Candidate[] {
  const rank = ({ sample }: Candidate): string => createHash("sha256").update(run + attemptKey(sample)).digest("hex");
  return [...candidates].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, wanted);
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort(new Fault("interrupted; nothing was changed", 130)));
  return controller.signal;
}

interface Row {
  readonly experiment: string;
  readonly cell: Sample["cell"];
  readonly seed: number;
  readonly instructions: number | undefined;
  readonly equal: boolean;
  readonly differences: readonly Recount[];
}

function row({ experiment, cell, seed, metrics }: Sample, differences: readonly Recount[]): Row {
  return { experiment, cell, seed, instructions: metrics["instructions"]?.value, equal: differences.length === 0, differences };
}

function table(rows: readonly Row[]): string {
  return rows
    .flatMap(({ experiment, cell, seed, instructions, equal, differences }) => [
      `${equal ? "equal    " : "DIFFERENT"}  ${experiment} ${Object.values(cell).join(" ")} seed ${seed}: ${instructions ?? "no"} instructions/connection`,
      ...differences.map(({ metric, stored, again, unit }) => `           ${metric}: stored ${stored ?? "nothing"}, again ${again ?? "nothing"} ${unit}`),
    ])
    .join("\n");
}
