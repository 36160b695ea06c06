import type { ChartLocale } from "./figure.js";

/** Units of time that the locale files have a pattern for, with their length in nanoseconds. */
const units = [["milliseconds", 1e6], ["microseconds", 1e3], ["nanoseconds", 1]] as const;

/** A time in nanoseconds to two or three digits, in the largest unit of which there is at least one; zero has no unit. */
export function duration(nanoseconds: number, locale: ChartLocale): string {
  if (nanoseconds === 0) return locale.number(0);
  const [unit, length] = units.find(([, size]) => nanoseconds >= size) ?? units[2];
  return locale.text(`format.${unit}`).replace("{}", locale.number(nanoseconds / length, { maximumSignificantDigits: 3 }));
}
