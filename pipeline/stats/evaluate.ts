import { Fault } from "../fault.js";
import type { Basis } from "../store/attempt.js";
import type { Sample } from "../store/sample.js";
import type { Estimate } from "./estimate.js";
import { parseExpression, type Parsed, type Selector } from "./expression.js";
import { interval } from "./interval.js";
import { commandFor, distinct, measuredIn, repeats } from "./provenance.js";
import { numberIn, quantity, unitOf, type Quantity } from "./units.js";

/** The expression is sound, but no round holds all the readings it needs: not yet measured, failed, or not measurable here. */
export class Unmeasured extends Fault {
  readonly cell: Readonly<Record<string, string | number>>;
  readonly metric: string;

  constructor(expression: string, metric: string, cell: Readonly<Record<string, string | number>>, why: string) {
    super(`expression "${expression}": ${why}; run the experiment that measures it`);
    this.metric = metric;
    this.cell = cell;
  }
}

export interface EvaluateOptions {
  /** The experiment's factors with all their levels, so that a level that was not measured is told from one that does not exist. */
  readonly factors?: Readonly<Record<string, readonly (string | number)[]>>;
}

interface Lookup {
  readonly selector: Selector;
  readonly levels: Readonly<Record<string, string | number>>;
  /** The last whole attempt of each round. */
  readonly rounds: ReadonlyMap<number, Sample>;
}

/**
 * Evaluates an expression over rounds: in each round every selector looks up its reading, the expression is computed from them, and
 * only then is the interval made, so that what was measured side by side stays paired.
 *
 * @param expression mathjs with selectors: `instructions(server="go") / instructions(server="engine")`
 * @param primary levels of the factors that selectors leave open; a selector's own level comes first
 * @param attempts of one experiment; of several when `experiment` is given as if it were a factor
 * @throws Fault for an unknown metric, factor or level (it lists the known), a factor left open, units that do not fit, mixed bases
 * @throws Unmeasured when no round holds all the readings
 */
export function evaluate(
  expression: string,
  primary: Readonly<Record<string, string | number>>,
  attempts: readonly Sample[],
  options: EvaluateOptions = {},
): Estimate {
  const parsed = parseExpression(expression);
  const lookups = parsed.selectors.map((selector) => lookUp(parsed, selector, primary, attempts, options));
  const rounds = [...lookups[0]!.rounds.keys()].filter((round) => lookups.every((l) => l.rounds.has(round))).sort((a, b) => a - b);
  if (rounds.length === 0) throw unpaired(parsed, lookups);
  const used = rounds.flatMap((round) => lookups.map((l) => l.rounds.get(round)!));
  const basis = oneBasis(parsed, used);
  const { values, unit } = compute(parsed, lookups, rounds);
  const { method, ...location } = interval(values, repeats(basis));
  return {
    experiment: distinct(used.map((s) => s.experiment)).join("+"),
    metric: parsed.simple ? parsed.selectors[0]!.metric : expression,
    factors: shared(lookups),
    statistic: parsed.simple ? "median" : `median over ${repeats(basis)}`,
    ...location,
    method: apart(lookups, rounds) ? `${method}, measured in different runs` : method,
    n: values.length,
    unit,
    meter: distinct(used.flatMap((s) => lookups.map((l) => s.metrics[l.selector.metric]?.meter))).join(", "),
    basis,
    runs: distinct(used.map(measuredIn)),
    command: commandFor(used),
  };
}

function lookUp(parsed: Parsed, selector: Selector, primary: Readonly<Record<string, string | number>>, attempts: readonly Sample[], options: EvaluateOptions): Lookup {
  const known = knownFactors(attempts, options);
  const levels = merge(parsed, selector, primary, known, attempts.length > 0 || options.factors !== undefined);
  const metrics = distinct(attempts.flatMap((a) => Object.keys(a.metrics)));
  if (metrics.length > 0 && !metrics.includes(selector.metric)) {
    throw new Fault(`expression "${parsed.text}": unknown metric "${selector.metric}"; known are ${metrics.join(", ")}`);
  }
  const rounds = new Map<number, Sample>();
  for (const sample of attempts) {
    const matches = Object.entries(levels).every(([factor, level]) => levelOf(sample, factor) === level);
    if (matches && sample.failed === undefined && sample.metrics[selector.metric] !== undefined) rounds.set(sample.round, sample);
  }
  if (rounds.size === 0) throw new Unmeasured(parsed.text, selector.metric, levels, `no attempt has read ${selector.metric} where ${words(levels)}`);
  return { selector, levels, rounds };
}

