import type { Figures, Shown } from "./figures.js";
import { escapeHtml } from "./html.js";
import type { Locale } from "./locale.js";
import { mark, markdownFor, replaceMarks, type Markdown } from "./markdown.js";
import type { Scope } from "./scope.js";
import type { Block, Template } from "./template.js";
import { place, type Branch, type Segment } from "./text.js";

/** An article in one language, filled with data: HTML, ready for a page. */
export interface Composed {
  /** HTML with figures, and plain text already escaped for attributes. */
  readonly title: { readonly html: string; readonly text: string };
  readonly description: { readonly html: string; readonly text: string };
  readonly sections: readonly { readonly id: string; readonly title: string }[];
  readonly body: string;
}

/** Draws a directive: the HTML that stands for it. The caption is HTML already. */
export type Directive = (block: Extract<Block, { kind: "directive" }>, caption: string, where: string) => Promise<string>;

/** Fills templates of one language from one scope. */
export class Composer {
  readonly #scope: Scope;
  readonly #markdown: Markdown;
  readonly #figures: Figures;
  readonly #directive: Directive;

  constructor(scope: Scope, locale: Locale, figures: Figures, directive: Directive) {
    this.#scope = scope;
    this.#markdown = markdownFor(locale);
    this.#figures = figures;
    this.#directive = directive;
  }

  /** The title and the description of a template that has been checked. */
  head({ file, title, description }: Template): Pick<Composed, "title" | "description"> {
    return { title: this.#line(title, file), description: this.#line(description, file) };
  }

  /** Fills a template that has been checked. */
  async compose(template: Template): Promise<Composed> {
    const { file } = template;
    const { title, description } = this.head(template);
    const sections: { id: string; title: string }[] = [];
    const parts: string[] = [];
    for (const block of template.blocks) {
      if (block.kind === "prose" && block.level === 2) {
        const heading = this.#line(block.content, file, /^##\s+/);
        parts.push(`${sections.length > 0 ? "</section>\n" : ""}<section id="${block.id}">\n<h2>${heading.html}</h2>`);
        sections.push({ id: block.id, title: heading.text });
      } else parts.push(await this.#block(block, file));
    }
    if (sections.length > 0) parts.push("</section>");
    return { title, description, sections, body: parts.join("\n") };
  }

  async #block(block: Block, file: string): Promise<string> {
    if (block.kind === "directive") {
      const caption = this.#inline(block.content, file);
      return this.#directive(block, caption, place(file, block.line));
    }
    if (block.kind === "prose") return this.#prose(block, block.id, file);
    const branch = this.#choose(block.question, block.branches, place(file, block.line));
    const parts: string[] = [];
    for (const [index, inner] of branch.content.entries()) {
      const id = index === 0 ? block.id : `${block.id}-${index + 1}`;
      parts.push(inner.kind === "prose" ? this.#prose(inner, id, file) : await this.#block(inner, file));
    }
    return parts.join("\n");
  }

  #prose(block: Extract<Block, { kind: "prose" }>, id: string, file: string): string {
    const marked: string[] = [];
    const source = this.#source(block.content, file, marked);
    const html = named(this.#markdown.block(source), id, block.classes);
    return replaceMarks(html, marked);
  }

  #inline(segments: readonly Segment[], file: string): string {
    const marked: string[] = [];
    return replaceMarks(this.#markdown.inline(this.#source(segments, file, marked)), marked);
  }

  /** A line that is needed as HTML and, in titles and attributes, as escaped text without tags. */
  #line(segments: readonly Segment[], file: string, strip?: RegExp): { html: string; text: string } {
    const marked: Shown[] = [];
    const source = this.#source(segments, file, [], marked).replace(strip ?? "", "");
    const html = this.#markdown.inline(source);
    return {
      html: replaceMarks(html, marked.map((shown) => shown.html)),
      text: replaceMarks(html, marked.map((shown) => escapeHtml(shown.text))).replaceAll(/<[^>]*>/g, ""),
    };
  }

  /** The chosen Markdown, with marks where figures and literals stand. */
  #source(segments: readonly Segment[], file: string, html: string[], shown: Shown[] = []): string {
    const put = (figure: Shown): string => {
      html.push(figure.html);
      return mark(shown.push(figure) - 1);
    };
    return segments.map((segment) => {
      switch (segment.kind) {
        case "text":
        case "exempt": return segment.text;
        case "literal": return put({ text: segment.text, html: `<span class="literal">${escapeHtml(segment.text)}</span>` });
        case "value": return put(this.#value(segment, file));
        case "choice": return this.#source(this.#choose(segment.question, segment.branches, place(file, segment.line)).content, file, html, shown);
      }
    }).join("");
  }

  #value(segment: Extract<Segment, { kind: "value" }>, file: string): Shown {
    const where = place(file, segment.line);
    return this.#figures.show(this.#scope.value(segment.expression, where), segment.format, where);
  }

  #choose<Content>(question: string, branches: readonly Branch<Content>[], where: string): Branch<Content> {
    const outcome = this.#scope.ask(question, where);
    return (branches.find((branch) => branch.labels.includes(outcome)) ?? branches.find((branch) => branch.labels.includes("otherwise")))!;
  }
}

/** Puts an id and classes on the first tag, beside the classes it has. */
function named(html: string, id: string, classes: readonly string[]): string {
  return html.replace(/^<(\w+)(?: class="([^"]*)")?/, (_, tag: string, own: string | undefined) => {
    const all = [...(own === undefined ? [] : [own]), ...classes].join(" ");
    return `<${tag} id="${id}"${all === "" ? "" : ` class="${all}"`}`;
  });
}
