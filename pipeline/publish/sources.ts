import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { articleNames, type ArticleSetup } from "../article/setup.js";
import { readTemplate, type Template } from "../article/template.js";
import { near } from "../claims/near.js";
import { Fault } from "../fault.js";
import { inProject, shortPath } from "../root.js";

/** Where an article's sources lie. Tests point these elsewhere. */
export interface Sources {
  /** The articles: folders with an `article.yaml`. */
  readonly paper: string;
  /** What articles share: `locales/` and `theme/`. */
  readonly common: string;
  readonly claims: string;
}

/** Where the project's own sources lie. */
export function projectSources(): Sources {
  return { paper: inProject("paper"), common: inProject("paper"), claims: inProject("data", "claims") };
}

/** The articles that can be rendered. Throws a Fault for a name that is none of them. */
export function articlesNamed(name: string | undefined, sources: Sources): readonly string[] {
  const names = articleNames(sources.paper);
  if (name === undefined) return names;
  if (!names.includes(name)) throw new Fault(`unknown article "${name}": ${near(name, names)}`);
  return [name];
}

/** The languages of an article, all for none named. Throws a Fault for one it does not have. */
export function localesNamed(tag: string | undefined, setup: ArticleSetup): readonly string[] {
  if (tag === undefined) return setup.locales;
  if (!setup.locales.includes(tag)) throw new Fault(`unknown locale "${tag}" of ${setup.article}: ${near(tag, setup.locales)}`);
  return [tag];
}

/** Reads an article's templates in all its languages, also when only one is wanted. */
export function readTemplates(setup: ArticleSetup, paper: string): ReadonlyMap<string, Template> {
  return new Map(setup.locales.map((tag) => {
    const file = join(paper, setup.article, `${tag}.md`);
    if (!existsSync(file)) throw new Fault(`${shortPath(file)} is missing: ${setup.file} lists the locale ${tag}`);
    return [tag, readTemplate(readFileSync(file, "utf8"), shortPath(file))];
  }));
}
