import type { ChartLocale, Layout } from "./figure.js";
import { enclose, layOut, roomFor, type Group, type KeyEntry } from "./frame.js";
import { drawWithPlot } from "./plot.js";
import { powers, ticks } from "./scale.js";
import { paint, type } from "./style.js";

/** One value with its interval in a lane, and what is written beside it. */
export interface Bar {
  readonly lane: string;
  readonly laneLabel: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly label: string;
  readonly fill: string;
}

/** Values under a heading. */
export interface BarGroup {
  readonly id: string;
  readonly heading: string;
  readonly bars: readonly Bar[];
}

export interface BarPlan {
  readonly id: string;
  readonly groups: readonly BarGroup[];
  readonly axisTitle: string;
  readonly keys: readonly KeyEntry[];
  /** `log`: dots, because a bar's length says nothing on a scale without a zero. All values must be above zero. */
  readonly scale: "linear" | "log";
  /** What is written at a place of the axis. */
  tick(value: number): string;
  /** A value that all are compared with, marked by a line. */
  readonly reference?: number;
}

/**
 * A figure of values in lanes under headings, on one scale: bars from zero, or dots on a logarithmic scale, with intervals where there are any.
 * By Plot. Title and description are the locale's for the figure's id; the description also says every value.
 */
export async function drawBars(plan: BarPlan, locale: ChartLocale, layout: Layout): Promise<string> {
  const filled = plan.groups.filter((group) => group.bars.length > 0);
  const groups: Group[] = filled.map(({ id, heading, bars }) => ({ id, heading, lanes: bars.map(({ lane, laneLabel }) => ({ name: lane, label: laneLabel })) }));
  const all = filled.flatMap((group) => group.bars.map((bar) => ({ ...bar, group: group.id, heading: group.heading })));
  const frame = layOut(layout, { groups, axisTitle: plan.axisTitle, keys: plan.keys, rightRoom: roomFor(all.map((bar) => bar.label)) });
  const isLog = plan.scale === "log";
  const ends = [...all.flatMap((bar) => [bar.low, bar.high]), ...(plan.reference === undefined ? [] : [plan.reference])];
  const decades = isLog ? powers(Math.min(...ends), Math.max(...ends)) : [];
  const at = (value: number): number => (isLog ? Math.log10(value / decades[0]!) : value);
  const largest = at(isLog ? decades.at(-1)! : Math.max(...ends)) || 1;
  const values = isLog ? decades : ticks(largest, layout === "narrow" ? 4 : 6);
  const tickLabels = new Map(values.map((value) => [at(value), plan.tick(value)]));
  const marks = frame.lanes.flatMap((lane) => {
    const bar = all.find((one) => one.group === lane.group && one.lane === lane.name);
    return bar === undefined ? [] : [{ ...bar, top: lane.top, bottom: lane.bottom, middle: (lane.top + lane.bottom) / 2, place: at(bar.value), from: at(bar.low), to: at(bar.high) }];
  });
  const intervals = marks.filter((mark) => mark.to > mark.from);
  const drawn = await drawWithPlot(frame, { largest, values: values.map(at), label: (place) => tickLabels.get(place) ?? "" }, (Plot) => [
    ...(plan.reference === undefined ? [] : [Plot.ruleX([at(plan.reference)], { stroke: paint("chart-muted"), strokeDasharray: "3,3", y1: frame.top, y2: frame.height - frame.bottom })]),
    ...(isLog ? [] : [
      Plot.rect(marks, { x1: 0, x2: "place", y1: "top", y2: "bottom", fill: paint("chart-paper") }),
      Plot.rect(marks, { x1: 0, x2: "place", y1: "top", y2: "bottom", fill: "fill" }),
    ]),
    Plot.link(intervals, { x1: "from", x2: "to", y1: "middle", y2: "middle", stroke: paint("chart-ink"), strokeWidth: 1.5 }),
    ...(["from", "to"] as const).map((end) => Plot.link(intervals, { x1: end, x2: end, y1: (mark) => mark.middle - 3.5, y2: (mark) => mark.middle + 3.5, stroke: paint("chart-ink"), strokeWidth: 1.5 })),
    ...(isLog ? [Plot.dot(marks, { x: "place", y: "middle", r: 5, fill: "fill" })] : []),
    ...(isLog ? [] : [Plot.text(marks, { x: "to", y: "middle", text: "label", textAnchor: "start", dx: 6, fontSize: type.value, fill: paint("chart-ink"), stroke: paint("chart-paper"), strokeWidth: 4 })]),
  ]);
  // Beside dots, labels stand in a column of their own, where no dot of a neighbour is near.
  const labels = isLog ? marks.map((mark) => ({ text: mark.label, x: frame.width, y: mark.middle + 4.5, anchor: "end" as const, size: type.value })) : [];
  return enclose({ ...frame, words: [...frame.words, ...labels] }, drawn, locale, {
    id: plan.id,
    title: locale.text(`chart.figure.${plan.id}.title`),
    text: `${locale.text(`chart.figure.${plan.id}.description`)} ${all.map((bar) => `${[bar.heading, bar.laneLabel].filter((word) => word !== "").join(", ")}: ${bar.label}`).join("; ")}.`,
  });
}
