import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { publishedValue } from "../claims/rules.js";
import { cellEstimates } from "../stats/cells.js";
import type { Estimate } from "../stats/estimate.js";
import { tableFile, tableFormats } from "../store/export.js";
import { query, type Row } from "../store/query.js";
import { samplesOf, type Run } from "../store/run.js";
import type { Digests } from "./inputs.js";
import { filesUnder, sha256, type Output } from "./output.js";
import type { Article } from "./render.js";

/** The ledger of all articles as tables, beside its page. */
export function ledgerDownloads(articles: () => Promise<readonly Article[]>, digests: Digests, tag: string): Output[] {
  let rows: Promise<Row[]> | undefined;
  return tableFormats.map((format) => ({
    path: `ledger/ledger.${format}`,
    inputs: digests.ledger(tag),
    make: async () => tableFile(await (rows ??= articles().then((all) => all.flatMap(ledgerRows))), format),
  }));
}

/** A run as it was measured, its samples byte for byte, and the same as tables. */
export function runDownloads(run: Run, digests: Digests): Output[] {
  const folder = `runs/${run.id}`;
  const tables: Readonly<Record<string, () => Promise<Row[]>>> = {
    samples: () => query("SELECT * FROM metrics ORDER BY ALL", { run }),
    estimates: async () => cellEstimates(samplesOf(run)).map(estimateRow),
  };
  const raw = [join(run.folder, "manifest.json"), ...filesUnder(join(run.folder, "samples")).filter((file) => file.endsWith(".jsonl"))];
  return [
    ...raw.map((file) => ({ path: rawFile(run.id, file), inputs: { "the file": sha256(readFileSync(file)) }, make: async () => readFileSync(file) })),
    ...(raw.length < 2 ? [] : Object.entries(tables).flatMap(([name, rows]) => tableFormats.map((format) => ({
      path: `${folder}/${name}.${format}`, inputs: { "the run": digests.run(run), "the program": digests.program }, make: async () => tableFile(await rows(), format),
    })))),
  ];
}

/** Where the site has a file of a run. */
export function rawFile(run: string, file: string): string {
  return file.endsWith(".jsonl") ? `runs/${run}/samples/${basename(file)}` : `runs/${run}/${basename(file)}`;
}

function ledgerRows({ book, verdicts }: Article): Row[] {
  const claims = new Map(book.claims.map((claim) => [claim.id, claim]));
  return verdicts.map((verdict) => {
    const claim = claims.get(verdict.claim)!;
    const published = publishedValue(claim);
    const range = typeof published === "object" ? published : typeof published === "number" ? ([published, published] as const) : undefined;
    const { measured } = verdict;
    return {
      article: claim.article, claim: claim.id, quantity: claim.quantity, unit: claim.unit, kind: claim.kind, comparator: claim.comparator, relation: claim.relation ?? null,
      published_low: range?.[0] ?? null, published_high: range?.[1] ?? null, published_text: typeof published === "string" ? published : null,
      conditions: JSON.stringify(claim.conditions ?? {}), verdict: verdict.verdict, cause: verdict.cause, reason: verdict.reason, basis: verdict.basis ?? null, subject: verdict.subject,
      ...estimateColumns(measured),
    };
  });
}

function estimateColumns(estimate: Estimate | undefined): Row {
  return {
    experiment: estimate?.experiment ?? null, expression: estimate?.metric ?? null, levels: estimate === undefined ? null : JSON.stringify(estimate.factors), statistic: estimate?.statistic ?? null,
    value: estimate?.value ?? null, low: estimate?.low ?? null, high: estimate?.high ?? null, level: estimate?.level ?? null, method: estimate?.method ?? null, n: estimate?.n ?? null,
    measured_unit: estimate?.unit ?? null, meter: estimate?.meter ?? null, runs: estimate?.runs.join(" ") ?? null, command: estimate?.command ?? null,
  };
}

const estimateRow = (estimate: Estimate): Row => ({ ...estimateColumns(estimate), basis: estimate.basis });
