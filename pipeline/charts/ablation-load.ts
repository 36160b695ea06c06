import { ablationRows, pattern, six } from "./ablation.js";
import { drawBars } from "./bars.js";
import type { Figure } from "./figure.js";
import { level, levels } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable } from "./table.js";

const id = "ablation-load";
const whole = { maximumFractionDigits: 0 } as const;
/** The two ends of the ablation, by the key of their words. */
const sets = [["none", "0".repeat(six.length)], ["six", "1".repeat(six.length)]] as const;
const fills = { none: serverPaint("vanilla"), six: serverPaint("six-techniques") } as const;

/** Instructions per connection with none of the six and with all, by how many connections are in flight. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = ablationRows(estimates, { deferred: "off" }).filter((row) => sets.some(([, wanted]) => wanted === pattern(row)));
    const paired = rows.filter((row) => rows.some((other) => level(other, "in_flight") === level(row, "in_flight") && pattern(other) !== pattern(row)));
    return levels(paired, "in_flight").length > 1 ? paired : [];
  },

  async draw(rows, locale, layout = "narrow") {
    const plural = new Intl.PluralRules(locale.tag);
    const groups = levels(rows, "in_flight").map((count) => ({
      id: count,
      heading: locale.text(`chart.heading.in_flight.${plural.select(Number(count)) === "one" ? "one" : "other"}`).replace("{count}", locale.number(Number(count))),
      bars: sets.flatMap(([name, wanted]) => {
        const row = rows.find((one) => level(one, "in_flight") === count && pattern(one) === wanted);
        return row === undefined ? [] : [{ lane: name, laneLabel: locale.text(`chart.set.${name}`), value: row.value, low: row.low, high: row.high, label: locale.number(row.value, whole), fill: fills[name] }];
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
      { factor: "in_flight", heading: locale.text("chart.table.in_flight"), word: (count) => locale.number(Number(count)) },
      // All six are on or off together: one of them stands for the set.
      { factor: six[0], heading: locale.text("chart.table.techniques"), word: (on) => locale.text(`chart.set.${on === "on" ? "six" : "none"}`) },
    ], (_, value) => locale.number(value, whole));
  },
};

export default figure;
