import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "../root.js";
import type { Run } from "../store/run.js";
import { filesUnder, type Inputs } from "./output.js";
import type { Site } from "./surroundings.js";

/** Digests of what the site's outputs depend on, each taken once. */
export class Digests {
  readonly #site: Site;
  readonly #known = new Map<string, string>();

  constructor(site: Site) {
    this.#site = site;
  }

  /** Of a page of one article in one language. */
  article(article: string, tag: string): Inputs {
    const { paper } = this.#site.sources;
    return {
      "the prose": this.#files("prose", [join(paper, article, `${tag}.md`)]),
      ...this.#judged(article, tag),
      ...this.page(tag),
      "the run": this.run(this.#site.source),
    };
  }

  /** Of what shows the ledgers of all articles in one language. */
  ledger(tag: string): Inputs {
    const judged = [...this.#site.articles.keys()].map((article) => Object.values(this.#judged(article, tag)).join());
    return { "the articles": text(judged.join()), ...this.page(tag), "the run": this.run(this.#site.source) };
  }

  /** Of what shows titles and descriptions of all articles. */
  titles(tag: string): Inputs {
    const { paper } = this.#site.sources;
    const prose = [...this.#site.articles].map(([article, tags]) => this.#files("prose", [join(paper, article, `${tags.includes(tag) ? tag : tags[0]!}.md`)]));
    return { "the prose": text(prose.join()), ...this.ledger(tag) };
  }

  /** What every page in a language depends on. */
  page(tag: string): Inputs {
    const { common } = this.#site.sources;
    return {
      "the words of the language": this.#files("words", filesUnder(join(common, "locales")).filter((file) => file.endsWith(`${tag}.yaml`))),
      "the site": text(JSON.stringify([this.#site.base, this.#site.name, this.#site.tags, [...this.#site.articles], this.#site.runs.map(({ id }) => id), this.#site.newer ?? ""])),
      "the theme": this.#files("theme", filesUnder(join(common, "theme")).filter((file) => file.endsWith(".js"))),
      "the program": this.#files("program", filesUnder(join(root, "pipeline", "build")).filter((file) => file.endsWith(".js"))),
    };
  }

  /** Of a run: its manifest and its samples. */
  run(run: Run | undefined): string {
    return run === undefined ? "none" : this.#files(`run ${run.folder}`, [join(run.folder, "manifest.json"), ...filesUnder(join(run.folder, "samples"))]);
  }

  /** What the program itself is. */
  get program(): string {
    return this.page(this.#site.tags[0]!)["the program"]!;
  }

  #judged(article: string, tag: string): Inputs {
    const { paper, claims } = this.#site.sources;
    return {
      "article.yaml": this.#files("setup", [join(paper, article, "article.yaml")]),
      "the words of the ledger": this.#files("ledger words", [join(paper, article, "words", `${tag}.yaml`)]),
      "the claims": this.#files("claims", [join(claims, `${article}.json`), join(claims, `${article}.measures.json`)]),
    };
  }

  #files(name: string, files: readonly string[]): string {
    const key = `${name} ${files.join()}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      const hash = createHash("sha256");
      for (const file of files) if (existsSync(file)) hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
      this.#known.set(key, (known = hash.digest("hex")));
    }
    return known;
  }
}

const text = (words: string): string => createHash("sha256").update(words).digest("hex");
