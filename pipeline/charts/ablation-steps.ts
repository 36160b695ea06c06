import type { Estimate } from "../stats/estimate.js";
import { ablationRows, pattern, six, switchColumns, techniqueName } from "./ablation.js";
import { drawBars, type Bar } from "./bars.js";
import type { Figure } from "./figure.js";
import { serverPaint } from "./style.js";
import { estimatesTable } from "./table.js";

const id = "ablation-steps";
const whole = { maximumFractionDigits: 0 } as const;
const all = "1".repeat(six.length);
/** None, then one more in each step; and each left out of all. */
const steps = Array.from({ length: six.length + 1 }, (_, count) => all.slice(0, count).padEnd(six.length, "0"));
const leftOut = six.map((_, index) => `${all.slice(0, index)}0${all.slice(index + 1)}`);

/** Instructions per connection as the techniques come one by one in the article's order, and with each left out of the full set. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = ablationRows(estimates, { deferred: "off", in_flight: 512 }).filter((row) => steps.includes(pattern(row)) || leftOut.includes(pattern(row)));
    return [steps[0]!, all].every((wanted) => rows.some((row) => pattern(row) === wanted)) ? rows : [];
  },

  async draw(rows, locale, layout = "narrow") {
    const bars = (patterns: readonly string[], label: (index: number) => string): Bar[] => patterns.flatMap((wanted, index) => {
      const row: Estimate | undefined = rows.find((one) => pattern(one) === wanted);
      if (row === undefined) return [];
      const { value, low, high } = row;
      return [{ lane: wanted, laneLabel: label(index), value, low, high, label: locale.number(value, whole), fill: serverPaint("six-techniques") }];
    });
    const name = techniqueName(locale);
    const groups = [
      { id: "steps", heading: locale.text("chart.heading.steps"), bars: bars(steps, (index) => (index === 0 ? locale.text("chart.set.none") : `+ ${name(six[index - 1]!)}`)) },
      { id: "left-out", heading: locale.text("chart.heading.left_out"), bars: bars(leftOut, (index) => `− ${name(six[index]!)}`) },
    ];
    return drawBars({
      id, groups, scale: "linear",
      axisTitle: locale.text("chart.axis.instructions"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: (value) => locale.number(value, whole),
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, switchColumns(locale, six), (_, value) => locale.number(value, whole));
  },
};

export default figure;
