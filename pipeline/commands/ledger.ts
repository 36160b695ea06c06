import { articles, readBook } from "../claims/books.js";
import type { Claim } from "../claims/claim.js";
import { gather } from "../claims/gather.js";
import { ledger } from "../claims/ledger.js";
import { located, publishedValue, publishedWords } from "../claims/rules.js";
import { verdictWords, type Verdict } from "../claims/verdict.js";
import { publishedRun } from "../store/run.js";

/** `nullius ledger`: every claim with what was published, what was measured, the verdict, its basis and its reason. */
export async function run(_words: string[], options: { article?: string; claim?: string; run?: string; json?: boolean }): Promise<number> {
  const names = options.article === undefined ? articles() : [options.article];
  const { run: source, evidence } = await gather(publishedRun(options.run));
  const rows = ledger(names, evidence, options.claim);
  const books = names.map((name) => readBook(name));
  const claims = new Map(books.flatMap((book) => book.claims).map((claim) => [claim.id, claim]));
  if (options.json) {
    console.log(JSON.stringify(rows.map((row) => ({ ...row, published: publishedValue(claims.get(row.claim)!) ?? null })), null, 2));
    return 0;
  }
  console.log(table(rows, claims, process.stdout.columns ?? 160));
  if (options.claim !== undefined) for (const line of otherConditions(rows[0]!)) console.log(line);
  else for (const { claims: named, what } of books.flatMap((book) => book.contradictions)) console.log(`\nthe source contradicts itself (${named.join(", ")}): ${what}`);
  console.log(`\n${counts(rows)}; ${source === undefined ? "nothing has been measured yet" : `from run ${source.id}`}`);
  return 0;
}

/** Columns as wide as their widest cell; the reason takes what is left of the line and goes on below itself. */
function table(rows: readonly Verdict[], claims: ReadonlyMap<string, Claim>, width: number): string {
  const head = ["claim", "published", "measured", "verdict", "basis", "reason"];
  const cells = rows.map((row) => [row.claim, publishedWords(claims.get(row.claim)!), row.measured ? located(row.measured) : "", row.verdict, row.basis ?? "", row.reason]);
  const widths = head.slice(0, -1).map((word, column) => Math.max(word.length, ...cells.map((row) => row[column]!.length)));
  const before = widths.reduce((sum, each) => sum + each + 2, 0);
  const room = Math.max(40, width - before);
  const line = (row: readonly string[]): string => {
    const [first = "", ...more] = wrap(row.at(-1)!, room);
    const start = widths.map((each, column) => row[column]!.padEnd(each + 2)).join("");
    return [start + first, ...more.map((text) => " ".repeat(before) + text)].join("\n");
  };
  return [line(head), "-".repeat(Math.min(width, before + room)), ...cells.map(line)].join("\n");
}

/** The conditions beside the primary one, by the levels in which they differ from it. */
function otherConditions({ measured, others }: Verdict): string[] {
  return others.map((other) => {
    const levels = Object.entries(other.factors).filter(([factor, level]) => measured?.factors[factor] !== level).map(([factor, level]) => `${factor} ${level}`);
    return `also, ${levels.join(", ")}: ${located(other)}, ${other.basis}`;
  });
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function counts(rows: readonly Verdict[]): string {
  const parts = verdictWords.flatMap((word) => {
    const count = rows.filter((row) => row.verdict === word).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return `${rows.length} claims: ${parts.join(", ")}`;
}
