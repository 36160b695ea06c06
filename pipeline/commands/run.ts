import { measureHere, profileNamed } from "../experiments/index.js";
import { show } from "../experiments/running/progress.js";
import { experimentsNamed } from "../experiments/running/registry.js";
import type { Outcome } from "../experiments/running/runner.js";
import { Fault } from "../fault.js";

/** `nullius run [EXPERIMENT...] [--profile P] [--retry] [--json]`: measures what is missing or stale. */
export async function run(words: string[], options: Record<string, unknown>): Promise<number> {
  const outcome = await measureNamed(words, options);
  if (options["json"] === true) console.log(JSON.stringify(summary(outcome)));
  else console.log(describe(outcome));
  return 0;
}

/** Measures the experiments named, all for none, with progress on the standard error stream; SIGINT and SIGTERM stop it cleanly. */
export async function measureNamed(words: readonly string[], options: Record<string, unknown>): Promise<Outcome> {
  const profile = profileNamed(options["profile"]);
  const experiments = await experimentsNamed(words);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  const screen = show(process.stderr);
  try {
    const outcome = await measureHere(experiments.map((experiment) => ({ experiment, blocks: experiment.profiles[profile] })), {
      profile,
      purpose: "publication",
      command: ["./nullius run", ...words, "--profile", profile].join(" "),
      retry: options["retry"] === true,
      signal: stop.signal,
      tell: screen.tell,
    });
    if (outcome.plan.native.length + outcome.plan.emulated.length === 0) {
      const [first] = outcome.plan.unavailable;
      throw new Fault(`nothing can be measured here: ${first?.reason}; ${first?.remedy}`);
    }
    return outcome;
  } finally {
    screen.end();
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

function summary(outcome: Outcome): Record<string, unknown> {
  const { run: { id, folder }, state, measured, adopted, failed, plan } = outcome;
  return { run: id, folder, state, measured, adopted, failed, unavailable: plan.unavailable };
}

/** What became of a command, in words. */
export function describe(outcome: Outcome): string {
  const { run: { folder }, state, measured, adopted, failed, plan } = outcome;
  const lines = state === "unchanged"
    ? [`nothing is missing or stale: ${folder} stands`]
    : [`${folder}: ${measured} attempts measured${state === "resumed" ? " after it was interrupted" : ""}, ${adopted} adopted, ${failed} failed`];
  for (const { experiment, cells, reason, remedy } of plan.unavailable) lines.push(`${experiment}: ${cells.length} cells not measurable here: ${reason}; ${remedy}`);
  return lines.join("\n");
}
