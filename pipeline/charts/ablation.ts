import type { Estimate } from "../stats/estimate.js";
import type { ChartLocale } from "./figure.js";
import { level, matches } from "./select.js";
import type { FactorColumn } from "./table.js";

/** The six techniques in the article's order. */
export const six = ["defer", "direct", "multishot", "freelist", "fuse", "skip"] as const;
/** What the factorial varies: the six, and TCP_DEFER_ACCEPT. */
export const switches = [...six, "deferred"] as const;

/** Sizes and load as published. */
const sizes = { table: 4096, kept: 128, batch: 4096 } as const;
const place = { meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal" } as const;

/** Instructions of the ablation's cells at the published sizes, with these other levels. */
export function ablationRows(estimates: readonly Estimate[], levels: Readonly<Record<string, string | number>>): Estimate[] {
  return estimates.filter((row) => matches(row, "ablation", "instructions", { ...place, ...sizes, ...levels }));
}

/** Which switches are on, in order: `111111` is the published set. */
export function pattern(row: Estimate, names: readonly string[] = six): string {
  return names.map((name) => (level(row, name) === "on" ? "1" : "0")).join("");
}

/** The reader's word for a technique. */
export function techniqueName(locale: ChartLocale): (technique: string) => string {
  return (technique) => locale.text(`chart.technique.${technique}`);
}

/** A column for each switch, on or off. */
export function switchColumns(locale: ChartLocale, names: readonly string[]): FactorColumn[] {
  return names.map((factor) => ({ factor, heading: techniqueName(locale)(factor), word: (on) => locale.text(on === "on" ? "chart.table.yes" : "chart.table.no") }));
}
