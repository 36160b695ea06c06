import type { Estimate } from "../stats/estimate.js";
import { drawBars } from "./bars.js";
import { duration } from "./durations.js";
import type { ChartLocale, Figure } from "./figure.js";
import { find, level, levels, matches } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable } from "./table.js";

const id = "typed-codecs";
const reference = "goccy";
const metrics = ["time", "allocations"] as const;
const operations: readonly string[] = ["decode", "encode", "handler"];

/**
 * Time of a typed record relative to goccy's by codec, on a logarithmic scale, with the number of allocations, under a heading for
 * each operation. By Plot.
 */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = estimates.filter((row) => metrics.some((metric) => matches(row, "typed", metric, { meter: "cputime" })) && row.basis === "native" && operations.includes(level(row, "operation")));
    const pair = (row: Estimate, codec: string, records: string): boolean => metrics.every((metric) => (find(rows, metric, { codec, operation: level(row, "operation"), records })?.value ?? -1) >= (metric === "time" ? Number.MIN_VALUE : 0));
    // What a server does, where goccy was measured at it; else request and reply of each.
    const records = (row: Estimate): string | undefined => ["server", "both"].find((name) => pair(row, reference, name));
    return rows.filter((row) => level(row, "records") === records(row) && pair(row, level(row, "codec"), level(row, "records")));
  },

  async draw(rows, locale, layout = "narrow") {
    const times = (value: number): string => locale.text("format.times").replace("{}", locale.number(value, { maximumSignificantDigits: 2 }));
    const groups = levels(rows, "operation").map((operation) => {
      const base = find(rows, "time", { codec: reference, operation })!;
      return {
        id: operation,
        heading: locale.text(`chart.operation.${operation}`),
        bars: levels(rows, "codec").flatMap((codec) => {
          const [time, allocations] = metrics.map((metric) => find(rows, metric, { codec, operation }));
          if (time === undefined || allocations === undefined) return [];
          const label = `${times(time.value / base.value)} · ${locale.number(allocations.value, { maximumFractionDigits: 0 })}`;
          return [{ lane: codec, laneLabel: codecName(locale)(codec), value: time.value / base.value, low: time.low / base.value, high: time.high / base.value, label, fill: serverPaint(codec) }];
        }),
      };
    });
    return drawBars({
      id, groups, scale: "log", reference: 1,
      axisTitle: locale.text("chart.axis.codec_time"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: times,
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "operation", heading: locale.text("chart.table.operation"), word: (operation) => locale.text(`chart.operation.${operation}`) },
      { factor: "codec", heading: locale.text("chart.table.codec"), word: codecName(locale) },
    ], (row, value) => (row.metric === "time" ? duration(value, locale) : locale.number(value, { maximumFractionDigits: 2 })));
  },
};

/** A codec by the name of its library, which is the same in every language. */
function codecName(locale: ChartLocale): (codec: string) => string {
  return (codec) => locale.text(`chart.codec.${codec}`);
}

export default figure;
