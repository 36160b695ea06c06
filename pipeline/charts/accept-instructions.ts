import type { Estimate } from "../stats/estimate.js";
import type { ChartLocale, Figure } from "./figure.js";
import { enclose, layOut, roomFor, type Frame } from "./frame.js";
import { ticks } from "./scale.js";
import { find, level, levels, matches, primary, publishedMeter } from "./select.js";
import { paint, serverPaint, type } from "./style.js";
import { estimatesTable, kernelName, serverName } from "./table.js";
import { drawWithVega, type Layer } from "./vega.js";

const id = "accept-instructions";
const whole = { maximumFractionDigits: 0 } as const;

/** Instructions per connection by server, a bar for each kernel, and the published figure below them as a diamond where a row of it is given. By Vega-Lite. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = estimates.filter((row) => matches(row, "accept", "instructions", { ...primary, meter: row.meter === publishedMeter ? publishedMeter : "emulator" }));
    return rows.some((row) => row.meter !== publishedMeter) ? rows : [];
  },

  async draw(rows, locale, layout = "narrow") {
    const measured = rows.filter((row) => row.meter !== publishedMeter);
    const kernels = levels(measured, "kernel");
    const groups = levels(measured, "server").map((server) => ({
      id: server,
      heading: serverName(locale)(server),
      lanes: [
        ...kernels.filter((kernel) => find(measured, "instructions", { server, kernel }) !== undefined).map((kernel) => ({ name: kernel, label: kernelName(locale)(kernel) })),
        ...(published(rows, server) === undefined ? [] : [{ name: publishedMeter, label: "" }]),
      ],
    }));
    const frame = layOut(layout, {
      groups,
      axisTitle: locale.text("chart.axis.instructions"),
      keys: [
        { shape: "line", text: locale.text("chart.key.interval") },
        ...(groups.some((group) => published(rows, group.id) !== undefined) ? [{ shape: "diamond" as const, text: locale.text("chart.key.published") }] : []),
      ],
      rightRoom: roomFor(rows.map((row) => locale.number(row.value, whole))),
    });
    const said = groups.flatMap((group) => group.lanes.flatMap((lane) => {
      const row = find(measured, "instructions", { server: group.id, kernel: lane.name });
      return row === undefined ? [] : [`${group.heading}, ${lane.label}: ${locale.number(row.value, whole)}`];
    }));
    const largest = Math.max(...rows.map((row) => row.high));
    const axis = { largest, values: ticks(largest, layout === "narrow" ? 3 : 6), label: (value: number) => locale.number(value, whole) };
    const marks = await drawWithVega(frame, axis, layers(frame, rows, locale));
    return enclose(frame, marks, locale, {
      id,
      title: locale.text(`chart.figure.${id}.title`),
      text: `${locale.text(`chart.figure.${id}.description`)} ${said.join("; ")}.`,
    });
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "server", heading: locale.text("chart.table.server"), word: serverName(locale) },
      { factor: "kernel", heading: locale.text("chart.table.kernel") },
    ], (_, value) => locale.number(value, whole));
  },
};

function published(rows: readonly Estimate[], server: string): Estimate | undefined {
  return rows.find((row) => row.meter === publishedMeter && level(row, "server") === server);
}

/** Bars with their intervals, published figures as diamonds on a dotted line, and the value at the end of each. */
function layers(frame: Frame, rows: readonly Estimate[], locale: ChartLocale): Layer[] {
  const marks = frame.lanes.flatMap((lane) => {
    const isPublished = lane.name === publishedMeter;
    const row = isPublished ? published(rows, lane.group) : find(rows, "instructions", { server: lane.group, kernel: lane.name });
    if (row === undefined) return [];
    const [top, bottom] = [lane.top - frame.top, lane.bottom - frame.top];
    const middle = (top + bottom) / 2;
    return [{ isPublished, zero: 0, value: row.value, low: row.low, high: row.high, label: locale.number(row.value, whole), fill: serverPaint(lane.group), top, bottom, middle, above: middle - 3.5, below: middle + 3.5 }];
  });
  const bars = { values: marks.filter((mark) => !mark.isPublished) };
  const diamonds = { values: marks.filter((mark) => mark.isPublished) };
  const place = (field: string): Record<string, unknown> => ({ field, type: "quantitative", scale: null, axis: null });
  const ink = { type: "rule", stroke: paint("chart-ink"), strokeWidth: 1.5 };
  return [
    { data: bars, mark: { type: "rect" }, encoding: { x: { field: "value" }, x2: { field: "zero" }, y: place("top"), y2: { field: "bottom" }, fill: { field: "fill", type: "nominal", scale: null } } },
    { data: bars, mark: ink, encoding: { x: { field: "low" }, x2: { field: "high" }, y: place("middle") } },
    ...["low", "high"].map((end) => ({ data: bars, mark: ink, encoding: { x: { field: end }, y: place("above"), y2: { field: "below" } } })),
    { data: diamonds, mark: { type: "rule", stroke: paint("chart-published"), strokeWidth: 1.25, strokeDash: [1, 3] }, encoding: { x: { field: "zero" }, x2: { field: "value" }, y: place("middle") } },
    { data: diamonds, mark: { type: "point", shape: "diamond", size: 95, fill: paint("chart-paper"), stroke: paint("chart-published"), strokeWidth: 1.5, opacity: 1 }, encoding: { x: { field: "value" }, y: place("middle") } },
    { data: { values: marks }, mark: { type: "text", align: "left", dx: 8, dy: 0.5, fontSize: type.value, fill: paint("chart-ink") }, encoding: { x: { field: "high" }, y: place("middle"), text: { field: "label" } } },
  ];
}

export default figure;
