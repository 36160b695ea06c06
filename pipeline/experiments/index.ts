import { Fault } from "../fault.js";
import { fingerprint, sources } from "../hosts/machine.js";
import { lab as realLab } from "../hosts/lab.js";
import type { Lab } from "../hosts/trial.js";
import { cellEstimates } from "../stats/cells.js";
import type { Estimate } from "../stats/estimate.js";
import { samplesOf, type Run } from "../store/run.js";
import { attemptKey, type Sample } from "../store/sample.js";
import type { Block, Experiment, Factors, Profile } from "./experiment.js";
import type { Request } from "./running/plan.js";
import { show, type Progress } from "./running/progress.js";
import { experimentsNamed } from "./running/registry.js";
import { measureMissing, type Outcome } from "./running/runner.js";

const profileNames = ["quick", "standard", "full"] as const;

/**
 * A profile by its name; `NULLIUS_PROFILE`, else `standard`, for none.
 *
 * @throws Fault for an unknown name; it lists the known
 */
export function profileNamed(name: unknown = process.env["NULLIUS_PROFILE"] ?? "standard"): Profile {
  const found = profileNames.find((profile) => profile === name);
  if (found === undefined) throw new Fault(`unknown profile "${String(name)}"; known are ${profileNames.join(", ")}`);
  return found;
}

export interface MeasureOptions {
  readonly profile?: Profile;
  /** Only these levels of the factors named; the others as in the profile. With it the run is an exploration, which is never published. */
  readonly levels?: Factors;
  /** Rounds or seeds instead of the profile's; also an exploration. */
  readonly rounds?: number;
  readonly signal?: AbortSignal;
  readonly tell?: (progress: Progress) => void;
  readonly lab?: Lab;
}

/** An experiment's samples and estimates, and the run that holds them. */
export interface Measured {
  readonly run: Run;
  readonly state: Outcome["state"];
  readonly samples: readonly Sample[];
  readonly estimates: readonly Estimate[];
  /** Cells that cannot be measured here, with the reason. */
  readonly unavailable: Outcome["plan"]["unavailable"];
}

/**
 * Measures what is missing of one experiment and gives what stands: the one call of a notebook. Progress goes to the standard
 * error stream unless `tell` takes it.
 *
 * @throws Fault for an unknown experiment, profile, factor or level
 */
export async function measure(id: string, options: MeasureOptions = {}): Promise<Measured> {
  const [experiment] = await experimentsNamed([id]);
  const profile = profileNamed(options.profile);
  const varied = options.levels !== undefined || options.rounds !== undefined;
  const blocks = varied ? vary(experiment!, profile, options) : experiment!.profiles[profile];
  const screen = show(process.stderr);
  try {
    const outcome = await measureHere([{ experiment: experiment!, blocks }], {
      ...options,
      profile,
      purpose: varied ? "exploration" : "publication",
      command: `./nullius run ${id} --profile ${profile}`,
      tell: options.tell ?? screen.tell,
    });
    const asked = new Set([...outcome.plan.native, ...outcome.plan.emulated].map((item) => item.key));
    const samples = samplesOf(outcome.run, [id]).filter((sample) => !varied || asked.has(attemptKey(sample)));
    return { run: outcome.run, state: outcome.state, samples, estimates: cellEstimates(samples), unavailable: outcome.plan.unavailable };
  } finally {
    screen.end();
  }
}

interface HereOptions extends MeasureOptions {
  readonly profile: Profile;
  readonly purpose: "publication" | "exploration";
  readonly command: string;
  readonly retry?: boolean;
  /** Round r has seed `seed + r`; with seeds that no run has had, nothing is adopted and everything is measured side by side. */
  readonly seed?: number;
}

/** `measureMissing` with the real lab and this machine's fingerprint. */
export async function measureHere(requests: readonly Request[], options: HereOptions): Promise<Outcome> {
  return measureMissing({
    ...options,
    requests,
    lab: options.lab ?? realLab(),
    setting: async () => ({ fingerprint: fingerprint(), git: sources() }),
  });
}

/** The profile's blocks with other levels or rounds; a block that is left without a level of some factor is left out. */
function vary(experiment: Experiment, profile: Profile, options: MeasureOptions): Block[] {
  for (const [factor, levels] of Object.entries(options.levels ?? {})) {
    const known = experiment.factors[factor];
    if (known === undefined) throw new Fault(`unknown factor "${factor}" of ${experiment.id}; known are ${Object.keys(experiment.factors).join(", ")}`);
    for (const level of levels) {
      if (!known.includes(level)) throw new Fault(`unknown level ${JSON.stringify(level)} of "${factor}" in ${experiment.id}; known are ${known.map((l) => JSON.stringify(l)).join(", ")}`);
    }
  }
  return experiment.profiles[profile].flatMap((block) => {
    const { until: _until, ...rest } = block;
    const isNative = block.levels["kernel"]?.includes("host") === true;
    // A level asked for by name is taken as it is, where it fits the block's side: native blocks know only `host`.
    const levels = Object.fromEntries(Object.entries(block.levels).map(([factor, its]) => {
      const asked = options.levels?.[factor];
      if (asked === undefined) return [factor, its];
      return [factor, factor === "meter" || isNative && (factor === "kernel" || factor === "architecture" || factor === "scheduling") ? asked.filter((l) => its.includes(l)) : asked.filter((l) => l !== "host")];
    }));
    if (Object.values(levels).some((its) => its.length === 0)) return [];
    return [{ ...rest, levels, rounds: options.rounds ?? block.rounds }];
  });
}
