import { Fault } from "../fault.js";
import { readBook } from "./books.js";
import type { ClaimBook } from "./claim.js";
import { checkLevels, type Evidence } from "./evidence.js";
import { judge } from "./judge.js";
import { near } from "./near.js";
import type { Verdict } from "./verdict.js";

/** A verdict for every claim of the book, in the order in which they were published. */
export function judgeAll(book: ClaimBook, evidence: Evidence): Verdict[] {
  for (const [experiment, levels] of Object.entries(book.conditions)) checkLevels(evidence, experiment, levels, `the conditions of ${book.article}'s measures`);
  const measures = new Map(book.measures.map((measure) => [measure.claim, measure]));
  return book.claims.map((claim) => judge(claim, measures.get(claim.id)!, book, evidence));
}

/** The ledger of the articles named. Throws a Fault for an unknown article or claim, with those that are near. */
export function ledger(names: readonly string[], evidence: Evidence, only?: string): Verdict[] {
  const rows = names.flatMap((name) => judgeAll(readBook(name), evidence));
  if (only === undefined) return rows;
  const found = rows.filter((row) => row.claim === only);
  if (found.length === 0) throw new Fault(`unknown claim "${only}": ${near(only, rows.map((row) => row.claim))}`);
  return found;
}
