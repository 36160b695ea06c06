import { Fault } from "../fault.js";

/** A piece of a template's text. `line` is the line of the file it starts on. */
export type Segment =
  | { readonly kind: "text"; readonly text: string; readonly line: number }
  /** Code spans, link targets, list numerals: Markdown that may hold digits. */
  | { readonly kind: "exempt"; readonly text: string; readonly line: number }
  | { readonly kind: "literal"; readonly text: string; readonly line: number }
  | { readonly kind: "value"; readonly expression: string; readonly format: string; readonly line: number }
  | { readonly kind: "choice"; readonly question: string; readonly branches: readonly Branch<Segment>[]; readonly line: number };

/** One answer to a question, or several joined by `or`, with what is said then. */
export interface Branch<Content> {
  readonly labels: readonly string[];
  readonly content: readonly Content[];
  readonly line: number;
}

/** `file:line`, as every fault of a template begins. */
export function place(file: string, line: number): string {
  return `${file}:${line}`;
}

/**
 * Reads the text of one block: prose, `{{ expression | format }}`, `{? question | label: text ?}`, `[[literal]]`.
 * Throws a Fault on an unclosed bracket and on a digit that is none of these.
 */
export function readText(source: string, file: string, line: number): Segment[] {
  const reader = new TextReader(source, file, line);
  const segments = reader.read(false);
  segments.forEach((segment) => refuseDigits(segment, file));
  return segments;
}

/** The labels before the first colon of a branch: `reproduced or direction`. */
export function readLabels(text: string): string[] {
  return text.split(/\s+or\s+/).map((label) => label.trim()).filter((label) => label !== "");
}

/** Splits at the last `|` outside quotation marks: an expression and its format. */
function splitFormat(text: string): [string, string] {
  let quoted = false;
  let at = -1;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '"') quoted = !quoted;
    else if (text[index] === "|" && !quoted) at = index;
  }
  return at < 0 ? [text.trim(), "number"] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function refuseDigits(segment: Segment, file: string): void {
  if (segment.kind === "choice") segment.branches.forEach((branch) => branch.content.forEach((inner) => refuseDigits(inner, file)));
  if (segment.kind !== "text") return;
  const found = /\p{N}/u.exec(segment.text);
  if (!found) return;
  const line = segment.line + newlines(segment.text.slice(0, found.index));
  const word = /\S*$/.exec(segment.text.slice(0, found.index))![0] + /^\S*/.exec(segment.text.slice(found.index))![0];
  throw new Fault(`${place(file, line)}: naked number in "${word}": take it from an expression, {{ ... }}, or mark a name or version as a literal, [[${found[0]}]]`);
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}

