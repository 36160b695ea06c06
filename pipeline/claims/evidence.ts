import { Fault } from "../fault.js";
import type { Estimate } from "../stats/estimate.js";
import { evaluate, Unmeasured, type Sample } from "../stats/index.js";
import { parseExpression } from "../stats/expression.js";
import type { Levels } from "./claim.js";

/** What an expression came to: an estimate, or why there is none. `failed` when the cells were tried and could not be measured. */
export type Answer = { readonly estimate: Estimate } | { readonly missing: string; readonly failed?: boolean };

/** The samples that claims and articles are judged by, of one run. */
export interface Evidence {
  /** The run's name, `reference` for the committed one, or undefined when nothing was measured at all. */
  readonly run: string | undefined;
  readonly attempts: readonly Sample[];
  /** The factors of each experiment with their levels. An experiment that is not here does not exist yet. */
  readonly factors: Readonly<Record<string, Readonly<Record<string, readonly (string | number)[]>>>>;
  /** Cells that could not be measured where the run was made, and why. */
  readonly unavailable: readonly { readonly experiment: string; readonly reason: string; readonly cells: readonly Levels[] }[];
}

/** The attempts of one experiment. */
function attemptsOf(evidence: Evidence, experiment: string): readonly Sample[] {
  return evidence.attempts.filter((attempt) => attempt.experiment === experiment);
}

/**
 * Evaluates an expression over the rounds of an experiment.
 *
 * What was not measured is an answer, not an error. Throws a Fault for an expression that cannot be right: bad syntax, an unknown
 * factor or level, a factor left open, units that do not fit.
 */
export function answer(evidence: Evidence, experiment: string, expression: string, levels: Levels): Answer {
  const factors = evidence.factors[experiment];
  if (factors === undefined) return { missing: `the experiment "${experiment}" comes later` };
  const attempts = attemptsOf(evidence, experiment);
  const read = new Set(attempts.flatMap((attempt) => Object.keys(attempt.metrics)));
  const unread = parseExpression(expression).selectors.find((selector) => !read.has(selector.metric));
  if (unread) return missing(evidence, experiment, attempts, { ...levels, ...unread.levels }, `no attempt has read ${unread.metric}`);
  try {
    return { estimate: evaluate(expression, levels, attempts, { factors }) };
  } catch (error) {
    if (error instanceof Unmeasured) return missing(evidence, experiment, attempts, error.cell, `${error.metric} was not read where ${words(error.cell)}`);
    throw error;
  }
}

/** A recorded fact in the whole attempts at these levels, each different one once. */
export function facts(evidence: Evidence, experiment: string, name: string, levels: Levels): { readonly values: readonly string[]; readonly attempts: readonly Sample[] } {
  const attempts = attemptsOf(evidence, experiment).filter((attempt) => attempt.failed === undefined && attempt.facts[name] !== undefined && at(attempt.cell, levels));
  return { values: [...new Set(attempts.map((attempt) => attempt.facts[name]!))].sort(), attempts };
}

function missing(evidence: Evidence, experiment: string, attempts: readonly Sample[], levels: Levels, why: string): Answer {
  if (evidence.run === undefined) return { missing: "nothing has been measured yet" };
  const failed = attempts.findLast((attempt) => attempt.failed !== undefined && at(attempt.cell, levels))?.failed;
  if (failed) return { missing: `${failed.stage}: ${failed.message}`, failed: true };
  const unavailable = evidence.unavailable.find((entry) => entry.experiment === experiment && entry.cells.some((cell) => at(cell, levels)));
  return unavailable ? { missing: unavailable.reason, failed: true } : { missing: why };
}

function at(cell: Levels, levels: Levels): boolean {
  return Object.entries(levels).every(([factor, level]) => cell[factor] === level);
}

function words(levels: Levels): string {
  return Object.entries(levels).map(([factor, level]) => `${factor} is ${level}`).join(", ");
}

/** Refuses factors and levels that an experiment does not have, in the conditions that an article or a book of claims sets. */
export function checkLevels(evidence: Evidence, experiment: string, levels: Levels, where: string): void {
  const factors = evidence.factors[experiment];
  if (factors === undefined) return;
  for (const [factor, level] of Object.entries(levels)) {
    const known = factors[factor];
    if (known === undefined) throw new Fault(`${where}: the experiment ${experiment} has no factor "${factor}": it has ${Object.keys(factors).join(", ")}`);
    if (!known.includes(level)) throw new Fault(`${where}: the factor ${factor} of ${experiment} has no level ${JSON.stringify(level)}: it has ${known.join(", ")}`);
  }
}
