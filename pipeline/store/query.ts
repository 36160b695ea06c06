import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.js";
import { publishedRun, samplesOf, type Run } from "./run.js";

/** A value as JavaScript holds it; DuckDB's 64-bit integers come as numbers where they fit. */
export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;

export interface QueryOptions {
  /** The run to query: its id or the run itself; the published one when left out. */
  readonly run?: string | Run;
}

/**
 * Answers SQL over the files of a run, by DuckDB. Views:
 *
 * - `samples`: a row for each attempt: run, experiment, a column for each factor, round, seed, position, at, duration_seconds, inputs,
 *   basis, failed_stage, failed_message, adopted_from, histogram, profile, metrics and facts as JSON
 * - `metrics`: a row for each reading: the same first columns, then metric, value, unit, meter
 * - `profiles`: a row for each symbol of each profile: profile (joins `samples.profile`), task, symbol, instructions
 *
 * @throws Fault when there is no run, a sample is damaged, or DuckDB refuses the SQL
 */
export async function query(sql: string, options: QueryOptions = {}): Promise<Row[]> {
  const run = typeof options.run === "object" ? options.run : publishedRun(options.run);
  if (run === undefined) throw new Fault("there is no finished run to query; measure one with './nullius run'");
  // Read by the store first: DuckDB would pass over a damaged line in silence.
  const factors = factorsOf(samplesOf(run));
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    for (const view of views(run, factors)) await connection.run(view);
    const reader = await connection.runAndReadAll(sql);
    const raw = reader.getRowObjects();
    return reader.getRowObjectsJson().map((row, i) => plain(row, raw[i]!));
  } catch (error) {
    throw new Fault(`query: ${(error as Error).message.split("\n")[0]}; views are samples, metrics, profiles with the factors ${[...factors.keys()].join(", ")}`);
  } finally {
    connection.closeSync();
  }
}

/** The factors of all samples, and whether their levels are numbers. */
function factorsOf(samples: readonly { readonly cell: Readonly<Record<string, string | number>> }[]): Map<string, "DOUBLE" | "VARCHAR"> {
  const factors = new Map<string, "DOUBLE" | "VARCHAR">();
  for (const { cell } of samples) {
    for (const [factor, level] of Object.entries(cell)) if (factors.get(factor) !== "VARCHAR") factors.set(factor, typeof level === "number" ? "DOUBLE" : "VARCHAR");
  }
  return factors;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const named = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const attemptColumns = {
  experiment: "VARCHAR", cell: "JSON", round: "INTEGER", seed: "BIGINT", order: "INTEGER", at: "TIMESTAMP", durationSeconds: "DOUBLE", inputs: "VARCHAR", basis: "VARCHAR",
  metrics: "JSON", facts: "JSON", histogram: "VARCHAR", profile: "VARCHAR", failed: "JSON", adoptedFrom: "VARCHAR",
} as const;
const profileColumns = { task: "VARCHAR", symbol: "VARCHAR", instructions: "BIGINT" } as const;

/** The JSON Lines files of a folder as a table, without a row when there is no file, which DuckDB would refuse. */
function table(folder: string, columns: Readonly<Record<string, string>>): string {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort() : [];
  const list = Object.entries(columns);
  if (names.length === 0) return `(SELECT '' AS filename, ${list.map(([name, type]) => `CAST(NULL AS ${type}) AS ${named(name)}`).join(", ")} WHERE false)`;
  // ignore_errors passes over a torn last line, which the store's reader has judged.
  return `read_json([${names.map((name) => quoted(join(folder, name))).join(", ")}], format = 'newline_delimited', filename = true, ignore_errors = true, columns = {${list.map(([name, type]) => `${quoted(name)}: '${type}'`).join(", ")}})`;
}

function views(run: Run, factors: ReadonlyMap<string, "DOUBLE" | "VARCHAR">): string[] {
  const levels = [...factors].map(([factor, type]) => `CAST(cell->>${quoted(`$."${factor}"`)} AS ${type}) AS ${named(factor)}`);
  const head = [`${quoted(run.id)} AS run`, "experiment", ...levels, "round", "seed"];
  const rest = ['"order" AS position', '"at"', "durationSeconds AS duration_seconds", "inputs", "basis", "failed->>'$.stage' AS failed_stage", "failed->>'$.message' AS failed_message", "adoptedFrom AS adopted_from", "histogram", "profile", "metrics", "facts"];
  const cell = ["run", "experiment", ...[...factors.keys()].map(named), "round", "seed", "basis", "inputs"];
  const reading = (field: string): string => `json_extract_string(metrics, '$."' || metric || '".${field}')`;
  return [
    `CREATE VIEW samples AS SELECT ${[...head, ...rest].join(", ")} FROM ${table(join(run.folder, "samples"), attemptColumns)}`,
    `CREATE VIEW metrics AS SELECT ${cell.join(", ")}, metric, CAST(${reading("value")} AS DOUBLE) AS value, ${reading("unit")} AS unit, ${reading("meter")} AS meter FROM (SELECT *, unnest(json_keys(metrics)) AS metric FROM samples)`,
    `CREATE VIEW profiles AS SELECT 'profiles/' || parse_filename(filename) AS profile, task, symbol, instructions FROM ${table(join(run.folder, "profiles"), profileColumns)}`,
  ];
}

/** The reader's JSON rows give 64-bit integers as strings; here a number that fits is a number. */
function plain(row: Readonly<Record<string, unknown>>, raw: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof raw[name] === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : (value as Value)]));
}
