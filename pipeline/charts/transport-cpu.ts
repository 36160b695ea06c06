import { drawBars } from "./bars.js";
import { duration } from "./durations.js";
import type { Figure } from "./figure.js";
import { find, levels } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable, serverName } from "./table.js";
import { depthAndServer, depthName, transportRows } from "./transport.js";

const id = "transport-cpu";

/** CPU time of the server per request, by protocol and server, at each depth of pipelining. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    return transportRows(estimates, ["cpu_time"], { gogc: 100, meter: "cputime" }, "native");
  },

  async draw(rows, locale, layout = "narrow") {
    const groups = levels(rows, "depth").map((depth) => ({
      id: depth,
      heading: depthName(locale)(depth),
      bars: levels(rows, "server").flatMap((server) => {
        const row = find(rows, "cpu_time", { depth, server });
        return row === undefined ? [] : [{ lane: server, laneLabel: serverName(locale)(server), value: row.value, low: row.low, high: row.high, label: duration(row.value, locale), fill: serverPaint(server) }];
      }),
    }));
    return drawBars({
      id, groups, scale: "linear",
      axisTitle: locale.text("chart.axis.request_cpu"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: (value) => duration(value, locale),
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, depthAndServer(locale), (_, value) => duration(value, locale));
  },
};

export default figure;
