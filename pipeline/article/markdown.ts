import markdownIt from "markdown-it";
import type { Locale } from "./locale.js";

/** Renders Markdown in which figures stand as marks; HTML in a source is text, not markup. */
export interface Markdown {
  /** A block: `<p>...</p>`. */
  block(source: string): string;
  /** Without a block around it. */
  inline(source: string): string;
}

/** Markdown with the quotation marks of the language. Wide tables scroll inside a frame of their own; aligned cells have the class `start`, `center` or `end`. */
export function markdownFor(locale: Locale): Markdown {
  const markdown = markdownIt({ html: false, typographer: true, quotes: [...locale.text("quotes")] as [string, string, string, string] });
  markdown.renderer.rules["table_open"] = (tokens, index, options, _, renderer) => `<div class="scroll" tabindex="0">${renderer.renderToken(tokens, index, options)}`;
  markdown.renderer.rules["table_close"] = (tokens, index, options, _, renderer) => `${renderer.renderToken(tokens, index, options)}</div>`;
  for (const cell of ["th_open", "td_open"]) {
    markdown.renderer.rules[cell] = (tokens, index, options, _, renderer) => {
      const token = tokens[index]!;
      const align = /text-align:(\w+)/.exec(String(token.attrGet("style")))?.[1];
      if (align !== undefined) token.attrs = [["class", align === "right" ? "end" : align === "left" ? "start" : align]];
      return renderer.renderToken(tokens, index, options);
    };
  }
  return { block: (source) => markdown.render(source).trimEnd(), inline: (source) => markdown.renderInline(source) };
}

const open = "\uE000";
const close = "\uE001";

/** What stands in Markdown for HTML that is put in afterwards: characters of the private use area, which Markdown leaves alone. */
export function mark(index: number): string {
  return `${open}${index}${close}`;
}

/** Puts the HTML in place of the marks. */
export function replaceMarks(html: string, marked: readonly string[]): string {
  return html.replaceAll(new RegExp(`${open}(\\d+)${close}`, "g"), (_, index: string) => marked[Number(index)]!);
}
