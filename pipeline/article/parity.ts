import { Fault } from "../fault.js";
import { place, type Branch, type Segment } from "./text.js";
import type { Block, Template } from "./template.js";

/** A block in short: what must be the same in every language, each item worded for the fault that names it. */
interface Shape {
  readonly line: number;
  readonly items: ReadonlyMap<string, number>;
}

/**
 * Demands that all languages of an article have the same blocks in the same order, with the same figures, questions and answers.
 * Throws a Fault that names the first difference, its block, and both places.
 */
export function checkParity(templates: readonly Template[]): void {
  const [first, ...rest] = templates;
  if (first === undefined) return;
  for (const other of rest) {
    sameFront(first, other);
    sameOrder(first, other);
    for (const [index, block] of first.blocks.entries()) sameBlock(block, other.blocks[index]!, first.file, other.file);
  }
}

function sameFront(first: Template, other: Template): void {
  for (const key of ["title", "description"] as const) sameItems(key, shapeOf(1, first[key]), shapeOf(1, other[key]), first.file, other.file);
}

function sameOrder(first: Template, other: Template): void {
  const has = (template: Template, id: string): boolean => template.blocks.some((block) => block.id === id);
  const lacking = first.blocks.find((block) => !has(other, block.id));
  if (lacking) throw new Fault(`${place(other.file, 1)}: the ${noun(lacking)} {#${lacking.id}} of ${place(first.file, lacking.line)} is missing: translate it`);
  const extra = other.blocks.find((block) => !has(first, block.id));
  if (extra) throw new Fault(`${place(other.file, extra.line)}: the ${noun(extra)} {#${extra.id}} is not in ${first.file}: every language has the same blocks`);
  for (const [index, block] of first.blocks.entries()) {
    const there = other.blocks[index]!;
    if (there.id !== block.id) throw new Fault(`${place(other.file, there.line)}: {#${there.id}} stands where ${place(first.file, block.line)} has {#${block.id}}: keep the order of blocks`);
  }
}

const noun = (block: Block): string => (block.kind === "prose" ? (block.level > 0 ? "section" : "block") : block.kind === "choose" ? "choose" : block.name);

function sameBlock(first: Block, other: Block, firstFile: string, otherFile: string): void {
  sameItems(`{#${first.id}}`, blockShape(first), blockShape(other), firstFile, otherFile);
}

function sameItems(what: string, first: Shape, other: Shape, firstFile: string, otherFile: string): void {
  for (const [item, count] of first.items) {
    const there = other.items.get(item) ?? 0;
    if (there < count) throw new Fault(`${place(otherFile, other.line)}: ${what} lacks ${item}, which ${place(firstFile, first.line)} has`);
  }
  for (const [item, count] of other.items) {
    const there = first.items.get(item) ?? 0;
    if (there < count) throw new Fault(`${place(otherFile, other.line)}: ${what} has ${item}, which ${place(firstFile, first.line)} has not`);
  }
}

function blockShape(block: Block): Shape {
  const items = new Map<string, number>();
  if (block.kind === "choose") {
    items.set(`the question ${squeeze(block.question)}`, 1);
    for (const branch of block.branches) {
      const name = branchName(branch);
      items.set(`the branch "${name}"`, 1);
      for (const inner of branch.content) collectBlock(inner, items, ` in its branch "${name}"`);
    }
  } else collectBlock(block, items, "");
  return { line: block.line, items };
}

function collectBlock(block: Block, items: Map<string, number>, suffix: string): void {
  if (block.kind === "choose") return;
  if (block.kind === "directive") items.set(`the directive "${`${block.name} ${block.argument}`.trim()}"${suffix}`, 1);
  else {
    if (block.level > 0) items.set(`a heading of level ${block.level}${suffix}`, 1);
    for (const name of block.classes) items.set(`the class .${name}${suffix}`, 1);
  }
  collect(block.content, items, suffix, false);
}

function shapeOf(line: number, segments: readonly Segment[]): Shape {
  const items = new Map<string, number>();
  collect(segments, items, "", false);
  return { line, items };
}

/** Outside a choice every figure counts as often as it stands; inside, a language may repeat the choice, so it counts once. */
function collect(segments: readonly Segment[], items: Map<string, number>, suffix: string, once: boolean): void {
  const add = (item: string): void => void items.set(item, once ? 1 : (items.get(item) ?? 0) + 1);
  for (const segment of segments) {
    if (segment.kind === "value") add(`{{ ${squeeze(segment.expression)} | ${squeeze(segment.format)} }}${suffix}`);
    if (segment.kind !== "choice") continue;
    const question = squeeze(segment.question);
    items.set(`the question {? ${question} ?}${suffix}`, 1);
    for (const branch of segment.branches) {
      items.set(`the answer "${branchName(branch)}" to ${question}${suffix}`, 1);
      collect(branch.content, items, ` when ${question} is ${branchName(branch)}${suffix}`, true);
    }
  }
}

const branchName = (branch: Branch<unknown>): string => [...branch.labels].sort().join(" or ");
const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
