import { Fault } from "../fault.js";
import { readYaml } from "./yaml.js";
import { place, readLabels, readText, type Branch, type Segment } from "./text.js";

/** A block of an article: what a blank line or a `:::` fence sets apart, named by its id in every language. */
export type Block =
  | { readonly kind: "prose"; readonly id: string; readonly classes: readonly string[]; readonly level: number; readonly content: readonly Segment[]; readonly line: number }
  | { readonly kind: "choose"; readonly id: string; readonly question: string; readonly branches: readonly Branch<Block>[]; readonly line: number }
  | { readonly kind: "directive"; readonly id: string; readonly name: string; readonly argument: string; readonly content: readonly Segment[]; readonly line: number };

/** One article in one language, read but not yet filled. `file` is the path that faults name. */
export interface Template {
  readonly file: string;
  readonly title: readonly Segment[];
  readonly description: readonly Segment[];
  readonly blocks: readonly Block[];
}

/** The directives of the article language. */
export const directives = ["figure", "ledger", "contradictions", "unmeasured", "credit"] as const;

interface Line { readonly text: string; readonly number: number }

/** Reads a template. Throws a Fault that names file and line on bad syntax, a naked number, a missing or doubled id. */
export function readTemplate(source: string, file: string): Template {
  const lines = source.replaceAll("\r\n", "\n").split("\n").map((text, index) => ({ text, number: index + 1 }));
  const { front, body } = splitFrontMatter(lines, file);
  const blocks = readBlocks(body, file, true);
  const seen = new Map<string, number>();
  for (const block of blocks) {
    const before = seen.get(block.id);
    if (before !== undefined) throw new Fault(`${place(file, block.line)}: the id {#${block.id}} is already that of line ${before}: every block needs its own`);
    seen.set(block.id, block.line);
  }
  return { file, title: front("title"), description: front("description"), blocks };
}

function splitFrontMatter(lines: readonly Line[], file: string): { front: (key: string) => Segment[]; body: Line[] } {
  const end = lines.findIndex((line, index) => index > 0 && line.text.trim() === "---");
  if (lines[0]?.text.trim() !== "---" || end < 0) throw new Fault(`${place(file, 1)}: no front matter: begin with ---, title: and description:, ---`);
  const values = readYaml(lines.slice(1, end).map((line) => line.text).join("\n"), file, 2);
  const front = (key: string): Segment[] => {
    const value = (values as Record<string, unknown> | null)?.[key];
    if (typeof value !== "string" || value === "") throw new Fault(`${place(file, 1)}: the front matter has no ${key}`);
    const line = lines.findIndex((candidate) => candidate.text.startsWith(`${key}:`)) + 1;
    return readText(value, file, line);
  };
  return { front, body: lines.slice(end + 1) };
}

function readBlocks(lines: readonly Line[], file: string, needId: boolean): Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = lines[index]!;
    if (line.text.trim() === "") index++;
    else if (line.text.startsWith(":::")) {
      const end = lines.findIndex((candidate, at) => at > index && candidate.text.trim() === ":::");
      if (end < 0) throw new Fault(`${place(file, line.number)}: "${line.text.trim()}" is not closed by a line of :::`);
      blocks.push(readFence(line, lines.slice(index + 1, end), file));
      index = end + 1;
    } else {
      const end = endOfProse(lines, index);
      blocks.push(readProse(lines.slice(index, end), file, needId));
      index = end;
    }
  }
  return blocks;
}

/** A block of prose ends at a blank line, a fenced code block at its fence. */
function endOfProse(lines: readonly Line[], start: number): number {
  let index = start;
  const fence = /^(```+|~~~+)/.exec(lines[start]!.text)?.[1];
  if (fence) {
    index++;
    while (index < lines.length && !lines[index]!.text.startsWith(fence)) index++;
    index++;
  }
  while (index < lines.length && lines[index]!.text.trim() !== "" && !lines[index]!.text.startsWith(":::")) index++;
  return Math.min(index, lines.length);
}

function readProse(lines: readonly Line[], file: string, needId: boolean): Block {
  const first = lines[0]!;
  const fenced = /^(```|~~~)/.test(first.text);
  let source = lines.map((line) => line.text).join("\n");
  const attributes = /(?:^|\s)\{(#[^\s{}]+)?((?:\s*\.[A-Za-z][\w-]*)*)\}\s*$/.exec(source);
  if (attributes) source = source.slice(0, attributes.index);
  const id = attributes?.[1]?.slice(1) ?? "";
  if (needId && id === "") {
    throw new Fault(`${place(file, lines.at(-1)!.number)}: this block has no id: end it with {#name}, the same in every language`);
  }
  if (id !== "") checkId(id, file, lines.at(-1)!.number);
  const classes = (attributes?.[2] ?? "").split(".").map((name) => name.trim()).filter((name) => name !== "");
  const level = /^(#{1,6})\s/.exec(source)?.[1]?.length ?? 0;
  if (level === 1) throw new Fault(`${place(file, first.number)}: the title stands in the front matter: begin sections with ##`);
  const content: Segment[] = fenced ? [{ kind: "exempt", text: source, line: first.number }] : readText(source, file, first.number);
  return { kind: "prose", id, classes, level, content, line: first.number };
}

function readFence(head: Line, lines: readonly Line[], file: string): Block {
  const match = /^:::\s*([a-z]+)\s*(.*?)\s*(?:\{#([^\s{}]+)\})?\s*$/.exec(head.text);
  const [, name = "", argument = "", id = ""] = match ?? [];
  const at = place(file, head.number);
  if (id === "") throw new Fault(`${at}: "${head.text.trim()}" has no id: end the line with {#name}`);
  checkId(id, file, head.number);
  if (name === "choose") {
    if (argument === "") throw new Fault(`${at}: choose what? Write a question: ::: choose compare(a, b) {#${id}}`);
    return { kind: "choose", id, question: argument, branches: readBranches(lines, file, at), line: head.number };
  }
  if (!(directives as readonly string[]).includes(name)) {
    throw new Fault(`${at}: no directive "${name}": there are choose, ${directives.join(", ")}`);
  }
  const caption = lines.map((line) => line.text).join("\n").trimEnd();
  return { kind: "directive", id, name, argument, content: readText(caption, file, head.number + 1), line: head.number };
}

function readBranches(lines: readonly Line[], file: string, at: string): Branch<Block>[] {
  const starts = lines.flatMap((line, index) => (/^::(?!:)/.test(line.text) ? [index] : []));
  if (starts.length === 0) throw new Fault(`${at}: a choose needs branches, each beginning with a line ":: label"`);
  const stray = lines.slice(0, starts[0]).find((line) => line.text.trim() !== "");
  if (stray) throw new Fault(`${place(file, stray.number)}: text before the first ":: label" of a choose`);
  return starts.map((start, index) => {
    const line = lines[start]!;
    const labels = readLabels(line.text.replace(/^::\s*/, "").replace(/:\s*$/, ""));
    if (labels.length === 0) throw new Fault(`${place(file, line.number)}: a branch without a label`);
    return { labels, content: readBlocks(lines.slice(start + 1, starts[index + 1] ?? lines.length), file, false), line: line.number };
  });
}

function checkId(id: string, file: string, line: number): void {
  if (!/^[a-z][a-z0-9-]*$/.test(id)) throw new Fault(`${place(file, line)}: the id {#${id}} must be small Latin letters, digits and hyphens, beginning with a letter`);
}
