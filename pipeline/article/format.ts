import type { Locale } from "./locale.js";

/** How a figure is shown: `times 1 with interval`. */
export interface Format {
  readonly name: string;
  readonly digits: number | undefined;
  readonly interval: "none" | "with" | "only";
}

/** A number with the ends of its interval where it has one, and over how many rounds or seeds it was taken. */
export interface Located {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  readonly n?: number;
}

type Shape = (value: number, digits: number | undefined, locale: Locale) => string;

const decimals = (locale: Locale, value: number, digits: number): string => locale.number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
const inUnit = (unit: string, nanoseconds: number): Shape => (value, digits, locale) => {
  const scaled = value / nanoseconds;
  return locale.fill(`format.${unit}`, { "": digits === undefined ? locale.number(scaled, { maximumSignificantDigits: 3 }) : decimals(locale, scaled, digits) });
};
const percentage = (signDisplay: "negative" | "exceptZero"): Shape => (value, digits, locale) =>
  locale.number(value, { style: "percent", minimumFractionDigits: digits ?? 0, maximumFractionDigits: digits ?? 0, signDisplay });

/** The numeric formats of the article language, by name. */
const shapes: Readonly<Record<string, Shape>> = {
  number: (value, digits, locale) => (digits === undefined ? locale.number(value, { maximumFractionDigits: 2 }) : decimals(locale, value, digits)),
  integer: (value, _, locale) => locale.number(value, { maximumFractionDigits: 0 }),
  thousands: (value, _, locale) => locale.number(value, { maximumSignificantDigits: 3 }),
  kilo: (value, digits, locale) => locale.fill("format.kilo", { "": decimals(locale, value / 1000, digits ?? 1) }),
  times: (value, digits, locale) => locale.fill("format.times", { "": decimals(locale, value, digits ?? 2) }),
  percent: percentage("negative"),
  change: percentage("exceptZero"),
  nanoseconds: inUnit("nanoseconds", 1),
  microseconds: inUnit("microseconds", 1e3),
  milliseconds: inUnit("milliseconds", 1e6),
  seconds: inUnit("seconds", 1e9),
};

/** The names an author may write after `|`. */
const formatNames: readonly string[] = [...Object.keys(shapes), "name", "text"];

/** Reads `times`, `number 2`, `thousands with interval`, `interval kilo`; undefined for anything else. */
export function readFormat(text: string): Format | undefined {
  const match = /^(interval\s+)?([a-z]+)(?:\s+(\d))?(\s+with\s+interval)?$/.exec(text);
  if (!match) return undefined;
  const [, only, name = "", digits, withInterval] = match;
  if (!formatNames.includes(name) || (only && withInterval)) return undefined;
  if (!(name in shapes) && (digits || only || withInterval)) return undefined;
  return { name, digits: digits === undefined ? undefined : Number(digits), interval: only ? "only" : withInterval ? "with" : "none" };
}

/** A figure as the reader sees it: the number, and the interval when the format asks for it and there is one. */
export function show(located: Located, format: Format, locale: Locale): { readonly number: string; readonly interval: string } {
  const shape = shapes[format.name]!;
  const one = (value: number): string => shape(value, format.digits, locale);
  if (format.interval === "none" || located.low === undefined || located.high === undefined) return { number: one(located.value), interval: "" };
  const interval = located.n === 1 ? locale.text("format.single") : locale.fill("format.interval", { low: one(located.low), high: one(located.high) });
  return format.interval === "only" ? { number: interval, interval: "" } : { number: one(located.value), interval };
}
