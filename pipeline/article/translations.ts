import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { near } from "../claims/near.js";
import { Fault } from "../fault.js";
import { lineOf } from "../line.js";
import { shortPath } from "../root.js";
import { writeWhole } from "../store/file.js";
import type { ArticleSetup } from "./setup.js";
import { readYaml } from "./yaml.js";

/** How a language of an article stands to the text it was translated from. */
export interface Translation {
  readonly article: string;
  readonly locale: string;
  /** The language of the source: the article's first. */
  readonly from: string;
  /** `current`; `stale` when the source has changed since; `unrecorded` when nobody has said of which source it is the translation. */
  readonly state: "current" | "stale" | "unrecorded";
}

const fileOf = (article: string, paper: string): string => join(paper, article, "translations.yaml");

/** Every translation of an article. @throws Fault for a `translations.yaml` that cannot be read */
export function translationsOf({ article, locales }: ArticleSetup, paper: string): Translation[] {
  const [from = "", ...others] = locales;
  const known = readDigests(article, paper);
  const now = sourceDigest(article, from, paper);
  return others.map((locale) => {
    const digest = known[locale];
    return { article, locale, from, state: digest === undefined ? "unrecorded" : digest === now ? "current" : "stale" };
  });
}

/** Whether a language of an article may lag behind its source; never for the source itself. */
export function mayLag(setup: ArticleSetup, tag: string, paper: string): boolean {
  return translationsOf(setup, paper).some(({ locale, state }) => locale === tag && state !== "current");
}

/** Records that these languages are translations of the source as it is now. @throws Fault for a language that is none of them */
export function acknowledge(setup: ArticleSetup, tags: readonly string[], paper: string): void {
  const { article, locales } = setup;
  const [from = "", ...others] = locales;
  const unknown = tags.find((tag) => !others.includes(tag));
  if (unknown !== undefined) throw new Fault(unknown === from ? `${from} is the language that ${article} is translated from` : `"${unknown}" is no translation of ${article}: ${near(unknown, others)}`);
  const digest = sourceDigest(article, from, paper);
  const known = readDigests(article, paper);
  const lines = others.flatMap((tag) => {
    const kept = tags.includes(tag) ? digest : known[tag];
    return kept === undefined ? [] : [`${tag}: ${kept}`];
  });
  writeWhole(fileOf(article, paper), `# The SHA-256 of the ${from}.md that each language was last translated from; './nullius translated ${article} LANGUAGE' writes it.\n${lines.join("\n")}\n`);
}

function readDigests(article: string, paper: string): Readonly<Record<string, string>> {
  const file = fileOf(article, paper);
  if (!existsSync(file)) return {};
  const text = readFileSync(file, "utf8");
  const value = (readYaml(text, shortPath(file)) ?? {}) as Record<string, unknown>;
  for (const [tag, digest] of Object.entries(value)) {
    if (typeof digest !== "string" || !/^[0-9a-f]{64}$/.test(digest)) throw new Fault(`${shortPath(file)}:${lineOf(text, [tag])}: what stands for ${tag} is no SHA-256: write it by './nullius translated ${article} ${tag}'`);
  }
  return value as Record<string, string>;
}

function sourceDigest(article: string, tag: string, paper: string): string {
  const file = join(paper, article, `${tag}.md`);
  if (!existsSync(file)) throw new Fault(`${shortPath(file)} is missing: article.yaml lists the locale ${tag}`);
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
