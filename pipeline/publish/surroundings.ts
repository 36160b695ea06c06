import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { localeTags } from "../article/locale.js";
import { articleNames, readSetup } from "../article/setup.js";
import { readYaml } from "../article/yaml.js";
import { Fault } from "../fault.js";
import { shortPath } from "../root.js";
import { allRuns, referenceRun, type Run } from "../store/run.js";
import type { Sources } from "./sources.js";
import { filesUnder } from "./output.js";

/** The site that a page stands in: what it can link to. */
export interface Site {
  readonly sources: Sources;
  /** Where it is to be read: an absolute URL that ends in a slash. */
  readonly base: string;
  readonly name: string;
  /** The languages of its common pages, the default first. */
  readonly tags: readonly string[];
  /** The articles with the languages of each. */
  readonly articles: ReadonlyMap<string, readonly string[]>;
  /** The runs that have a page: the published one and those that it adopted attempts from, as far as they are on this machine. */
  readonly runs: readonly Run[];
  /** The run whose figures the pages show. */
  readonly source: Run | undefined;
  /** The id of a finished run that is newer than the one shown. */
  readonly newer: string | undefined;
}

/** Reads what there is to publish. @throws Fault for an article.yaml or a site.yaml that cannot be */
export function readSite(sources: Sources, source: Run | undefined): Site {
  const known = localeTags(join(sources.common, "locales"));
  const articles = new Map(articleNames(sources.paper).map((name) => [name, readSetup(name, sources.paper, known).locales]));
  const published = allRuns().filter((run) => run.finished && run.manifest.purpose === "publication");
  const newest = published[0];
  return {
    sources,
    ...readConfiguration(sources.common),
    tags: [...new Set([...articles.values()].flat())],
    articles,
    runs: source === undefined ? [] : [source, ...adopted(source, published)],
    source,
    newer: newest !== undefined && source !== undefined && newest.id !== source.id && newest.manifest.startedAt > source.manifest.startedAt ? newest.id : undefined,
  };
}

/** The address from `site.yaml`, or `NULLIUS_BASE`. */
function readConfiguration(common: string): Pick<Site, "base" | "name"> {
  const file = join(common, "site.yaml");
  const { base, name } = (existsSync(file) ? (readYaml(readFileSync(file, "utf8"), shortPath(file)) as Record<string, unknown> | null) : null) ?? {};
  const given = process.env["NULLIUS_BASE"] ?? String(base ?? "http://localhost:8000/");
  if (!/^https?:/.test(given) || !URL.canParse(given)) throw new Fault(`${process.env["NULLIUS_BASE"] === undefined ? `${shortPath(file)}: base` : "NULLIUS_BASE"}: "${given}" is no address: write one such as https://example.org/nullius/`);
  return { base: given.endsWith("/") ? given : `${given}/`, name: String(name ?? "Nullius") };
}

/** The runs that attempts of a run were adopted from. Looked for as text: the samples are read with all their checks when a page is made. */
function adopted(run: Run, known: readonly Run[]): Run[] {
  const ids = new Set(filesUnder(join(run.folder, "samples")).flatMap((file) => [...readFileSync(file, "utf8").matchAll(/"adoptedFrom":"([^"\\]+)"/g)].map((match) => match[1]!)));
  const reference = referenceRun();
  return [...known, ...(reference === undefined ? [] : [reference])].filter(({ id }, index, all) => id !== run.id && ids.has(id) && all.findIndex((other) => other.id === id) === index);
}

/** Where each kind of page lies, relative to the site's folder. */
export const path = {
  article: (article: string, tag: string): string => `${article}/${tag}/index.html`,
  ledger: (tag: string): string => `ledger/${tag}/index.html`,
  run: (id: string, tag: string): string => `runs/${id}/${tag}/index.html`,
  index: (tag: string): string => `${tag}/index.html`,
  feed: (tag: string, kind: "atom" | "json"): string => `${tag}/feed.${kind}`,
  pdf: (article: string, tag: string): string => `${article}/${tag}/${article}.pdf`,
  epub: (article: string, tag: string): string => `${article}/${tag}/${article}.epub`,
  card: (page: string): string => page.replace(/index\.html$/, "card.png"),
};

/** The address of a path of the site, without the `index.html` that a server adds. */
export function address(site: Pick<Site, "base">, to: string): string {
  return site.base + to.replace(/(^|\/)index\.html$/, "$1");
}

/** From a page to another file of the site. With its `index.html`, so that pages can be read from a folder too. */
export function between(from: string, to: string): string {
  return `${"../".repeat(from.split("/").length - 1)}${to}`;
}
