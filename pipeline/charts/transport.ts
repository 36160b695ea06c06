import type { Estimate } from "../stats/estimate.js";
import type { ChartLocale } from "./figure.js";
import { longestWindows, matches } from "./select.js";
import { serverName, type FactorColumn } from "./table.js";

/** Rows of the transport experiment under the article's load, 64 connections, with these other levels; of two lengths of a window the longer. */
export function transportRows(estimates: readonly Estimate[], metrics: readonly string[], levels: Readonly<Record<string, string | number>>, basis: Estimate["basis"]): Estimate[] {
  const load = { method: "loopback", connections: 64, ...levels };
  return longestWindows(estimates.filter((row) => row.basis === basis && metrics.some((metric) => matches(row, "transport", metric, load))));
}

/** How many requests are on their way at once, as a heading. */
export function depthName(locale: ChartLocale): (depth: string) => string {
  const plural = new Intl.PluralRules(locale.tag);
  return (depth) => locale.text(`chart.depth.${plural.select(Number(depth)) === "one" ? "one" : "other"}`).replace("{count}", locale.number(Number(depth)));
}

/** The columns of depth and server. */
export function depthAndServer(locale: ChartLocale): FactorColumn[] {
  return [
    { factor: "depth", heading: locale.text("chart.table.depth") },
    { factor: "server", heading: locale.text("chart.table.server"), word: serverName(locale) },
  ];
}
