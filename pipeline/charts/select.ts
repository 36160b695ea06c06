import type { Claim } from "../claims/claim.js";
import type { Verdict, VerdictWord } from "../claims/verdict.js";
import type { Estimate } from "../stats/estimate.js";

/** Servers in the order in which every figure shows them: as published first, then the controls, then ours. */
const serverOrder = ["go", "vanilla", "six-techniques", "epoll", "accept4", "engine"] as const;

/** What else the figures show in an order of its own: servers of the ZAP experiments, codecs, what is done with a record, and clients; ours last. */
const otherOrder = [
  "fasthttp", "fiber", "zip", "zip-log", "nethttp", "http", "naive", "pooled", "copied", "writev",
  "json", "jsonv2", "goccy", "sonic", "protobuf", "vtprotobuf", "vtprotobuf-unsafe", "flatbuffers", "zap",
  "decode", "encode", "handler", "hey", "bombardier", "load",
] as const;
const order: readonly string[] = [...serverOrder, ...otherOrder];

/** The meter of rows that were not measured here but published. */
export const publishedMeter = "published";

/** What a figure takes unless it says otherwise: the primary conditions of the article. */
export const primary = { architecture: "amd64", scheduling: "equal", silent: 0 } as const;

/** Whether a row is of this experiment and metric and has these levels. A factor that the row does not have is not held against it. */
export function matches(row: Estimate, experiment: string, metric: string, levels: Readonly<Record<string, string | number>>): boolean {
  if (row.experiment !== experiment || row.metric !== metric) return false;
  return Object.entries(levels).every(([factor, level]) => {
    const own = factor === "meter" ? (row.factors["meter"] ?? row.meter) : row.factors[factor];
    return own === undefined || String(own) === String(level);
  });
}

/** The level of a factor as a string, empty when the row has no such factor. */
export function level(row: Estimate, factor: string): string {
  return String(row.factors[factor] ?? "");
}

/** Of rows that differ in nothing but the length of their window, the one with the longest. */
export function longestWindows(rows: readonly Estimate[]): Estimate[] {
  const others = ({ metric, factors: { seconds: _, ...factors } }: Estimate): string => JSON.stringify([metric, Object.entries(factors).sort()]);
  const longest = new Map<string, number>();
  for (const row of rows) longest.set(others(row), Math.max(longest.get(others(row)) ?? 0, Number(level(row, "seconds"))));
  return rows.filter((row) => Number(level(row, "seconds")) === longest.get(others(row)));
}

/** The levels of a factor among the rows, each once: servers in the order of all figures, all else by number where there is one. */
export function levels(rows: readonly Estimate[], factor: string): string[] {
  const found = [...new Set(rows.map((row) => level(row, factor)))];
  const rank = (name: string): number => {
    const place = order.indexOf(name);
    return place < 0 ? order.length : place;
  };
  return found.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true }));
}

/** The first row with these levels. */
export function find(rows: readonly Estimate[], metric: string, wanted: Readonly<Record<string, string | number>>): Estimate | undefined {
  return rows.find((row) => row.meter !== publishedMeter && row.metric === metric && Object.entries(wanted).every(([factor, value]) => level(row, factor) === String(value)));
}

function row(experiment: string, metric: string, factors: Estimate["factors"], value: number, unit: string, meter: string): Estimate {
  return { experiment, metric, factors, statistic: "as given", value, low: value, high: value, level: 1, method: "none", n: 1, unit, meter, basis: "native", runs: [], command: "" };
}

/** Published instructions per connection as rows to draw beside measured ones. The published engine is our configuration `six-techniques`. */
export function publishedRows(claims: readonly Claim[]): Estimate[] {
  const servers: Record<string, string> = { "accept.instructions.go": "go", "accept.instructions.vanilla": "vanilla", "accept.instructions.engine": "six-techniques" };
  return claims.flatMap((claim) => {
    const server = servers[claim.id];
    return server !== undefined && typeof claim.value === "number" ? [row("accept", "instructions", { server }, claim.value, claim.unit ?? "1", publishedMeter)] : [];
  });
}

/** How many claims have each verdict, as rows of the experiment `ledger`. */
export function verdictRows(verdicts: readonly Pick<Verdict, "verdict">[]): Estimate[] {
  const order: readonly VerdictWord[] = ["reproduced", "holds", "direction", "contradicted", "fails", "not comparable", "not measurable here", "not yet measured"];
  return order.flatMap((word) => {
    const count = verdicts.filter((one) => one.verdict === word).length;
    return count === 0 ? [] : [row("ledger", "claims", { verdict: word }, count, "1", "ledger")];
  });
}
