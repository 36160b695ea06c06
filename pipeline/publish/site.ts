import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { localeTags } from "../article/locale.js";
import { checkParity } from "../article/parity.js";
import { readSetup } from "../article/setup.js";
import type { Gathered } from "../claims/gather.js";
import { makeFolder, writeFault, writeWhole } from "../store/file.js";
import type { Run } from "../store/run.js";
import { inputsOf, reasons, type Inputs } from "./inputs.js";
import { articlesNamed, localesNamed, readTemplates, type Sources } from "./sources.js";

/** What became of one page. */
export interface PageReport {
  readonly article: string;
  readonly locale: string;
  readonly file: string;
  readonly written: boolean;
  /** Why it was written; empty when it stood as it should. */
  readonly why: readonly string[];
}

interface State {
  readonly inputs: Inputs;
  readonly output: string;
}

/**
 * Writes the pages that are not there or whose inputs changed, under `site`; what is as it should be is not touched.
 * Syntax, naked numbers and parity are checked each time; the evidence is gathered only when a page must be written.
 */
export async function renderSite(wanted: { article?: string; locale?: string }, sources: Sources, site: string, run: Run | undefined, gather: () => Promise<Gathered>): Promise<PageReport[]> {
  const reports: PageReport[] = [];
  let gathered: Gathered | undefined;
  for (const name of articlesNamed(wanted.article, sources)) {
    const setup = readSetup(name, sources.paper, localeTags(join(sources.common, "locales")));
    const templates = readTemplates(setup, sources.paper);
    const pages = localesNamed(wanted.locale, setup).map((locale) => {
      const file = join(site, name, locale, "index.html");
      const state = join(dirname(site), "render", `${name}.${locale}.json`);
      const inputs = inputsOf(name, locale, setup.locales, sources, run);
      return { locale, file, state, inputs, why: reasons(stateOf(state, file), inputs) };
    });
    if (pages.every(({ why }) => why.length === 0)) checkParity([...templates.values()]);
    else {
      // Loaded only now: mathjs and vega take longer than finding out that nothing changed.
      const { openArticle, renderPage } = await import("./render.js");
      const { figures } = await import("../charts/index.js");
      const article = openArticle(name, sources, (gathered ??= await gather()));
      for (const { locale, file, state, inputs } of pages.filter(({ why }) => why.length > 0)) {
        const html = await renderPage(article, locale, figures);
        write(file, html);
        write(state, `${JSON.stringify({ inputs, output: sha256(html) } satisfies State, null, 2)}\n`);
      }
    }
    reports.push(...pages.map(({ locale, file, why }) => ({ article: name, locale, file, written: why.length > 0, why })));
  }
  copyFonts(sources.common, site);
  return reports;
}

/** What the page was made from, unless it has been changed or removed since. */
function stateOf(stateFile: string, file: string): Inputs | undefined {
  if (!existsSync(stateFile) || !existsSync(file)) return undefined;
  try {
    const state = JSON.parse(readFileSync(stateFile, "utf8")) as State;
    return state.output === sha256(readFileSync(file, "utf8")) ? state.inputs : undefined;
  } catch {
    return undefined;
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Whole or not at all, so that an interrupted render leaves no half page. */
function write(file: string, text: string): void {
  makeFolder(dirname(file));
  writeWhole(file, text);
}

function copyFonts(common: string, site: string): void {
  const fonts = join(common, "theme", "fonts");
  if (!existsSync(fonts)) return;
  const to = join(site, "theme", "fonts");
  try {
    cpSync(fonts, to, { recursive: true });
  } catch (error) {
    throw writeFault(to, error);
  }
}
