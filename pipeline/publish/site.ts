import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml } from "../article/html.js";
import { checkParity } from "../article/parity.js";
import { localeTags } from "../article/locale.js";
import { readSetup, type ArticleSetup } from "../article/setup.js";
import { translationsOf } from "../article/translations.js";
import type { Browser } from "playwright-core";
import type { Gathered } from "../claims/gather.js";
import type { Run } from "../store/run.js";
import { ledgerDownloads, runDownloads } from "./downloads.js";
import { Digests } from "./inputs.js";
import { bring, removeOthers, sha256, type Inputs, type Output, type OutputReport } from "./output.js";
import { pictureOutputs } from "./pictures.js";
import { articlesNamed, localesNamed, readTemplates, type Sources } from "./sources.js";
import { path, readSite, type Site } from "./surroundings.js";
import { themeCss, themeOutputs } from "./theme.js";

/** What is to be rendered: some articles and languages, or for nothing named the whole site. */
export interface Wanted {
  readonly article?: string;
  readonly locale?: string;
  /** Draw the pictures of link previews too, in Chromium. */
  readonly cards?: boolean;
  /** Print the articles as PDF too, by Chromium. */
  readonly pdfs?: boolean;
  /** Bind the articles as EPUB too. */
  readonly epubs?: boolean;
}

/**
 * Writes the files of the site that are not there or whose inputs changed; what is as it should be is not touched, and what no page
 * has any more is removed. Syntax, naked numbers and parity are checked each time; evidence is gathered only when a page must be written.
 */
export async function renderSite(wanted: Wanted, sources: Sources, folder: string, run: Run | undefined, gather: () => Promise<Gathered>): Promise<OutputReport[]> {
  const whole = wanted.article === undefined && wanted.locale === undefined;
  const site = readSite(sources, run);
  const maker = new Maker(site, gather);
  for (const name of articlesNamed(wanted.article, sources)) {
    const setup = readSetup(name, sources.paper, localeTags(join(sources.common, "locales")));
    checkParity([...readTemplates(setup, sources.paper).values()]);
    localesNamed(wanted.locale, setup);
  }
  const pages = maker.articles(wanted);
  const cards = maker.cards();
  const outputs = [...pages, ...(whole ? maker.common() : []), ...themeOutputs(sources.common), ...(wanted.cards === true ? cards : [])];
  try {
    const reports = await bring(outputs, folder);
    // The charts as files of their own come out of the pages, so those must be there first.
    const charts = maker.charts(folder);
    reports.push(...(await bring(charts, folder)));
    const pdfs = maker.pdfs(wanted, folder);
    if (wanted.pdfs === true) reports.push(...(await bring(pdfs, folder)));
    const epubs = maker.epubs(wanted, folder);
    if (wanted.epubs === true) reports.push(...(await bring(epubs, folder)));
    // Pictures, PDFs and books that are not asked for now stay, as long as their pages do.
    if (whole) removeOthers([...outputs, ...charts, ...cards, ...pdfs, ...epubs], folder);
    return reports;
  } finally {
    await maker.close();
  }
}

/** Makes the site's outputs. Modules that take long to load, mathjs and vega among them, are loaded when the first page must be made. */
class Maker {
  readonly #site: Site;
  readonly #gather: () => Promise<Gathered>;
  readonly #digests: Digests;
  #gathered: Promise<Gathered> | undefined;
  #browser: Promise<Browser> | undefined;
  readonly #opened = new Map<string, Promise<import("./render.js").Article>>();

  constructor(site: Site, gather: () => Promise<Gathered>) {
    this.#site = site;
    this.#gather = gather;
    this.#digests = new Digests(site);
  }

