import { drawBars } from "./bars.js";
import { duration } from "./durations.js";
import type { ChartLocale, Figure } from "./figure.js";
import { find, level, levels, matches } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable, serverName } from "./table.js";

const id = "framework-tax";

/** Time of a request from memory by server, under a heading for each route. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    return estimates.filter((row) => matches(row, "framework", "time", { method: "in-process", meter: "cputime" }) && row.basis === "native");
  },

  async draw(rows, locale, layout = "narrow") {
    const groups = levels(rows, "route").sort((a, b) => Number(a === "/chat") - Number(b === "/chat")).map((route) => ({
      id: route,
      heading: routeName(route, locale),
      bars: levels(rows, "server").flatMap((server) => {
        const row = find(rows, "time", { route, server });
        return row === undefined ? [] : [{ lane: server, laneLabel: serverName(locale)(server), value: row.value, low: row.low, high: row.high, label: duration(row.value, locale), fill: serverPaint(level(row, "server")) }];
      }),
    }));
    return drawBars({
      id, groups, scale: "linear",
      axisTitle: locale.text("chart.axis.request_time"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: (value) => duration(value, locale),
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "route", heading: locale.text("chart.table.route"), word: (route) => routeName(route, locale) },
      { factor: "server", heading: locale.text("chart.table.server"), word: serverName(locale) },
    ], (_, value) => duration(value, locale));
  },
};

function routeName(route: string, locale: ChartLocale): string {
  return locale.text(`chart.route.${route.replaceAll("/", "")}`);
}

export default figure;
