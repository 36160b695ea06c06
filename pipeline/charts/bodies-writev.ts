import type { Estimate } from "../stats/estimate.js";
import { drawBars } from "./bars.js";
import { duration } from "./durations.js";
import type { ChartLocale, Figure } from "./figure.js";
import { find, level, levels, matches } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable, serverName } from "./table.js";

const id = "bodies-writev";
const reference = "http";
const percent = { style: "percent", maximumFractionDigits: 0 } as const;

/**
 * CPU time of the server per reply with a body, copied, by writev and by HTTP, under a heading for each size, as a share of HTTP's of the
 * same size: between a kibibyte and a mebibyte a common scale would show the largest only. By Plot.
 */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = estimates.filter((row) => matches(row, "bodies", "cpu_time", { route: "/body", meter: "cputime" }) && row.basis === "native");
    const base = (row: Estimate): Estimate | undefined => find(rows, "cpu_time", { server: reference, bytes: level(row, "bytes") });
    return rows.filter((row) => (base(row)?.value ?? 0) > 0);
  },

  async draw(rows, locale, layout = "narrow") {
    const groups = levels(rows, "bytes").map((bytes) => {
      const base = find(rows, "cpu_time", { server: reference, bytes })!;
      return {
        id: bytes,
        heading: sizeName(locale)(bytes),
        bars: levels(rows, "server").flatMap((server) => {
          const row = find(rows, "cpu_time", { server, bytes });
          return row === undefined ? [] : [{
            lane: server, laneLabel: serverName(locale)(server), value: row.value / base.value, low: row.low / base.value, high: row.high / base.value,
            label: duration(row.value, locale), fill: serverPaint(server),
          }];
        }),
      };
    });
    return drawBars({
      id, groups, scale: "linear", reference: 1,
      axisTitle: locale.text("chart.axis.body_cpu"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: (value) => locale.number(value, percent),
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "bytes", heading: locale.text("chart.table.body"), word: sizeName(locale) },
      { factor: "server", heading: locale.text("chart.table.server"), word: serverName(locale) },
    ], (_, value) => duration(value, locale));
  },
};

/** A size in bytes, kibibytes or mebibytes; these units are written the same in every language. */
function sizeName(locale: ChartLocale): (bytes: string) => string {
  return (bytes) => {
    const [unit, length] = ([["MiB", 2 ** 20], ["KiB", 2 ** 10]] as const).find(([, size]) => Number(bytes) >= size) ?? ["B", 1];
    return `${locale.number(Number(bytes) / length, { maximumFractionDigits: 1 })} ${unit}`;
  };
}

export default figure;
