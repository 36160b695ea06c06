import type { Estimate } from "../stats/estimate.js";
import { ablationRows, pattern, switchColumns, switches, techniqueName } from "./ablation.js";
import { drawBars, type Bar } from "./bars.js";
import type { Figure } from "./figure.js";
import { level } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable } from "./table.js";

const id = "ablation-effects";
const whole = { maximumFractionDigits: 0 } as const;
const runs = 2 ** switches.length;

/** The sixteen combinations of the fraction that the standard profile measures: three of the seven follow from the other four. */
function isInFraction(row: Estimate): boolean {
  const sign = (name: (typeof switches)[number]): number => (level(row, name) === "on" ? 1 : -1);
  const [a, b, c, d] = [sign("defer"), sign("direct"), sign("multishot"), sign("freelist")];
  return sign("fuse") === a * b * c && sign("skip") === b * c * d && sign("deferred") === -a * c * d;
}

/** Main effects: the mean of all combinations without a technique beside the mean of those with it, each technique under its name. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = ablationRows(estimates, { in_flight: 512 });
    const different = new Map(rows.map((row) => [pattern(row, switches), row]));
    if (different.size === runs) return [...different.values()];
    const fraction = [...different.values()].filter(isInFraction);
    return fraction.length === 16 ? fraction : [];
  },

  async draw(rows, locale, layout = "narrow") {
    const groups = switches.map((name) => {
      const mean = (on: "off" | "on", of: (row: Estimate) => number): number => {
        const values = rows.filter((row) => level(row, name) === on).map(of).sort((a, b) => a - b);
        return values.reduce((sum, value) => sum + value, 0) / values.length;
      };
      const off = mean("off", (row) => row.value);
      const bar = (on: "off" | "on"): Bar => {
        const value = mean(on, (row) => row.value);
        const change = locale.number(value / off - 1, { style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" });
        return {
          lane: on, laneLabel: locale.text(`chart.switch.${on}`), value, low: mean(on, (row) => row.low), high: mean(on, (row) => row.high),
          label: on === "off" ? locale.number(value, whole) : `${locale.number(value, whole)} (${change})`,
          fill: serverPaint(on === "off" ? "vanilla" : "six-techniques"),
        };
      };
      return { id: name, heading: techniqueName(locale)(name), bars: [bar("off"), bar("on")] };
    });
    return drawBars({
      id, groups, scale: "linear",
      axisTitle: locale.text("chart.axis.effects"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: (value) => locale.number(value, whole),
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, switchColumns(locale, switches), (_, value) => locale.number(value, whole));
  },
};

export default figure;
