import { drawBars } from "./bars.js";
import type { ChartLocale, Figure } from "./figure.js";
import { find, level, levels, matches } from "./select.js";
import { serverPaint } from "./style.js";
import { estimatesTable } from "./table.js";

const id = "clients-ceiling";
const [rate, share] = ["throughput", "loader_cpu_share"];
const whole = { maximumFractionDigits: 0 } as const;
const percent = { style: "percent", maximumFractionDigits: 0 } as const;

/** Requests per second that each client gets out of one and the same server, with the share of a processor that the client itself took. By Plot. */
const figure: Figure = {
  id,

  select(estimates) {
    const rows = estimates.filter((row) => [rate, share].some((metric) => matches(row, "clients", metric, { meter: "cputime" })) && row.basis === "native");
    return rows.filter((row) => [rate, share].every((metric) => find(rows, metric, { client: level(row, "client") }) !== undefined));
  },

  async draw(rows, locale, layout = "narrow") {
    const bars = levels(rows, "client").flatMap((client) => {
      const [throughput, own] = [find(rows, rate, { client }), find(rows, share, { client })];
      if (throughput === undefined || own === undefined) return [];
      const label = `${locale.number(throughput.value, whole)} · ${locale.number(own.value, percent)}`;
      return [{ lane: client, laneLabel: clientName(locale)(client), value: throughput.value, low: throughput.low, high: throughput.high, label, fill: serverPaint(client) }];
    });
    return drawBars({
      id, groups: [{ id: "clients", heading: locale.text("chart.heading.clients"), bars }], scale: "linear",
      axisTitle: locale.text("chart.axis.client_rate"),
      keys: [{ shape: "line", text: locale.text("chart.key.interval") }],
      tick: (value) => locale.number(value, whole),
    }, locale, layout);
  },

  table(rows, locale) {
    return estimatesTable(rows, locale, [{ factor: "client", heading: locale.text("chart.table.client"), word: clientName(locale) }], (row, value) => locale.number(value, row.metric === rate ? whole : percent));
  },
};

function clientName(locale: ChartLocale): (client: string) => string {
  return (client) => locale.text(`chart.client.${client}`);
}

export default figure;
