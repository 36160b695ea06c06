import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { JSDOM } from "jsdom";
import JSZip from "jszip";
import { attributes, escapeText } from "../article/html.js";
import type { Locale } from "../article/locale.js";
import { picturesOf } from "./pictures.js";
import { portable, type Portable } from "./portable.js";
import { packagedFonts } from "./theme.js";

interface Part {
  readonly name: string;
  readonly type: string;
  readonly content: string | Uint8Array;
  /** A property of the manifest: `nav`. */
  readonly property?: string;
}

/**
 * An article's page as EPUB 3: a chapter for each section, charts as pictures, Devanagari letters inside, the ledger's rows where links find them. The same page
 * gives the same bytes: the book's identifier is its address, its date that of the run.
 */
export async function epubOf(html: string, file: string, locale: Locale, publisher: string): Promise<Uint8Array> {
  const article = await portable(html, file, { picture: (id) => `${id}.svg`, rows: true });
  const chapters = [
    { id: "title", title: article.title, html: `<p class="description">${escapeText(article.description)}</p><p class="origin">${escapeText(article.origin)} <a${attributes({ href: article.address })}>${escapeText(article.address)}</a></p>${article.lead}` },
    ...article.sections,
  ];
  const fonts = new Intl.Locale(article.tag).maximize().script === "Deva" ? packagedFonts() : [];
  const parts: Part[] = [
    { name: "nav.xhtml", type: "application/xhtml+xml", property: "nav", content: navigation(article, chapters, locale) },
    ...placed(chapters, article),
    ...picturesOf(html).map(({ id, svg }) => ({ name: `${id}.svg`, type: "image/svg+xml", content: lightOnly(svg) })),
    ...fonts.map((font) => ({ name: basename(font), type: "font/woff2", content: readFileSync(font) })),
    { name: "style.css", type: "text/css", content: style(fonts) },
  ];
  // One time for all files, since that of making them would make other bytes.
  const date = new Date(Date.UTC(1990, 0, 1));
  const zip = new JSZip();
  const put = (name: string, content: string | Uint8Array, compression: "STORE" | "DEFLATE" = "DEFLATE"): void => void zip.file(name, content, { date, compression, createFolders: false });
  // First and not compressed, as readers know a book by it.
  put("mimetype", "application/epub+zip", "STORE");
  put("META-INF/container.xml", `${declaration}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>\n`);
  put("EPUB/package.opf", packageDocument(article, chapters.map(({ id }) => `${id}.xhtml`), parts, publisher));
  for (const { name, content } of parts) put(`EPUB/${name}`, content);
  return zip.generateAsync({ type: "uint8array", platform: "UNIX", mimeType: "application/epub+zip" });
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** The chapters as files; a link to an element of another chapter names its file. */
function placed(chapters: readonly { readonly id: string; readonly title: string; readonly html: string }[], article: Portable): Part[] {
  const documents = chapters.map(({ id, title, html }) => ({ id, document: chapter(id, title, html, article) }));
  const where = new Map(documents.flatMap(({ id, document }) => [...document.querySelectorAll("[id]")].map((node) => [node.id, id] as const)));
  return documents.map(({ id, document }) => {
    for (const link of document.querySelectorAll('a[href^="#"]')) {
      const target = link.getAttribute("href")!.slice(1);
      const home = where.get(target);
      link.setAttribute("href", home === undefined ? `${article.address}#${target}` : home === id ? `#${target}` : `${home}.xhtml#${target}`);
    }
    return { name: `${id}.xhtml`, type: "application/xhtml+xml", content: serialised(document) };
  });
}

function chapter(id: string, title: string, html: string, { tag, direction }: Portable): Document {
  return new JSDOM(`<!DOCTYPE html><html${attributes({ lang: tag, "xml:lang": tag, dir: direction })}><head><meta charset="utf-8"><title>${escapeText(title)}</title><link rel="stylesheet" type="text/css" href="style.css"></head><body><section${attributes({ id })}><h1>${escapeText(title)}</h1>${html}</section></body></html>`).window.document;
}

function navigation(article: Portable, chapters: readonly { readonly id: string; readonly title: string }[], locale: Locale): string {
  const items = chapters.map(({ id, title }) => `<li><a href="${id}.xhtml">${escapeText(title)}</a></li>`).join("");
  return `${declaration}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"${attributes({ lang: article.tag, "xml:lang": article.tag, dir: article.direction })}><head><title>${escapeText(article.title)}</title></head><body><nav epub:type="toc" id="toc"><h1>${escapeText(locale.text("page.contents"))}</h1><ol>${items}</ol></nav></body></html>\n`;
}

/** A document as XHTML. */
function serialised(document: Document): string {
  const { XMLSerializer } = document.defaultView as unknown as { XMLSerializer: new () => { serializeToString(node: Node): string } };
  return `${declaration}<!DOCTYPE html>\n${new XMLSerializer().serializeToString(document.documentElement)}\n`;
}

function packageDocument(article: Portable, spine: readonly string[], parts: readonly Part[], publisher: string): string {
  const id = (name: string): string => `part-${name.replaceAll(/[^A-Za-z0-9]+/g, "-")}`;
  const date = `${(article.date ?? "1970-01-01T00:00:00Z").replace(/\.\d+Z$/, "Z")}`;
  const identifier = `urn:sha256:${createHash("sha256").update(article.address).digest("hex")}`;
  return `${declaration}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book" xml:lang="${article.tag}" dir="${article.direction}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="book">${identifier}</dc:identifier>
<dc:title>${escapeText(article.title)}</dc:title>
<dc:description>${escapeText(article.description)}</dc:description>
<dc:language>${article.tag}</dc:language>
<dc:creator>${escapeText(publisher)}</dc:creator>
<dc:source>${escapeText(article.address)}</dc:source>
<dc:date>${date}</dc:date>
<meta property="dcterms:modified">${date}</meta>
</metadata>
<manifest>
${parts.map(({ name, type, property }) => `<item${attributes({ id: id(name), href: name, "media-type": type, properties: property })}/>`).join("\n")}
</manifest>
<spine${article.direction === "rtl" ? ' page-progression-direction="rtl"' : ""}>
${spine.map((name) => `<itemref idref="${id(name)}"/>`).join("\n")}
</spine>
</package>
`;
}

/** A picture in a book has the colours of paper: readers set their own background, and few tell a picture of it. */
const lightOnly = (svg: string): string => svg.replace(/@media \(prefers-color-scheme: dark\)\{svg\{[^}]*\}\}/, "");

function style(fonts: readonly string[]): string {
  const faces = fonts.map((font) => `@font-face { font-family: "Packaged"; src: url(${basename(font)}); }\n`).join("");
  return `${faces}body { line-height: 1.5; ${fonts.length > 0 ? 'font-family: "Packaged", serif; ' : ""}}
h1, h2, h3 { line-height: 1.25; }
img { max-width: 100%; height: auto; }
figure { margin: 1em 0; page-break-inside: avoid; }
figcaption, .origin, .aside { font-size: 0.85em; }
table { border-collapse: collapse; font-size: 0.8em; }
th, td { border-bottom: 1px solid #999; padding: 0.25em 0.5em; text-align: start; vertical-align: top; }
.end { text-align: end; }
.center { text-align: center; }
code { font-family: monospace; font-size: 0.9em; }
pre { white-space: pre-wrap; }
`;
}
