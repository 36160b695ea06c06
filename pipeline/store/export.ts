import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Row } from "./query.js";

export const tableFormats = ["csv", "json", "parquet"] as const;
/** What a reader calls them. */
export const formatNames = { csv: "CSV", json: "JSON", parquet: "Parquet" } as const;
export type TableFormat = (typeof tableFormats)[number];

/**
 * Rows as a file of a table, by DuckDB but for JSON. The same rows give the same bytes.
 *
 * @param rows at least one; all with the columns of the first
 */
export async function tableFile(rows: readonly Row[], format: TableFormat): Promise<Uint8Array> {
  const json = `${JSON.stringify(rows, null, 1)}\n`;
  if (format === "json") return Buffer.from(json);
  const folder = mkdtempSync(join(tmpdir(), "nullius-table-"));
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    const [from, to] = [join(folder, "rows.json"), join(folder, "table")];
    writeFileSync(from, json);
    const columns = Object.keys(rows[0]!).map((name) => `${quoted(name)}: '${typeOf(rows.map((row) => row[name] ?? null))}'`).join(", ");
    await connection.run("SET threads = 1");
    await connection.run(`COPY (SELECT * FROM read_json(${quoted(from)}, format = 'array', columns = {${columns}})) TO ${quoted(to)} (FORMAT ${format}${format === "csv" ? ", HEADER" : ", COMPRESSION zstd"})`);
    return readFileSync(to);
  } finally {
    connection.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function typeOf(values: readonly (string | number | boolean | null)[]): string {
  const there = values.filter((value) => value !== null);
  if (there.length > 0 && there.every((value) => typeof value === "boolean")) return "BOOLEAN";
  if (there.length > 0 && there.every((value) => typeof value === "number")) return there.every(Number.isSafeInteger) ? "BIGINT" : "DOUBLE";
  return "VARCHAR";
}
