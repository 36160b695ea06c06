import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locale } from "../article/locale.js";
import { Fault } from "../fault.js";
import { shortPath } from "../root.js";
import { tableFile } from "../store/export.js";
import type { Row } from "../store/query.js";
import { bring, removeOthers, sha256, type Output, type OutputReport } from "./output.js";
import { markdownPage } from "./markdown.js";
import { picturePath, picturesOf, type Picture } from "./pictures.js";
import { portable, type Destination, type Portable } from "./portable.js";
import { path, type Site } from "./surroundings.js";

/** What a bundle is made from: the pages of a site that has been rendered. Nothing is measured or drawn for it. */
export interface Material {
  readonly site: Site;
  /** Where the site was rendered. */
  readonly pages: string;
  readonly locales: ReadonlyMap<string, Locale>;
  /** The digest of the program. */
  readonly program: string;
}

/**
 * Writes both bundles of every article: `hugo/ARTICLE/`, a page bundle with all languages, and `markdown/ARTICLE/`, a page for each language whose
 * pictures have whole addresses.
 *
 * @throws Fault for a page that has not been rendered
 */
export async function writeBundles(material: Material, folder: string): Promise<OutputReport[]> {
  const outputs = [...material.site.articles].flatMap(([article, tags]) => [
    ...tags.flatMap((tag) => [...hugoPage(material, article, tag), ...markdownFiles(material, article, tag)]),
    ledgerTable(material, article),
  ]);
  const reports = await bring(outputs, folder);
  removeOthers(outputs, folder);
  return reports;
}

function hugoPage(material: Material, article: string, tag: string): Output[] {
  const { html, inputs, file } = pageOf(material, article, tag);
  const folder = `hugo/${article}`;
  const locale = material.locales.get(tag)!;
  // Names with the language in them are each the language's own; Hugo would show a shared one at one address only.
  const to: Destination = { picture: (id) => `${id}.${tag}.svg`, table: (id) => `<a href="${id}.${tag}.csv">${locale.text("bundle.table")}</a>`, rows: false };
  let read: Promise<Portable> | undefined;
  const content = (): Promise<Portable> => (read ??= portable(html, file, to));
  return [
    {
      path: `${folder}/index.${tag}.md`, article, locale: tag, inputs,
      make: async () => {
        const page = await content();
        return markdownPage(page, { ...frontMatter(page, article), params: { canonicalURL: page.address, run: material.site.source?.id ?? null } }, closing(page, locale, "ledger.csv"), true, file);
      },
    },
    ...picturesOf(html).flatMap(({ id, svg }): Output[] => [
      picture(`${folder}/${id}.${tag}.svg`, svg, article, tag),
      { path: `${folder}/${id}.${tag}.csv`, article, locale: tag, inputs, make: async () => csv((await content()).tables.get(id)!) },
    ]),
  ];
}

function markdownFiles(material: Material, article: string, tag: string): Output[] {
  const { html, inputs, file } = pageOf(material, article, tag);
  const { site } = material;
  const to: Destination = { picture: (id) => site.base + picturePath(article, tag, id), rows: false };
  const folder = `markdown/${article}`;
  return [
    {
      path: `${folder}/${tag}.md`, article, locale: tag, inputs: { ...inputs, "the address": site.base },
      make: async () => {
        const page = await portable(html, file, to);
        return markdownPage(page, { ...frontMatter(page, article), lang: tag, canonical_url: page.address }, closing(page, material.locales.get(tag)!, undefined), false, file);
      },
    },
    ...picturesOf(html).map(({ id, svg }: Picture) => picture(`${folder}/${tag}/${id}.svg`, svg, article, tag)),
  ];
}

const picture = (to: string, svg: string, article: string, locale: string): Output => ({ path: to, article, locale, inputs: { "the chart": sha256(svg) }, make: async () => svg });

function frontMatter({ title, description, date }: Portable, article: string): Record<string, unknown> {
  return { title, description, ...(date === undefined ? {} : { date, lastmod: date }), slug: article, translationKey: article, draft: false };
}

/** Where each figure comes from, which a blog has no popovers to say. */
function closing({ address, origins }: Portable, locale: Locale, ledger: string | undefined): string {
  const table = ledger === undefined ? "" : ` ${locale.fill("bundle.ledger", { link: `[CSV](${ledger})` })}`;
  return `---\n\n${locale.fill("bundle.origins", { link: `[${origins ?? address}](${address}${origins === undefined ? "" : "#figures"})` })}${table}`;
}

/** The claims of one article out of the ledger that the site offers, digit for digit. */
function ledgerTable({ site, pages, program }: Material, article: string): Output {
  const bytes = rendered(pages, "ledger/ledger.json");
  return {
    path: `hugo/${article}/ledger.csv`, article, inputs: { "the ledger": sha256(bytes), "the program": program },
    make: async () => tableFile((JSON.parse(bytes) as Row[]).filter((row) => row["article"] === article), "csv"),
  };
}

function pageOf({ pages, program }: Material, article: string, tag: string): { html: string; inputs: Record<string, string>; file: string } {
  const file = path.article(article, tag);
  const html = rendered(pages, file);
  return { html, inputs: { "the page": sha256(html), "the program": program }, file: shortPath(join(pages, file)) };
}

function rendered(pages: string, file: string): string {
  if (!existsSync(join(pages, file))) throw new Fault(`${shortPath(join(pages, file))} is missing: write it by './nullius render'`);
  return readFileSync(join(pages, file), "utf8");
}

/** Rows as the pages show them. */
function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\n`).join("");
}
