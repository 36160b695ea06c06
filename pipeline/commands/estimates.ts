import { experimentsNamed } from "../experiments/running/registry.js";
import { Fault } from "../fault.js";
import { cellEstimates } from "../stats/cells.js";
import type { Estimate } from "../stats/estimate.js";
import { publishedRun, samplesOf } from "../store/run.js";

/** `nullius estimates [--experiment E] [--run R] [--json]`: one row for each cell and metric of the newest finished run. */
export async function run(_words: string[], options: Record<string, unknown>): Promise<number> {
  const asked = options["experiment"] === undefined ? undefined : (await experimentsNamed([String(options["experiment"])])).map((e) => e.id);
  const held = publishedRun(options["run"] === undefined ? undefined : String(options["run"]));
  if (held === undefined) throw new Fault("there is no finished run; measure one with './nullius run'");
  const rows = cellEstimates(samplesOf(held, asked));
  console.log(options["json"] === true ? JSON.stringify(rows) : table(rows));
  return 0;
}

function table(rows: readonly Estimate[]): string {
  const number = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 5 });
  const cells = rows.map((r) => [r.experiment, Object.values(r.factors).join(" "), r.metric, number(r.value), `${number(r.low)} to ${number(r.high)}`, r.unit, `${r.n}`, r.method]);
  const lines = [["experiment", "cell", "metric", "value", "interval", "unit", "n", "method"], ...cells];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) => line.map((text, column) => text.padEnd(widths[column]!)).join("  ").trimEnd()).join("\n");
}
