import type { Estimate } from "../stats/estimate.js";
import type { Figure } from "./figure.js";
import { enclose, layOut, roomFor } from "./frame.js";
import { drawWithPlot } from "./plot.js";
import { ticks } from "./scale.js";
import { find, level, levels, matches, primary } from "./select.js";
import { paint, pale, serverPaint, type } from "./style.js";
import { estimatesTable, serverName } from "./table.js";

const id = "accept-cputime";
const whole = { maximumFractionDigits: 0 } as const;
const percent = { style: "percent", maximumFractionDigits: 0 } as const;

/** The kernel whose instructions stand beside the host's CPU time. */
const kernel = "6.12";

/**
 * Instructions counted in the emulator beside CPU time on the host, for each server as a share of the goroutine server's,
 * because the two have no unit in common. By Plot.
 */
const figure: Figure = {
  id,

  select(estimates) {
    const times = estimates.filter((row) => matches(row, "accept", "cpu_time", { silent: 0, meter: "cputime" }) && row.basis === "native");
    const timed = new Set(times.map((row) => level(row, "server")));
    return [...times, ...estimates.filter((row) => matches(row, "accept", "instructions", { ...primary, kernel, meter: "emulator" }) && timed.has(level(row, "server")))];
  },

  async draw(rows, locale, layout = "narrow") {
    const servers = levels(rows, "server");
    const reference = servers.includes("go") ? "go" : (servers[0] ?? "");
    const metrics = { instructions: locale.text("chart.lane.instructions"), cpu_time: locale.text("chart.lane.cputime") };
    const has = (server: string, metric: "instructions" | "cpu_time"): boolean => find(rows, metric, { server }) !== undefined && find(rows, metric, { server: reference }) !== undefined;
    const groups = servers.map((server) => ({
      id: server,
      heading: serverName(locale)(server),
      lanes: (["instructions", "cpu_time"] as const).filter((metric) => has(server, metric)).map((metric) => ({ name: metric, label: metrics[metric] })),
    }));
    const label = (row: Estimate): string => row.metric === "cpu_time"
      ? locale.text("chart.unit.microseconds").replace("{value}", locale.number(row.value / 1000, { maximumFractionDigits: 1, minimumFractionDigits: 1 }))
      : locale.number(row.value, whole);
    const title = locale.text("chart.axis.relative").replace("{server}", locale.text(`server.${reference}`));
    const frame = layOut(layout, {
      groups,
      axisTitle: title,
      keys: [
        { shape: "bar", text: locale.text("chart.key.instructions") },
        { shape: "pale", text: locale.text("chart.key.cputime") },
        { shape: "line", text: locale.text("chart.key.interval") },
      ],
      rightRoom: roomFor(rows.map(label)),
    });
    const bars = frame.lanes.flatMap((lane) => {
      const [row, base] = [find(rows, lane.name, { server: lane.group }), find(rows, lane.name, { server: reference })];
      if (row === undefined || base === undefined) return [];
      return [{ row, lane, middle: (lane.top + lane.bottom) / 2, value: row.value / base.value, low: row.low / base.value, high: row.high / base.value, label: label(row), fill: serverPaint(lane.group), opacity: lane.name === "cpu_time" ? pale : 1 }];
    });
    const largest = Math.max(...bars.map((bar) => bar.high));
    const marks = await drawWithPlot(frame, { largest, values: ticks(largest, layout === "narrow" ? 4 : 6), label: (value) => locale.number(value, percent) }, (Plot) => [
      Plot.rect(bars, { x1: 0, x2: "value", y1: (bar) => bar.lane.top, y2: (bar) => bar.lane.bottom, fill: paint("chart-paper") }),
      Plot.rect(bars, { x1: 0, x2: "value", y1: (bar) => bar.lane.top, y2: (bar) => bar.lane.bottom, fill: "fill", fillOpacity: "opacity" }),
      Plot.link(bars, { x1: "low", x2: "high", y1: "middle", y2: "middle", stroke: paint("chart-ink"), strokeWidth: 1.5 }),
      ...(["low", "high"] as const).map((end) => Plot.link(bars, { x1: end, x2: end, y1: (bar) => bar.middle - 3.5, y2: (bar) => bar.middle + 3.5, stroke: paint("chart-ink"), strokeWidth: 1.5 })),
      Plot.text(bars, { x: "high", y: "middle", text: "label", textAnchor: "start", dx: 6, fontSize: type.value, fill: paint("chart-ink") }),
    ]);
    return enclose(frame, marks, locale, {
      id,
      title: locale.text(`chart.figure.${id}.title`),
      text: `${locale.text(`chart.figure.${id}.description`)} ${bars.map((bar) => `${serverName(locale)(bar.lane.group)}, ${metrics[bar.lane.name as keyof typeof metrics]}: ${bar.label}`).join("; ")}.`,
    });
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [{ factor: "server", heading: locale.text("chart.table.server"), word: serverName(locale) }], (_, value) => locale.number(value, whole));
  },
};

export default figure;