/** What may hold digits without being a figure, tried at each position; the numeral of a list only at the start of a line. */
const exempt: readonly { readonly pattern: RegExp; readonly lineStart?: boolean }[] = [
  { pattern: /(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/y },
  { pattern: /(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/y },
  { pattern: /<https?:[^>\s]*>/y },
  { pattern: /[ \t]*\d+[.)](?=\s)/y, lineStart: true },
];

class TextReader {
  readonly #source: string;
  readonly #file: string;
  readonly #firstLine: number;
  #at = 0;

  constructor(source: string, file: string, line: number) {
    this.#source = source;
    this.#file = file;
    this.#firstLine = line;
  }

  /** Reads to the end, or inside a choice to the `|` or `?}` that ends a branch. */
  read(inBranch: boolean): Segment[] {
    const segments: Segment[] = [];
    let start = this.#at;
    const flush = (): void => {
      if (this.#at > start) segments.push({ kind: "text", text: this.#source.slice(start, this.#at).replaceAll("\\|", inBranch ? "|" : "\\|"), line: this.#line(start) });
    };
    while (this.#at < this.#source.length) {
      if (inBranch && (this.#ahead("|") || this.#ahead("?}"))) break;
      const special = this.#special();
      if (special) {
        flush();
        segments.push(...special());
        start = this.#at;
      } else this.#at += this.#ahead("\\") ? 2 : 1;
    }
    flush();
    return segments;
  }

  #special(): (() => Segment[]) | undefined {
    if (this.#ahead("{{")) return () => [this.#value()];
    if (this.#ahead("{?")) return () => [this.#choice()];
    if (this.#ahead("[[")) return () => [this.#literal()];
    const length = this.#exemptLength();
    return length === 0 ? undefined : () => this.#exempt(this.#at + length);
  }

  /** Exempt text up to `end`; a figure inside backticks is still a figure. */
  #exempt(end: number): Segment[] {
    const segments: Segment[] = [];
    while (this.#at < end) {
      const line = this.#line(this.#at);
      const value = this.#source.indexOf("{{", this.#at);
      const stop = value < 0 || value >= end ? end : value;
      if (stop > this.#at) segments.push({ kind: "exempt", text: this.#source.slice(this.#at, stop), line });
      this.#at = stop;
      if (stop < end) segments.push(this.#value());
    }
    return segments;
  }

  #exemptLength(): number {
    const lineStart = this.#at === 0 || this.#source[this.#at - 1] === "\n";
    for (const { pattern, lineStart: only } of exempt) {
      if (only && !lineStart) continue;
      pattern.lastIndex = this.#at;
      const match = pattern.exec(this.#source);
      if (match) return match[0].length;
    }
    return 0;
  }

  #value(): Segment {
    const line = this.#line(this.#at);
    const [expression, format] = splitFormat(this.#until("{{", "}}"));
    if (expression === "") throw new Fault(`${place(this.#file, line)}: {{ }} holds no expression`);
    return { kind: "value", expression, format, line };
  }

  #literal(): Segment {
    const line = this.#line(this.#at);
    return { kind: "literal", text: this.#until("[[", "]]"), line };
  }

  #choice(): Segment {
    const line = this.#line(this.#at);
    this.#at += 2;
    const question = this.#upTo(["|", "?}"]).trim();
    const branches: Branch<Segment>[] = [];
    while (this.#ahead("|")) {
      this.#at++;
      const branchLine = this.#line(this.#at);
      const labels = readLabels(this.#upTo([":", "|", "?}"]));
      if (!this.#ahead(":")) throw new Fault(`${place(this.#file, branchLine)}: a branch of {? ${question} ... ?} has no "label:"`);
      this.#at++;
      branches.push({ labels, content: trimmed(this.read(true)), line: branchLine });
    }
    if (!this.#ahead("?}")) throw new Fault(`${place(this.#file, line)}: {? ${question} is not closed by ?}`);
    this.#at += 2;
    if (question === "" || branches.length === 0) throw new Fault(`${place(this.#file, line)}: {? ?} needs a question and at least one "| label: text"`);
    return { kind: "choice", question, branches, line };
  }

  #until(open: string, close: string): string {
    const start = this.#at;
    const end = this.#source.indexOf(close, start + open.length);
    if (end < 0) throw new Fault(`${place(this.#file, this.#line(start))}: ${open} is not closed by ${close}`);
    this.#at = end + close.length;
    return this.#source.slice(start + open.length, end);
  }

  /** Up to, not including, the first of `ends` outside quotation marks. */
  #upTo(ends: readonly string[]): string {
    const start = this.#at;
    let quoted = false;
    for (; this.#at < this.#source.length; this.#at++) {
      if (this.#source[this.#at] === '"') quoted = !quoted;
      if (!quoted && ends.some((end) => this.#ahead(end))) break;
    }
    return this.#source.slice(start, this.#at);
  }

  #ahead(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #line(at: number): number {
    return this.#firstLine + newlines(this.#source.slice(0, at));
  }
}

/** A branch is written with spaces around it for the eye; the sentence around the choice has its own. */
function trimmed(segments: Segment[]): Segment[] {
  return segments.map((segment, index) => {
    if (segment.kind !== "text") return segment;
    let text = segment.text;
    if (index === 0) text = text.replace(/^\s+/, "");
    if (index === segments.length - 1) text = text.replace(/\s+$/, "");
    return { ...segment, text };
  });
}
