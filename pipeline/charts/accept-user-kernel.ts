import type { Estimate } from "../stats/estimate.js";
import type { Figure } from "./figure.js";
import { enclose, layOut, roomFor } from "./frame.js";
import { drawWithPlot } from "./plot.js";
import { ticks } from "./scale.js";
import { find, level, levels, matches, primary } from "./select.js";
import { paint, pale, serverPaint, type } from "./style.js";
import { estimatesTable, kernelName, serverName } from "./table.js";

const id = "accept-user-kernel";
const parts = ["instructions_kernel", "instructions_user"] as const;
const whole = { maximumFractionDigits: 0 } as const;
const percent = { style: "percent", maximumFractionDigits: 0 } as const;

/** Instructions per connection divided into kernel and program, by server and kernel, with the kernel's share beside each bar. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = estimates.filter((row) => parts.some((metric) => matches(row, "accept", metric, { ...primary, meter: "emulator" })));
    return rows.filter((row) => parts.every((metric) => find(rows, metric, { server: level(row, "server"), kernel: level(row, "kernel") }) !== undefined));
  },

  async draw(rows, locale, layout = "narrow") {
    const kernels = levels(rows, "kernel");
    const split = (server: string, kernel: string): { kernel: Estimate; user: Estimate } | undefined => {
      const [inKernel, inUser] = [find(rows, "instructions_kernel", { server, kernel }), find(rows, "instructions_user", { server, kernel })];
      return inKernel === undefined || inUser === undefined ? undefined : { kernel: inKernel, user: inUser };
    };
    const groups = levels(rows, "server").map((server) => ({ id: server, heading: serverName(locale)(server), lanes: kernels.filter((kernel) => split(server, kernel) !== undefined).map((kernel) => ({ name: kernel, label: kernelName(locale)(kernel) })) }));
    const frame = layOut(layout, {
      groups,
      axisTitle: locale.text("chart.axis.instructions"),
      keys: [{ shape: "bar", text: locale.text("chart.key.kernel") }, { shape: "pale", text: locale.text("chart.key.user") }],
      rightRoom: roomFor([locale.number(1, percent)]),
    });
    const bars = frame.lanes.flatMap((lane) => {
      const found = split(lane.group, lane.name);
      if (found === undefined) return [];
      const total = found.kernel.value + found.user.value;
      return [{ lane, kernel: found.kernel.value, total, fill: serverPaint(lane.group), share: locale.number(found.kernel.value / total, percent) }];
    });
    const largest = Math.max(...bars.map((bar) => bar.total));
    const marks = await drawWithPlot(frame, { largest, values: ticks(largest, layout === "narrow" ? 3 : 6), label: (value) => locale.number(value, whole) }, (Plot) => [
      Plot.rect(bars, { x1: 0, x2: "kernel", y1: (bar) => bar.lane.top, y2: (bar) => bar.lane.bottom, fill: "fill" }),
      Plot.rect(bars, { x1: "kernel", x2: "total", y1: (bar) => bar.lane.top, y2: (bar) => bar.lane.bottom, fill: paint("chart-paper") }),
      Plot.rect(bars, { x1: "kernel", x2: "total", y1: (bar) => bar.lane.top, y2: (bar) => bar.lane.bottom, fill: "fill", fillOpacity: pale }),
      Plot.text(bars, { x: "total", y: (bar) => (bar.lane.top + bar.lane.bottom) / 2, text: "share", textAnchor: "start", dx: 6, fontSize: type.value, fill: paint("chart-ink") }),
    ]);
    return enclose(frame, marks, locale, {
      id,
      title: locale.text(`chart.figure.${id}.title`),
      text: `${locale.text(`chart.figure.${id}.description`)} ${bars.map((bar) => `${serverName(locale)(bar.lane.group)}, ${bar.lane.name}: ${bar.share}`).join("; ")}.`,
    });
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "server", heading: locale.text("chart.table.server"), word: serverName(locale) },
      { factor: "kernel", heading: locale.text("chart.table.kernel") },
    ], (_, value) => locale.number(value, whole));
  },
};

export default figure;
