import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim, ClaimBook, Levels } from "../claims/claim.js";
import { near } from "../claims/near.js";
import { Fault } from "../fault.js";
import { lineOf } from "../line.js";
import { shortPath } from "../root.js";
import { readYaml } from "./yaml.js";

/** What all languages of an article share: `paper/ARTICLE/article.yaml`. */
export interface ArticleSetup {
  readonly article: string;
  readonly file: string;
  /** The levels that a selector of each experiment takes unless it says otherwise; the first experiment is the default. */
  readonly experiments: Readonly<Record<string, Levels>>;
  /** Short names for expressions: `engine` for `instructions(server="engine")`. */
  readonly names: Readonly<Record<string, string>>;
  readonly locales: readonly string[];
  readonly source: { readonly publisher: string; readonly code?: string; readonly licence?: string };
}

/** A language's wording of what the claims, contradictions and notes of the ledger say: `paper/ARTICLE/words/TAG.yaml`. */
export interface LedgerWords {
  claim(claim: Claim): string;
  note(id: string): string | undefined;
  contradiction(index: number): string;
}

/** The articles under `paper/`: folders with an `article.yaml`. */
export function articleNames(paper: string): string[] {
  return readdirSync(paper, { withFileTypes: true }).filter((entry) => entry.isDirectory() && existsSync(join(paper, entry.name, "article.yaml"))).map((entry) => entry.name).sort();
}

/**
 * Reads `article.yaml`.
 *
 * @param tags the languages there are words for
 * @throws Fault for an article that is not there, and with the line for what the file lacks, an unknown language and a value of the wrong type
 */
export function readSetup(article: string, paper: string, tags: readonly string[]): ArticleSetup {
  const file = join(paper, article, "article.yaml");
  if (!existsSync(file)) throw new Fault(`unknown article "${article}": ${near(article, articleNames(paper))}`);
  const text = readFileSync(file, "utf8");
  const value = (readYaml(text, shortPath(file)) as Partial<ArticleSetup> | null) ?? {};
  const fault = (path: readonly (string | number)[], what: string): Fault => new Fault(`${shortPath(file)}:${lineOf(text, path)}: ${what}`);
  const { experiments } = value;
  if (!isMapping(experiments) || Object.keys(experiments).length === 0) throw fault(["experiments"], "no experiments: name at least one with its default conditions");
  if (!Array.isArray(value.locales) || value.locales.length === 0) throw fault(["locales"], "no locales: list the languages, the default first");
  if (typeof value.source?.publisher !== "string") throw fault(["source"], "no source: name at least its publisher");
  checkValues(experiments, value.names ?? {}, fault);
  for (const [index, tag] of value.locales.entries()) {
    if (!tags.includes(tag)) throw fault(["locales", index], `unknown locale "${tag}": ${near(String(tag), tags)}`);
  }
  return { article, file: shortPath(file), experiments, names: value.names ?? {}, locales: value.locales, source: value.source };
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Refuses what an experiment's conditions and the short names cannot be. */
function checkValues(experiments: Readonly<Record<string, unknown>>, names: unknown, fault: (path: readonly string[], what: string) => Fault): void {
  for (const [id, levels] of Object.entries(experiments)) {
    if (!isMapping(levels)) throw fault(["experiments", id], `the conditions of "${id}" are no mapping: write { factor: level }`);
    const bad = Object.entries(levels).find(([, level]) => typeof level !== "string" && typeof level !== "number");
    if (bad !== undefined) throw fault(["experiments", id, bad[0]], `the level of ${bad[0]} is neither text nor a number: quote it`);
  }
  if (!isMapping(names)) throw fault(["names"], "names is no mapping: write name: expression");
  const bad = Object.entries(names).find(([, expression]) => typeof expression !== "string");
  if (bad !== undefined) throw fault(["names", bad[0]], `the name "${bad[0]}" stands for no expression: write it as text`);
}

/** Reads the wording of the ledger. English needs none: claims and measures are written in it. */
export function readLedgerWords(setup: ArticleSetup, tag: string, book: ClaimBook, paper: string): LedgerWords {
  const file = join(paper, setup.article, "words", `${tag}.yaml`);
  const english = tag === "en";
  if (!english && !existsSync(file)) throw new Fault(`${shortPath(file)} is missing: it words the claims of ${setup.article} in ${tag}`);
  const words = existsSync(file) ? (readYaml(readFileSync(file, "utf8"), shortPath(file)) as { claims?: Record<string, string>; notes?: Record<string, string>; contradictions?: string[] } | null) : {};
  const notes = new Map(book.measures.flatMap((measure) => (measure.note === undefined ? [] : [[measure.claim, measure.note]])));
  const need = (text: string | undefined, own: string, key: string): string => {
    if (text !== undefined) return text;
    if (english) return own;
    throw new Fault(`${shortPath(file)}: no words for ${key}: "${own}"`);
  };
  for (const claim of book.claims) need(words?.claims?.[claim.id], claim.quantity, `claims.${claim.id}`);
  return {
    claim: (claim) => need(words?.claims?.[claim.id], claim.quantity, `claims.${claim.id}`),
    note: (id) => (notes.has(id) ? need(words?.notes?.[id], notes.get(id)!, `notes.${id}`) : undefined),
    contradiction: (index) => need(words?.contradictions?.[index], book.contradictions[index]!.what, `contradictions[${index}]`),
  };
}
