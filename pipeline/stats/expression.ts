import type { MathNode } from "mathjs";
import { Fault } from "../fault.js";
import { mathematics } from "./units.js";

/** A reading to look up in each round: `instructions(server="go")`. */
export interface Selector {
  readonly metric: string;
  readonly levels: Readonly<Record<string, string | number>>;
  /** As it stands in the expression. */
  readonly text: string;
}

/** An expression cut into what it looks up and what it computes from that. */
export interface Parsed {
  readonly text: string;
  readonly selectors: readonly Selector[];
  /** One selector and nothing computed from it. */
  readonly simple: boolean;
  /** Computes one round; `values` stand in the order of `selectors`. */
  compute(values: readonly unknown[]): unknown;
}

/**
 * Parses mathjs in which `metric(factor="level", ...)` and a bare `metric` are selectors; everything else is mathjs as it is.
 * A call whose arguments are all assignments is a selector; so is a bare name that mathjs knows neither as its own nor as a unit.
 *
 * @throws Fault when it does not parse, mixes assignments with values, or selects nothing
 */
export function parseExpression(text: string): Parsed {
  const selectors: Selector[] = [];
  const place = (selector: Selector): MathNode => {
    selectors.push(selector);
    return new (mathematics().SymbolNode)(`_${selectors.length - 1}`);
  };
  const tree = parse(text).transform((node, path) => {
    if (isFunction(node) && isSelector(node, text)) return place({ metric: node.fn.name, levels: levelsOf(node.args, text), text: node.toString() });
    if (isSymbol(node) && path !== "fn" && !isKnown(node.name)) return place({ metric: node.name, levels: {}, text: node.name });
    return node;
  });
  if (selectors.length === 0) throw new Fault(`expression "${text}": it selects no metric; write one as metric(factor="level")`);
  const code = tree.compile();
  return { text, selectors, simple: tree.type === "SymbolNode", compute: (values) => code.evaluate(Object.fromEntries(values.map((value, i) => [`_${i}`, value]))) as unknown };
}

const isKnown = (name: string): boolean => name in mathematics() || mathematics().Unit.isValuelessUnit(name);

function parse(text: string): MathNode {
  try {
    return mathematics().parse(text);
  } catch (error) {
    throw new Fault(`expression "${text}": ${(error as Error).message}; write it as mathjs, selectors as metric(factor="level")`);
  }
}

type FunctionNode = MathNode & { fn: MathNode & { name: string }; args: MathNode[] };
type SymbolNode = MathNode & { name: string };
type AssignmentNode = MathNode & { object: MathNode & { name: string }; value: MathNode & { value: unknown } };

const isFunction = (node: MathNode): node is FunctionNode => node.type === "FunctionNode";
const isSymbol = (node: MathNode): node is SymbolNode => node.type === "SymbolNode";
const isAssignment = (node: MathNode): node is AssignmentNode => node.type === "AssignmentNode";

function isSelector(node: FunctionNode, text: string): boolean {
  const assignments = node.args.filter(isAssignment).length;
  if (assignments === 0) {
    if (node.args.length === 0 || node.fn.name in mathematics()) return node.args.length === 0;
    throw new Fault(`expression "${text}": mathjs has no function "${node.fn.name}"; a selector takes factor="level"`);
  }
  if (assignments < node.args.length) throw new Fault(`expression "${text}": ${node.toString()} mixes factor="level" with plain values; use one or the other`);
  return true;
}

function levelsOf(args: readonly MathNode[], text: string): Record<string, string | number> {
  const levels: Record<string, string | number> = {};
  for (const node of args) {
    if (!isAssignment(node)) continue;
    const level = node.value.type === "ConstantNode" ? node.value.value : undefined;
    if (typeof level !== "string" && typeof level !== "number") {
      throw new Fault(`expression "${text}": the level of "${node.object.name}" must be a number or a string in quotes, not ${node.value.toString()}`);
    }
    levels[node.object.name] = level;
  }
  return levels;
}
