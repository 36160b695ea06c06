import type { Basis } from "../store/attempt.js";
import type { Sample } from "../store/sample.js";

/** What a seed of this basis repeats: an emulated machine is booted from several seeds, a native cell is run in several rounds. */
export const repeats = (basis: Basis): "rounds" | "seeds" => (basis === "native" ? "rounds" : "seeds");

/** The run in which the attempt was measured, be it adopted since. */
export const measuredIn = (sample: Sample): string | undefined => sample.adoptedFrom ?? sample.run;

/** The command that measures these samples again. */
export function commandFor(samples: readonly Sample[]): string {
  const experiments = [...new Set(samples.map((s) => s.experiment))].sort();
  const profile = samples.map((s) => s.ranAs).find((p) => p !== undefined);
  return `./nullius run ${experiments.join(" ")}${profile === undefined ? "" : ` --profile ${profile}`}`;
}

/** Distinct, defined, sorted. */
export function distinct(values: Iterable<string | undefined>): string[] {
  return [...new Set([...values].filter((v) => v !== undefined))].sort();
}
