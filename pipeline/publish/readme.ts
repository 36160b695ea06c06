import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readLocales } from "../article/locale.js";
import { readBook } from "../claims/books.js";
import type { Evidence } from "../claims/evidence.js";
import { judgeAll } from "../claims/ledger.js";
import { located, publishedWords } from "../claims/rules.js";
import type { Verdict } from "../claims/verdict.js";
import type { Figure } from "../charts/figure.js";
import { publishedRows } from "../charts/select.js";
import { standalone } from "../charts/style.js";
import { Fault } from "../fault.js";
import { cellEstimates } from "../stats/index.js";
import { writeWhole } from "../store/file.js";

/** What the README shows: one chart, and the claims of an article that could be judged. */
const shown = { article: "accept-engine", figure: "accept-instructions", image: "paper/readme.svg" } as const;

/** The README's text and its chart, from the evidence of the reference run. The same evidence gives the same bytes. */
export async function readme(text: string, project: string, evidence: Evidence, charts: Readonly<Record<string, Figure>>): Promise<{ text: string; image: string; imageFile: string }> {
  const book = readBook(shown.article, join(project, "data", "claims"));
  const locale = readLocales(["en"], join(project, "paper", "locales")).get("en")!;
  const figure = charts[shown.figure]!;
  const rows = figure.select([...cellEstimates(evidence.attempts), ...publishedRows(book.claims)]);
  const image = standalone(await figure.draw(rows, locale, "wide"));
  const claims = new Map(book.claims.map((claim) => [claim.id, claim]));
  const verdicts = judgeAll(book, evidence);
  const judged = verdicts.filter((row) => row.measured !== undefined && row.verdict !== "not comparable");
  const table = ["| claim | published | measured | verdict |", "|---|--:|--:|---|", ...judged.map((row) => {
    const claim = claims.get(row.claim)!;
    return `| ${cell(claim.quantity)} | ${cell(publishedWords(claim))} | ${located(row.measured!)} | **${row.verdict}**, ${row.basis!} |`;
  })].join("\n");
  const chart = `![${locale.text(`chart.figure.${shown.figure}.title`)}](${shown.image})`;
  const filled = between(between(text, "chart", chart), "ledger", `${table}\n\n${counted(verdicts)}`);
  return { text: filled, image, imageFile: join(project, shown.image) };
}

/** Writes both. */
export async function writeReadme(project: string, evidence: Evidence, charts: Readonly<Record<string, Figure>>): Promise<void> {
  const file = join(project, "README.md");
  const { text, image, imageFile } = await readme(readFileSync(file, "utf8"), project, evidence, charts);
  writeWhole(file, text);
  writeWhole(imageFile, image);
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

function counted(verdicts: readonly Verdict[]): string {
  const rest = verdicts.filter((row) => row.measured === undefined).length;
  return `From the committed reference run. Of ${verdicts.length} published claims ${rest} are not measured yet or cannot be; \`./nullius ledger\` says why.`;
}

/** Replaces what stands between `<!-- nullius: NAME -->` and `<!-- /nullius: NAME -->`. */
function between(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- nullius: ${name} -->`, `<!-- /nullius: ${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Fault(`README.md: the markers ${open} and ${close} are missing: put them where the ${name} belongs`);
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`;
}
