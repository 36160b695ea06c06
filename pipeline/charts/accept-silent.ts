import type { Estimate } from "../stats/estimate.js";
import type { Figure } from "./figure.js";
import { enclose, keyMark, layOut, type Frame, type KeyEntry } from "./frame.js";
import { ticks } from "./scale.js";
import { find, level, levels, matches, primary } from "./select.js";
import { paint, serverPaint, textWidth, type } from "./style.js";
import { estimatesTable, kernelName, serverName } from "./table.js";
import { drawWithVega, type Layer } from "./vega.js";

const id = "accept-silent";
const whole = { maximumFractionDigits: 0 } as const;
const percent = { style: "percent", maximumFractionDigits: 1, minimumFractionDigits: 1 } as const;

/** Width of one column of percentages at the right of the plot. */
const column = 56;

/** Throughput with silent clients as a share of the throughput without, by server and kernel: a ring for the fewest, a dot for the most. By Vega-Lite. */
const figure: Figure = {
  id,

  select(estimates) {
    const { silent: _, ...conditions } = primary;
    const rows = estimates.filter((row) => matches(row, "accept", "throughput", conditions) && row.basis === "emulated");
    const compared = (row: Estimate): boolean => ["0", "more"].every((some) => rows.some((other) => level(other, "server") === level(row, "server") && level(other, "kernel") === level(row, "kernel") && (level(other, "silent") === "0") === (some === "0")));
    return rows.filter(compared);
  },

  async draw(rows, locale, layout = "narrow") {
    const silent = levels(rows, "silent").filter((count) => count !== "0");
    const shares = (server: string, kernel: string): { count: string; share: number }[] => {
      const base = find(rows, "throughput", { server, kernel, silent: 0 });
      return silent.flatMap((count) => {
        const row = find(rows, "throughput", { server, kernel, silent: count });
        return row === undefined || base === undefined || base.value === 0 ? [] : [{ count, share: row.value / base.value }];
      });
    };
    const kernels = levels(rows, "kernel");
    const groups = levels(rows, "server")
      .map((server) => ({ id: server, heading: serverName(locale)(server), lanes: kernels.filter((kernel) => shares(server, kernel).length > 0).map((kernel) => ({ name: kernel, label: kernelName(locale)(kernel) })) }))
      .filter((group) => group.lanes.length > 0);
    const plural = new Intl.PluralRules(locale.tag);
    const name = (count: string): string => locale.text(`chart.key.silent.${plural.select(Number(count)) === "one" ? "one" : "other"}`).replace("{count}", locale.number(Number(count)));
    const keys: KeyEntry[] = silent.map((count, index) => ({ shape: shape(index, silent.length), text: name(count) }));
    const frame = layOut(layout, { groups, axisTitle: locale.text("chart.axis.throughput"), keys, rightRoom: column * silent.length + 8, topRoom: 20 });
    const end = (index: number): number => frame.width - (silent.length - 1 - index) * column;
    const points = frame.lanes.flatMap((lane) => shares(lane.group, lane.name).map((point) => ({
      ...point, group: lane.group, kernel: lane.name, index: silent.indexOf(point.count), middle: (lane.top + lane.bottom) / 2, label: locale.number(point.share, percent), stroke: serverPaint(lane.group),
    })));
    const largest = Math.max(1, ...points.map((point) => point.share));
    const axis = { largest, values: ticks(largest, layout === "narrow" ? 2 : 4), label: (value: number) => locale.number(value, { style: "percent" }) };
    const marks = await drawWithVega(frame, axis, layers(frame, points, silent.length));
    const heads = silent.map((count, index) => ({ text: locale.number(Number(count)), x: end(index), y: frame.top - 5, anchor: "end" as const, fill: paint("chart-muted") }));
    const signs = silent.map((count, index) => keyMark(shape(index, silent.length), end(index) - textWidth(locale.number(Number(count)), type.note) - 22, frame.top - 9.5)).join("");
    const shown = points.map((point) => ({ text: point.label, x: end(point.index), y: point.middle + 4.5, anchor: "end" as const, size: type.value }));
    return enclose({ ...frame, words: [...frame.words, ...heads, ...shown] }, marks + signs, locale, {
      id,
      title: locale.text(`chart.figure.${id}.title`),
      text: `${locale.text(`chart.figure.${id}.description`)} ${points.map((point) => `${serverName(locale)(point.group)}, ${point.kernel}, ${name(point.count)}: ${point.label}`).join("; ")}.`,
    });
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "server", heading: locale.text("chart.table.server"), word: serverName(locale) },
      { factor: "kernel", heading: locale.text("chart.table.kernel") },
      { factor: "silent", heading: locale.text("chart.table.silent"), word: (count) => locale.number(Number(count)) },
    ], (_, value) => locale.number(value, whole));
  },
};

/** The most silent clients are a dot, fewer are a ring around it, so that both are seen where they coincide. */
function shape(index: number, of: number): "ring" | "dot" {
  return index === of - 1 ? "dot" : "ring";
}

interface Point {
  readonly share: number;
  readonly index: number;
  readonly middle: number;
  readonly stroke: string;
}

function layers(frame: Frame, points: readonly Point[], of: number): Layer[] {
  const placed = points.map((point) => ({ ...point, one: 1, middle: point.middle - frame.top, dot: shape(point.index, of) === "dot" }));
  const y = { field: "middle", type: "quantitative", scale: null, axis: null };
  const x = { field: "share" };
  const colour = { field: "stroke", type: "nominal", scale: null };
  const height = frame.height - frame.top - frame.bottom;
  return [
    { data: { values: [{ share: 1, top: 0, bottom: height }] }, mark: { type: "rule", stroke: paint("chart-muted"), strokeWidth: 1.25 }, encoding: { x, y: { ...y, field: "top" }, y2: { field: "bottom" } } },
    { data: { values: placed }, mark: { type: "rule", strokeWidth: 2, strokeOpacity: 0.45 }, encoding: { x: { field: "one" }, x2: { field: "share" }, y, stroke: colour } },
    { data: { values: placed.filter((point) => !point.dot) }, mark: { type: "point", shape: "circle", size: 110, fill: paint("chart-paper"), strokeWidth: 2, opacity: 1 }, encoding: { x, y, stroke: colour } },
    { data: { values: placed.filter((point) => point.dot) }, mark: { type: "point", shape: "circle", size: 42, filled: true, opacity: 1 }, encoding: { x, y, fill: colour } },
  ];
}

export default figure;
