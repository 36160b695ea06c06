import { drawBars } from "./bars.js";
import { duration } from "./durations.js";
import type { Figure } from "./figure.js";
import { find, level, levels } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable, serverName } from "./table.js";
import { transportRows } from "./transport.js";

const id = "transport-collections";
const [count, pause] = ["collections_six_seconds", "pause_six_seconds"];
const metrics = [count, pause];
const decimal = { maximumFractionDigits: 1 } as const;

/** Collections of the server in six seconds, with the time for which they stopped it, by server and by GOGC. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = transportRows(estimates, metrics, { depth: 1, meter: "cputime" }, "native");
    return rows.filter((row) => metrics.every((metric) => find(rows, metric, { server: level(row, "server"), gogc: level(row, "gogc") }) !== undefined));
  },

  async draw(rows, locale, layout = "narrow") {
    const groups = levels(rows, "server").map((server) => ({
      id: server,
      heading: serverName(locale)(server),
      bars: levels(rows, "gogc").flatMap((gogc) => {
        const [counted, paused] = [find(rows, count, { server, gogc }), find(rows, pause, { server, gogc })];
        if (counted === undefined || paused === undefined) return [];
        const label = `${locale.number(counted.value, decimal)} · ${duration(paused.value, locale)}`;
        return [{ lane: gogc, laneLabel: `GOGC ${gogc}`, value: counted.value, low: counted.low, high: counted.high, label, fill: serverPaint(server) }];
      }),
    }));
    return drawBars({
      id, groups, scale: "linear",
      axisTitle: locale.text("chart.axis.collections"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: (value) => locale.number(value),
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "server", heading: locale.text("chart.table.server"), word: serverName(locale) },
      { factor: "gogc", heading: "GOGC" },
    ], (row, value) => (row.metric === pause ? duration(value, locale) : locale.number(value, decimal)));
  },
};

export default figure;
