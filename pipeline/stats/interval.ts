import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { median, quantileSorted } from "simple-statistics";

/** A location and how sure it is; `low <= value <= high`. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly level: number;
  readonly method: string;
}

const bootstrapLevel = 0.95;
const resamples = 4000;
/** Below this many values a bootstrap cannot reach the tails it claims: the median of 5 has 126 distinct resamples, that of 3 has 10. */
const enough = 5;

/**
 * Percentile bootstrap of the median (Efron 1979): the values are drawn again with replacement from a fixed seed, so that the same
 * samples always give the same interval.
 *
 * With fewer than five values their range, and the method says so: the median lies outside the range of n independent values only if
 * all fall on one side of it, so the range holds it with confidence 1 - 2^(1-n), 75 % for three, and nothing for one.
 *
 * @param values one for each round or seed, never for each connection
 * @param of what a value stands for: `rounds` or `seeds`
 */
export function interval(values: readonly number[], of: "rounds" | "seeds"): Interval {
  if (values.length === 0) throw new RangeError("an interval needs at least one value");
  const sorted = [...values].sort((a, b) => a - b);
  const value = median(sorted);
  if (sorted.length === 1) return { value, low: value, high: value, level: 0, method: `one ${of.slice(0, -1)}: no interval` };
  if (sorted.length < enough) return { value, low: sorted[0]!, high: sorted.at(-1)!, level: 1 - 2 ** (1 - sorted.length), method: `range of ${sorted.length} ${of}` };
  const medians = bootstrapMedians(sorted);
  const tail = (1 - bootstrapLevel) / 2;
  return {
    value,
    // The percentile interval of a median always spans it in theory; the two guards keep the last binary digit from saying otherwise.
    low: Math.min(value, quantileSorted(medians, tail)),
    high: Math.max(value, quantileSorted(medians, 1 - tail)),
    level: bootstrapLevel,
    method: `bootstrap over ${of}`,
  };
}

function bootstrapMedians(sorted: readonly number[]): number[] {
  const random = xoroshiro128plus(sorted.length);
  const draw = new Array<number>(sorted.length);
  const medians: number[] = [];
  for (let i = 0; i < resamples; i++) {
    for (let j = 0; j < draw.length; j++) draw[j] = sorted[uniformInt(random, 0, sorted.length - 1)]!;
    medians.push(median(draw));
  }
  return medians.sort((a, b) => a - b);
}

/** Half the interval's width, relative to its value: what a stopping rule looks at. */
export function halfWidth(values: readonly number[]): number {
  const { value, low, high } = interval(values, "rounds");
  return value === 0 ? 0 : (high - low) / 2 / Math.abs(value);
}

