import type { Estimate } from "../stats/estimate.js";
import type { Figure } from "./figure.js";
import { enclose, layOut, roomFor } from "./frame.js";
import { drawWithPlot } from "./plot.js";
import { ticks } from "./scale.js";
import { find, level, levels } from "./select.js";
import { paint, pale, serverPaint, type } from "./style.js";
import { estimatesTable, serverName } from "./table.js";
import { depthAndServer, depthName, transportRows } from "./transport.js";

const id = "transport-instructions";
const parts = ["instructions_kernel", "instructions_user"] as const;
const whole = { maximumFractionDigits: 0 } as const;
const percent = { style: "percent", maximumFractionDigits: 0 } as const;

/** Instructions of the server per request, counted in the emulator and divided into kernel and program, at each depth of pipelining. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = transportRows(estimates, parts, { gogc: 100, meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal" }, "emulated");
    return rows.filter((row) => parts.every((metric) => find(rows, metric, { server: level(row, "server"), depth: level(row, "depth") }) !== undefined));
  },

  async draw(rows, locale, layout = "narrow") {
    const split = (server: string, depth: string): { kernel: Estimate; user: Estimate } | undefined => {
      const [kernel, user] = parts.map((metric) => find(rows, metric, { server, depth }));
      return kernel === undefined || user === undefined ? undefined : { kernel, user };
    };
    const groups = levels(rows, "depth").map((depth) => ({
      id: depth,
      heading: depthName(locale)(depth),
      lanes: levels(rows, "server").filter((server) => split(server, depth) !== undefined).map((server) => ({ name: server, label: serverName(locale)(server) })),
    }));
    const label = ({ kernel, user }: { kernel: Estimate; user: Estimate }): string => `${locale.number(kernel.value + user.value, whole)} · ${locale.number(kernel.value / (kernel.value + user.value), percent)}`;
    const found = groups.flatMap((group) => group.lanes.map((lane) => ({ group, lane, both: split(lane.name, group.id)! })));
    const frame = layOut(layout, {
      groups,
      axisTitle: locale.text("chart.axis.request_instructions"),
      keys: [{ shape: "bar", text: locale.text("chart.key.kernel") }, { shape: "pale", text: locale.text("chart.key.user") }],
      rightRoom: roomFor(found.map(({ both }) => label(both))),
    });
    const bars = found.map(({ group, lane, both }) => {
      const { top, bottom } = frame.lanes.find((one) => one.group === group.id && one.name === lane.name)!;
      return { heading: group.heading, name: lane.label, top, bottom, middle: (top + bottom) / 2, kernel: both.kernel.value, total: both.kernel.value + both.user.value, fill: serverPaint(lane.name), label: label(both) };
    });
    const largest = Math.max(...bars.map((bar) => bar.total));
    const marks = await drawWithPlot(frame, { largest, values: ticks(largest, layout === "narrow" ? 3 : 6), label: (value) => locale.number(value, whole) }, (Plot) => [
      Plot.rect(bars, { x1: 0, x2: "total", y1: "top", y2: "bottom", fill: paint("chart-paper") }),
      Plot.rect(bars, { x1: 0, x2: "kernel", y1: "top", y2: "bottom", fill: "fill" }),
      Plot.rect(bars, { x1: "kernel", x2: "total", y1: "top", y2: "bottom", fill: "fill", fillOpacity: pale }),
      Plot.text(bars, { x: "total", y: "middle", text: "label", textAnchor: "start", dx: 6, fontSize: type.value, fill: paint("chart-ink") }),
    ]);
    return enclose(frame, marks, locale, {
      id,
      title: locale.text(`chart.figure.${id}.title`),
      text: `${locale.text(`chart.figure.${id}.description`)} ${bars.map((bar) => `${bar.heading}, ${bar.name}: ${bar.label}`).join("; ")}.`,
    });
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, depthAndServer(locale), (_, value) => locale.number(value, whole), "chart.metric.request");
  },
};

export default figure;