const levelOf = (sample: Sample, factor: string): string | number | undefined => (factor === "experiment" ? sample.experiment : sample.cell[factor]);
const words = (levels: Readonly<Record<string, string | number>>): string => Object.entries(levels).map(([f, l]) => `${f} is ${l}`).join(", ");

function knownFactors(attempts: readonly Sample[], options: EvaluateOptions): Map<string, Set<string | number>> {
  const known = new Map<string, Set<string | number>>();
  const add = (factor: string, level: string | number) => void (known.get(factor) ?? known.set(factor, new Set()).get(factor)!).add(level);
  for (const [factor, levels] of Object.entries(options.factors ?? {})) for (const level of levels) add(factor, level);
  for (const sample of attempts) for (const [factor, level] of Object.entries(sample.cell)) add(factor, level);
  const experiments = distinct(attempts.map((a) => a.experiment));
  if (experiments.length > 1) for (const id of experiments) add("experiment", id);
  return known;
}

/** The selector's levels over the primary ones, each checked against what is known; a factor left open is a Fault. */
function merge(
  parsed: Parsed,
  selector: Selector,
  primary: Readonly<Record<string, string | number>>,
  known: ReadonlyMap<string, ReadonlySet<string | number>>,
  check: boolean,
): Record<string, string | number> {
  const levels = { ...primary, ...selector.levels };
  if (!check) return levels;
  for (const [factor, level] of Object.entries(levels)) {
    const its = known.get(factor);
    if (factor === "experiment" && its === undefined) delete levels[factor];
    else if (its === undefined) throw new Fault(`expression "${parsed.text}": unknown factor "${factor}" in ${selector.text}; known are ${[...known.keys()].sort().join(", ")}`);
    else if (!its.has(level)) throw new Fault(`expression "${parsed.text}": unknown level ${JSON.stringify(level)} of "${factor}" in ${selector.text}; known are ${[...its].map((l) => JSON.stringify(l)).join(", ")}`);
  }
  for (const [factor, its] of known) {
    if (!(factor in levels)) {
      throw new Fault(`expression "${parsed.text}": ${selector.text} leaves "${factor}" open; give it one of ${[...its].map((l) => JSON.stringify(l)).join(", ")}`);
    }
  }
  return levels;
}

function unpaired(parsed: Parsed, lookups: readonly Lookup[]): Unmeasured {
  const first = lookups[0]!;
  return new Unmeasured(parsed.text, first.selector.metric, first.levels, `no round holds all of ${parsed.selectors.map((s) => s.text).join(", ")}`);
}

function oneBasis(parsed: Parsed, used: readonly Sample[]): Basis {
  const bases = distinct(used.map((s) => s.basis));
  if (bases.length > 1) throw new Fault(`expression "${parsed.text}": it mixes ${bases.join(" and ")} readings; give every selector the same meter`);
  return bases[0] as Basis;
}

function compute(parsed: Parsed, lookups: readonly Lookup[], rounds: readonly number[]): { values: number[]; unit: string } {
  let unit: string | undefined;
  const values = rounds.map((round) => {
    const readings = lookups.map((l) => l.rounds.get(round)!.metrics[l.selector.metric]!);
    let result: unknown;
    try {
      result = parsed.compute(readings.map((r) => quantity(r.value, r.unit)));
      if (typeof result === "boolean") result = Number(result);
      unit ??= parsed.simple ? readings[0]!.unit : unitOf(result as Quantity);
      const value = numberIn(result as Quantity, unit);
      if (Number.isFinite(value)) return value;
    } catch (error) {
      throw new Fault(`expression "${parsed.text}": ${(error as Error).message}; its units are ${readings.map((r) => r.unit).join(", ")}`);
    }
    throw new Fault(`expression "${parsed.text}": in round ${round} it gives ${String(result)}; it must give a finite number`);
  });
  return { values, unit: unit! };
}

/** The levels that all selectors have in common. */
function shared(lookups: readonly Lookup[]): Record<string, string | number> {
  return Object.fromEntries(Object.entries(lookups[0]!.levels).filter(([factor, level]) => factor !== "experiment" && lookups.every((l) => l.levels[factor] === level)));
}

/** Native readings of one round that were taken in different runs were not interleaved, and the estimate must say so. */
function apart(lookups: readonly Lookup[], rounds: readonly number[]): boolean {
  return rounds.some((round) => {
    const samples = lookups.map((l) => l.rounds.get(round)!);
    return samples[0]!.basis === "native" && distinct(samples.map(measuredIn)).length > 1;
  });
}
