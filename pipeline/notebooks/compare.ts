import type { Measured } from "../experiments/index.js";
import { experimentsNamed } from "../experiments/running/registry.js";
import { Fault } from "../fault.js";
import { evaluate, Unmeasured } from "../stats/index.js";

/** One level set against another, where all other factors are the same. */
export interface Comparison {
  readonly where: string;
  readonly metric: string;
  readonly factor: string;
  readonly level: string;
  readonly against: string;
  /** The median over rounds of the metric at `level` divided by that at `against`, with its interval. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  /** Chosen by the interval: `equal` when it holds 1. */
  readonly word: "less" | "more" | "equal";
}

export interface CompareOptions {
  readonly metric: string;
  /** The factor whose levels are compared. */
  readonly factor: string;
  readonly level: string | number;
  /** Only where these factors have these levels; all that was measured when left out. */
  readonly where?: Readonly<Record<string, string | number>>;
}

/**
 * Sets one level of a factor against every other, wherever both were measured in the same rounds: pairs stay pairs.
 *
 * @throws Fault for a factor or a level that the experiment does not have
 */
export async function compare(measured: Pick<Measured, "samples">, options: CompareOptions): Promise<Comparison[]> {
  const id = measured.samples[0]?.experiment;
  if (id === undefined) return [];
  const [experiment] = await experimentsNamed([id]);
  const { factors } = experiment!;
  const { metric, factor, level, where = {} } = options;
  if (factors[factor]?.includes(level) !== true) throw new Fault(`${id} has no level ${JSON.stringify(level)} of "${factor}"; factors are ${Object.keys(factors).join(", ")}`);
  const found: Comparison[] = [];
  for (const at of conditions(measured, factor, where)) {
    for (const against of factors[factor]!.filter((other) => other !== level)) {
      try {
        const expression = `${metric}(${factor}=${JSON.stringify(level)}) / ${metric}(${factor}=${JSON.stringify(against)})`;
        const { value, low, high, n } = evaluate(expression, at, measured.samples, { factors });
        found.push({ where: words(at, where), metric, factor, level: String(level), against: String(against), ratio: value, low, high, n, word: high < 1 ? "less" : low > 1 ? "more" : "equal" });
      } catch (error) {
        if (!(error instanceof Unmeasured)) throw error;
      }
    }
  }
  return found;
}

/** The levels of all other factors that occur among the samples, each combination once. */
function conditions(measured: Pick<Measured, "samples">, factor: string, where: Readonly<Record<string, string | number>>): Record<string, string | number>[] {
  const seen = new Map<string, Record<string, string | number>>();
  for (const { cell } of measured.samples) {
    const { [factor]: _compared, ...others } = cell;
    if (Object.entries(where).every(([name, level]) => others[name] === level)) seen.set(JSON.stringify(Object.entries(others).sort()), others);
  }
  return [...seen.values()];
}

const words = (at: Readonly<Record<string, string | number>>, fixed: Readonly<Record<string, string | number>>): string =>
  Object.entries(at).filter(([factor]) => !(factor in fixed)).map(([factor, level]) => `${factor} ${level}`).join(", ");

/** Comparisons as sentences, in words chosen by the data. */
export function sentences(comparisons: readonly Comparison[]): string[] {
  return comparisons.map(({ where, metric, factor, level, against, ratio, low, high, n, word }) => {
    const percent = Math.abs(ratio - 1).toLocaleString("en", { style: "percent", maximumFractionDigits: 1 });
    const said = word === "equal" ? "no different from" : `${percent} ${word} than`;
    const sure = n === 1 ? "from a single round, so without an interval" : `${low.toFixed(3)} to ${high.toFixed(3)}`;
    return `${where === "" ? "" : `${where}: `}${metric} with ${factor} ${level}: ${said} with ${factor} ${against}; ratio ${ratio.toFixed(3)} (${sure}).`;
  });
}