  articles(wanted: Wanted): Output[] {
    const site = this.#site;
    return [...site.articles].filter(([name]) => wanted.article === undefined || name === wanted.article).flatMap(([article, tags]) => {
      const lagging = new Set(translationsOf(this.#setup(article), site.sources.paper).filter(({ state }) => state !== "current").map(({ locale }) => locale));
      return tags.filter((tag) => wanted.locale === undefined || tag === wanted.locale).map((locale) => ({
        path: path.article(article, locale), article, locale,
        inputs: { ...this.#digests.article(article, locale), "the languages": tags.join(" "), "the source of the translation": lagging.has(locale) ? "has changed" : "is as it was" },
        make: async () => {
          const [{ renderPage }, { figures }] = await Promise.all([import("./render.js"), import("../charts/index.js")]);
          return renderPage(await this.#open(article), locale, figures, site);
        },
      }));
    });
  }

  /** The charts of the pages that have been written, each as a picture beside its page. */
  charts(folder: string): Output[] {
    return [...this.#site.articles].flatMap(([article, tags]) => tags.flatMap((tag) => {
      const file = join(folder, path.article(article, tag));
      return existsSync(file) ? pictureOutputs(article, tag, readFileSync(file, "utf8")) : [];
    }));
  }

  /** The pages that have been written as PDF, each beside its page. */
  pdfs(wanted: Wanted, folder: string): Output[] {
    return this.#beside(wanted, folder, path.pdf, { "the theme": sha256(themeCss(this.#site.sources.common)), "the site": this.#site.base }, async (page) => {
      const [{ startChromium }, { pdfOf }] = await Promise.all([import("./browser.js"), import("./pdf.js")]);
      return pdfOf(await (this.#browser ??= startChromium()), page, folder, this.#site);
    });
  }

  /** The pages that have been written as EPUB, each beside its page. */
  epubs(wanted: Wanted, folder: string): Output[] {
    return this.#beside(wanted, folder, path.epub, { "the site": this.#site.name }, async (page, tag) => {
      const { epubOf } = await import("./epub.js");
      return epubOf(readFileSync(join(folder, page), "utf8"), page, await this.#locale(tag), this.#site.name);
    });
  }

  /** What is made out of the articles' pages that have been written. */
  #beside(wanted: Wanted, folder: string, where: (article: string, tag: string) => string, inputs: Inputs, make: (page: string, tag: string) => Promise<Uint8Array>): Output[] {
    return this.articles(wanted).flatMap(({ path: page, article, locale }): Output[] => {
      const file = join(folder, page);
      return !existsSync(file) ? [] : [{
        path: where(article!, locale!), article: article!, locale: locale!,
        inputs: { "the page": sha256(readFileSync(file)), "the program": this.#digests.program, ...inputs },
        make: () => make(page, locale!),
      }];
    });
  }

  /** All that is no page of one article. */
  common(): Output[] {
    const site = this.#site;
    const [main] = site.tags;
    const every = site.tags.flatMap((tag) => this.#commonPages(tag));
    return [
      ...every,
      ...(main === undefined ? [] : [this.#index(main, "index.html"), ...ledgerDownloads(() => this.#all(), this.#digests, main)]),
      ...site.runs.flatMap((run) => runDownloads(run, this.#digests)),
      this.#sitemap(),
      { path: "robots.txt", inputs: { "the site": site.base }, make: async () => `User-agent: *\nAllow: /\nSitemap: ${site.base}sitemap.xml\n` },
    ];
  }

  /** The pictures of link previews. */
  cards(): Output[] {
    const { tags, articles, name } = this.#site;
    const picture = (to: string, tag: string, html: () => Promise<string>): Output => ({
      path: path.card(to), locale: tag, inputs: this.#digests.titles(tag),
      make: async () => {
        const [{ startChromium }, { cardPicture }] = await Promise.all([import("./browser.js"), import("./card.js")]);
        return cardPicture(await (this.#browser ??= startChromium()), await html());
      },
    });
    return [
      ...tags.map((tag) => picture(path.index(tag), tag, async () => {
        const [{ cardHtml }, locale, all] = await Promise.all([import("./card.js"), this.#locale(tag), this.#all()]);
        return cardHtml({ title: escapeHtml(locale.text("index.title")), description: escapeHtml(locale.text("index.description")), verdicts: all.flatMap(({ verdicts }) => verdicts), name, locale });
      })),
      ...[...articles].flatMap(([article, its]) => its.map((tag) => picture(path.article(article, tag), tag, async () => {
        const [{ cardHtml }, { titleOf }, locale, opened] = await Promise.all([import("./card.js"), import("./render.js"), this.#locale(tag), this.#open(article)]);
        return cardHtml({ ...titleOf(opened, tag), verdicts: opened.verdicts, name, locale });
      }))),
    ];
  }

  /** Ends the browser, if one was started. */
  async close(): Promise<void> {
    await (await this.#browser?.catch(() => undefined))?.close();
  }

  #setup(article: string): ArticleSetup {
    const { paper, common } = this.#site.sources;
    return readSetup(article, paper, localeTags(join(common, "locales")));
  }

  #commonPages(tag: string): Output[] {
    const site = this.#site;
    const feed = (kind: "atom" | "json"): Output => ({
      path: path.feed(tag, kind), locale: tag, inputs: this.#digests.titles(tag),
      make: async () => (await (await import("./feeds.js")).feeds(await this.#all(), await this.#locale(tag), site))[kind],
    });
    return [
      this.#index(tag, path.index(tag)),
      { path: path.ledger(tag), locale: tag, inputs: this.#digests.titles(tag), make: async () => (await import("./ledger-page.js")).ledgerPage(await this.#all(), await this.#locale(tag), await this.#locales(), site) },
      ...site.runs.map((run): Output => ({
        path: path.run(run.id, tag), locale: tag, inputs: { ...this.#digests.page(tag), "the run": this.#digests.run(run) },
        make: async () => (await import("./run-page.js")).runPage(run, await this.#locale(tag), await this.#locales(), site),
      })),
      feed("atom"),
      feed("json"),
    ];
  }

  #index(tag: string, from: string): Output {
    return { path: from, locale: tag, inputs: this.#digests.titles(tag), make: async () => (await import("./index-page.js")).indexPage(await this.#all(), await this.#locale(tag), await this.#locales(), this.#site, from) };
  }

  #sitemap(): Output {
    const site = this.#site;
    const groups = [
      { tags: site.tags, to: path.index },
      { tags: site.tags, to: path.ledger },
      ...site.runs.map((run) => ({ tags: site.tags, to: (tag: string) => path.run(run.id, tag) })),
      ...[...site.articles].map(([article, tags]) => ({ tags, to: (tag: string) => path.article(article, tag) })),
    ];
    const pages = groups.flatMap(({ tags, to }) => tags.map((tag) => ({ path: to(tag), languages: Object.fromEntries(tags.map((other) => [other, to(other)])) })));
    return { path: "sitemap.xml", inputs: { "the pages": JSON.stringify(pages), "the site": site.base, "the run": this.#digests.run(site.source) }, make: async () => (await import("./feeds.js")).sitemap(pages, site) };
  }

  async #open(name: string): Promise<import("./render.js").Article> {
    const known = this.#opened.get(name) ?? this.#gatherOnce().then(async (gathered) => (await import("./render.js")).openArticle(name, this.#site.sources, gathered));
    this.#opened.set(name, known);
    return known;
  }

  #all(): Promise<readonly import("./render.js").Article[]> {
    return Promise.all([...this.#site.articles.keys()].map((name) => this.#open(name)));
  }

  #gatherOnce(): Promise<Gathered> {
    return (this.#gathered ??= this.#gather());
  }

  async #locales(): Promise<ReadonlyMap<string, import("../article/locale.js").Locale>> {
    const { readLocales } = await import("../article/locale.js");
    return readLocales(this.#site.tags, join(this.#site.sources.common, "locales"));
  }

  async #locale(tag: string): Promise<import("../article/locale.js").Locale> {
    return (await this.#locales()).get(tag)!;
  }
}
