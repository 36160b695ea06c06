import type { Estimate } from "../stats/estimate.js";
import type { ChartLocale, Table } from "./figure.js";
import { level, levels, publishedMeter } from "./select.js";

/** A column that names a factor, with the reader's words for its levels where they are words. */
export interface FactorColumn {
  readonly factor: string;
  readonly heading: string;
  /** The reader's word for a level; the level itself when left out. */
  word?(name: string): string;
}

/** The reader's word for a server. */
export function serverName(locale: ChartLocale): (server: string) => string {
  return (server) => locale.text(`chart.server.${server}`);
}

/** The kernel's name and release as a lane's label. */
export function kernelName(locale: ChartLocale): (kernel: string) => string {
  return (kernel) => locale.text("chart.lane.kernel").replace("{kernel}", kernel);
}

/**
 * A table of estimates: factors, metric when there are several, value, interval, rounds. Rows come in the order of the figures.
 *
 * @param metricKeys where the locale keeps the metrics' names
 */
export function estimatesTable(rows: readonly Estimate[], locale: ChartLocale, factors: readonly FactorColumn[], format: (row: Estimate, value: number) => string, metricKeys = "chart.metric"): Table {
  const metrics = [...new Set(rows.map((row) => row.metric))];
  const rank = new Map(factors.map(({ factor }) => [factor, levels(rows, factor)]));
  const place = (row: Estimate): number[] => [...factors.map(({ factor }) => rank.get(factor)?.indexOf(level(row, factor)) ?? 0), metrics.indexOf(row.metric)];
  const sorted = [...rows].sort((a, b) => {
    const [left, right] = [place(a), place(b)];
    return left.map((value, index) => value - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  });
  return {
    columns: [
      ...factors.map((column) => column.heading),
      ...(metrics.length > 1 ? [locale.text("chart.table.metric")] : []),
      locale.text("chart.table.value"), locale.text("chart.table.interval"), locale.text("chart.table.rounds"),
    ],
    rows: sorted.map((row) => [
      ...factors.map((column) => levelWord(row, column, locale)),
      ...(metrics.length > 1 ? [locale.text(`${metricKeys}.${row.metric}`)] : []),
      format(row, row.value),
      row.meter === publishedMeter ? "" : `${format(row, row.low)}–${format(row, row.high)}`,
      row.meter === publishedMeter ? "" : locale.number(row.n),
    ]),
  };
}

function levelWord(row: Estimate, column: FactorColumn, locale: ChartLocale): string {
  const name = level(row, column.factor);
  if (name === "") return row.meter === publishedMeter ? locale.text("chart.table.published") : "";
  return column.word === undefined ? name : column.word(name);
}
