import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "../root.js";
import type { Run } from "../store/run.js";
import type { Sources } from "./sources.js";

/** SHA-256 of each thing that a page depends on, by the name that `--explain` calls it. */
export type Inputs = Readonly<Record<string, string>>;

/** The inputs of one page: its prose, words, claims, theme, samples, and the programs that render. */
export function inputsOf(article: string, tag: string, locales: readonly string[], sources: Sources, run: Run | undefined): Inputs {
  const { paper, common, claims } = sources;
  return {
    "the prose": digest([join(paper, article, `${tag}.md`)]),
    "article.yaml": digest([join(paper, article, "article.yaml")]),
    "the words of the language": digest([join(paper, article, "words", `${tag}.yaml`), ...filesUnder(join(common, "locales")).filter((file) => file.endsWith(`${tag}.yaml`))]),
    "the languages": createHash("sha256").update(locales.join()).digest("hex"),
    "the claims": digest([join(claims, `${article}.json`), join(claims, `${article}.measures.json`)]),
    "the theme": digest(filesUnder(join(common, "theme")).filter((file) => file.endsWith(".css"))),
    "the run": run === undefined ? "none" : digest([join(run.folder, "manifest.json"), ...filesUnder(join(run.folder, "samples"))]),
    "the program": digest(filesUnder(join(root, "pipeline", "build")).filter((file) => file.endsWith(".js"))),
  };
}

/** Why a page must be written: the inputs that changed, or that it is not there. Empty when it stands as it should. */
export function reasons(before: Inputs | undefined, now: Inputs): readonly string[] {
  if (before === undefined) return ["it was not there"];
  return Object.keys(now).filter((name) => before[name] !== now[name]).map((name) => `${name} changed`);
}

function digest(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) if (existsSync(file)) hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : [path];
  });
}
