import type { Figure } from "./figure.js";
import { enclose, layOut } from "./frame.js";
import { drawWithPlot } from "./plot.js";
import { level } from "./select.js";
import { colours, paint, type, type Colour } from "./style.js";

const id = "verdicts";

/** How many claims have each verdict, from the rows of `verdictRows`. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    return estimates.filter((row) => row.experiment === "ledger" && row.metric === "claims");
  },

  async draw(rows, locale, layout = "narrow") {
    const name = (verdict: string): string => locale.text(`verdict.${verdict}`);
    const frame = layOut(layout, {
      groups: rows.map((row) => ({ id: level(row, "verdict"), heading: name(level(row, "verdict")), lanes: [{ name: "claims", label: "" }] })),
      axisTitle: "",
      keys: [],
      rightRoom: 40,
    });
    const largest = Math.max(...rows.map((row) => row.value));
    const bars = rows.flatMap((row) => {
      const lane = frame.lanes.find((one) => one.group === level(row, "verdict"));
      return lane === undefined ? [] : [{ lane, value: row.value, label: locale.number(row.value), fill: verdictPaint(level(row, "verdict")) }];
    });
    const marks = await drawWithPlot(frame, { largest, values: [0], label: () => "" }, (Plot) => [
      Plot.rect(bars, { x1: 0, x2: "value", y1: (bar) => bar.lane.top, y2: (bar) => bar.lane.bottom, fill: "fill" }),
      Plot.text(bars, { x: "value", y: (bar) => (bar.lane.top + bar.lane.bottom) / 2, text: "label", textAnchor: "start", dx: 6, fontSize: type.value, fontWeight: 600, fill: paint("chart-ink") }),
    ]);
    return enclose(frame, marks, locale, {
      id,
      title: locale.text(`chart.figure.${id}.title`),
      text: `${locale.text(`chart.figure.${id}.description`)} ${bars.map((bar) => `${name(bar.lane.group)}: ${bar.label}`).join("; ")}.`,
    });
  },

  table(rows, locale) {
    return {
      columns: [locale.text("chart.table.verdict"), locale.text("chart.table.claims")],
      rows: rows.map((row) => [locale.text(`verdict.${level(row, "verdict")}`), locale.number(row.value)]),
    };
  },
};

function verdictPaint(verdict: string): string {
  const colour = `verdict-${verdict.replaceAll(" ", "-")}`;
  return paint(colour in colours ? (colour as Colour) : "chart-muted");
}

export default figure;
