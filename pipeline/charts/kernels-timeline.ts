import { drawBars } from "./bars.js";
import type { Figure } from "./figure.js";
import { level, levels, matches } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable } from "./table.js";

const id = "kernels-timeline";
const whole = { maximumFractionDigits: 0 } as const;
const shown: readonly string[] = ["six-techniques", "epoll", "engine"];

/** Instructions per connection on one kernel after the other, for the published design, its plainest rival and the library. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = estimates.filter((row) => matches(row, "kernels", "instructions", { meter: "emulator", architecture: "amd64", scheduling: "equal" }));
    return levels(rows, "kernel").length > 1 ? rows : [];
  },

  async draw(rows, locale, layout = "narrow") {
    const groups = levels(rows, "server").filter((server) => shown.includes(server)).map((server) => ({
      id: server,
      heading: locale.text(`chart.server.${server}`),
      bars: levels(rows, "kernel").flatMap((kernel) => {
        const row = rows.find((one) => level(one, "server") === server && level(one, "kernel") === kernel);
        return row === undefined ? [] : [{ lane: kernel, laneLabel: kernel, value: row.value, low: row.low, high: row.high, label: locale.number(row.value, whole), fill: serverPaint(server) }];
      }),
    }));
    return drawBars({
      id, groups, scale: "linear",
      axisTitle: locale.text("chart.axis.instructions"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: (value) => locale.number(value, whole),
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "server", heading: locale.text("chart.table.server"), word: (server) => locale.text(`chart.server.${server}`) },
      { factor: "kernel", heading: locale.text("chart.table.kernel"), word: (kernel) => kernel },
    ], (_, value) => locale.number(value, whole));
  },
};

export default figure;
