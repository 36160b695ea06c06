import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.js";
import { lineOf } from "../line.js";
import { inProject, shortPath } from "../root.js";
import type { ClaimBook, Measure } from "./claim.js";
import { near } from "./near.js";
import { misshapen } from "./shape.js";

/** The articles that have claims, by name. */
export function articles(folder = inProject("data", "claims")): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".json") && !name.endsWith(".measures.json")).map((name) => name.slice(0, -".json".length)).sort();
}

/**
 * The claims of an article with how each is measured here.
 * Throws a Fault for an article without claims, and for claims and measures that do not match one to one.
 */
export function readBook(article: string, folder = inProject("data", "claims")): ClaimBook {
  const file = join(folder, `${article}.json`);
  if (!existsSync(file)) throw new Fault(`unknown article "${article}": ${near(article, articles(folder))}`);
  const measuresFile = join(folder, `${article}.measures.json`);
  const claims = readJson(file, "claims") as ClaimBook;
  const measures = existsSync(measuresFile) ? (readJson(measuresFile, "measures") as Pick<ClaimBook, "conditions" | "others" | "measures">) : { conditions: {}, others: {}, measures: [] };
  const book = { ...claims, ...measures };
  checkBook(book, measuresFile);
  return book;
}

function readJson(file: string, kind: "claims" | "measures"): unknown {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Fault(`${shortPath(file)}: not JSON: ${(error as Error).message}; mend it there`);
  }
  const wrong = misshapen(kind, value);
  if (wrong !== undefined) throw new Fault(`${placeIn(file, wrong.path)}: ${wrong.what}; pipeline/claims/claim.ts says what belongs there`);
  return value;
}

/** A place in a file as messages show it. */
function placeIn(file: string, path: readonly (string | number)[]): string {
  return `${shortPath(file)}:${lineOf(readFileSync(file, "utf8"), path)}`;
}

function checkBook(book: ClaimBook, file: string): void {
  const ids = book.claims.map((claim) => claim.id);
  const measured = new Map<string, Measure>();
  for (const [index, measure] of book.measures.entries()) {
    const where = (): string => placeIn(file, ["measures", index, "claim"]);
    if (!ids.includes(measure.claim)) throw new Fault(`${where()}: measures an unknown claim "${measure.claim}": ${near(measure.claim, ids)}`);
    if (measured.has(measure.claim)) throw new Fault(`${where()}: measures "${measure.claim}" twice; keep one`);
    measured.set(measure.claim, measure);
  }
  const missing = ids.find((id) => !measured.has(id));
  if (missing !== undefined) throw new Fault(`${shortPath(file)}: says nothing of claim "${missing}": add how it is measured, or why it is not`);
  for (const { claims } of book.contradictions) {
    const unknown = claims.find((id) => !ids.includes(id));
    if (unknown !== undefined) throw new Fault(`${shortPath(file)}: a contradiction names an unknown claim "${unknown}"`);
  }
}
