import type { Estimate } from "../stats/estimate.js";
import type { Figure } from "./figure.js";
import { enclose, layOut } from "./frame.js";
import { drawWithPlot } from "./plot.js";
import { find, level, levels, matches, primary } from "./select.js";
import { paint, serverPaint, type } from "./style.js";
import { estimatesTable, kernelName } from "./table.js";

const id = "chain-enters";
const metrics = ["enters", "instructions"] as const;

/**
 * What linking recv, send and close does to enters and instructions per connection: from a ring, not linked, to a dot, linked. By Plot.
 *
 * Every quantity of every engine has a scale of its own from zero, because enters may change a hundredfold where instructions change by a tenth.
 */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = estimates.filter((row) => metrics.some((metric) => matches(row, "chain", metric, primary)) && row.basis === "emulated");
    return rows.filter((row) => ["off", "on"].every((link) => find(rows, row.metric, { base: level(row, "base"), kernel: level(row, "kernel"), link }) !== undefined));
  },

  async draw(rows, locale, layout = "narrow") {
    const pair = (base: string, metric: string, kernel: string): { without: Estimate; linked: Estimate } | undefined => {
      const [without, linked] = [find(rows, metric, { base, kernel, link: "off" }), find(rows, metric, { base, kernel, link: "on" })];
      return without === undefined || linked === undefined ? undefined : { without, linked };
    };
    const kernels = levels(rows, "kernel");
    const groups = metrics.flatMap((metric) => levels(rows, "base").map((base) => ({
      id: `${metric} ${base}`,
      metric,
      base,
      heading: `${locale.text(`chart.heading.${metric}`)} · ${locale.text(`chart.base.${base}`)}`,
      lanes: kernels.filter((kernel) => pair(base, metric, kernel) !== undefined).map((kernel) => ({ name: kernel, label: kernelName(locale)(kernel) })),
    }))).filter((group) => group.lanes.length > 0);
    const format = (metric: string, value: number): string => locale.number(value, metric === "instructions" ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 2 });
    const frame = layOut(layout, {
      groups,
      axisTitle: locale.text("chart.axis.own"),
      keys: [{ shape: "ring", text: locale.text("chart.key.unlinked") }, { shape: "dot", text: locale.text("chart.key.linked") }],
      rightRoom: 112,
    });
    const lines = frame.lanes.flatMap((lane) => {
      const group = groups.find((one) => one.id === lane.group);
      const found = group === undefined ? undefined : pair(group.base, group.metric, lane.name);
      if (group === undefined || found === undefined) return [];
      const largest = Math.max(...kernels.flatMap((kernel) => {
        const other = pair(group.base, group.metric, kernel);
        return other === undefined ? [] : [other.without.value, other.linked.value];
      })) || 1;
      const [from, to] = [format(group.metric, found.without.value), format(group.metric, found.linked.value)];
      return [{ heading: group.heading, kernel: lane.name, middle: (lane.top + lane.bottom) / 2, from: found.without.value / largest, to: found.linked.value / largest, label: `${from} → ${to}` }];
    });
    const axis = { largest: 1.04, values: [0], label: (value: number) => locale.number(value) };
    const colour = serverPaint("six-techniques");
    const marks = await drawWithPlot(frame, axis, (Plot) => [
      Plot.link(lines, { x1: "from", x2: "to", y1: "middle", y2: "middle", stroke: colour, strokeWidth: 2.5, strokeOpacity: 0.5 }),
      Plot.dot(lines, { x: "from", y: "middle", r: 5, fill: paint("chart-paper"), stroke: colour, strokeWidth: 2 }),
      Plot.dot(lines, { x: "to", y: "middle", r: 5, fill: colour }),
    ]);
    const labels = lines.map((line) => ({ text: line.label, x: frame.width, y: line.middle + 4.5, anchor: "end" as const, size: type.value }));
    return enclose({ ...frame, words: [...frame.words, ...labels] }, marks, locale, {
      id,
      title: locale.text(`chart.figure.${id}.title`),
      text: `${locale.text(`chart.figure.${id}.description`)} ${lines.map((line) => `${line.heading}, ${line.kernel}: ${line.label}`).join("; ")}.`,
    });
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [
      { factor: "base", heading: locale.text("chart.table.base"), word: (base) => locale.text(`chart.base.${base}`) },
      { factor: "kernel", heading: locale.text("chart.table.kernel") },
      { factor: "link", heading: locale.text("chart.table.linked"), word: (link) => locale.text(link === "on" ? "chart.table.yes" : "chart.table.no") },
    ], (row, value) => locale.number(value, row.metric === "instructions" ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 }));
  },
};

export default figure;
