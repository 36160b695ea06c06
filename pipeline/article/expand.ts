import type { MathNode } from "mathjs";
import type { ClaimBook, Levels } from "../claims/claim.js";
import { checkLevels, type Evidence } from "../claims/evidence.js";
import { near } from "../claims/near.js";
import { Fault } from "../fault.js";
import { mathematics } from "../stats/units.js";
import type { ArticleSetup } from "./setup.js";

/** An author's expression with its names, claims and open factors filled in: what `stats` evaluates. */
export interface Expanded {
  readonly expression: string;
  /** Whose samples it reads; undefined when it reads none. */
  readonly experiment: string | undefined;
}

type FunctionNode = MathNode & { fn: MathNode & { name: string }; args: MathNode[] };
type SymbolNode = MathNode & { name: string };
type AssignmentNode = MathNode & { object: MathNode & { name: string }; value: MathNode & { value: unknown } };

const arithmetic = ["abs", "min", "max", "sqrt", "round", "log2", "log10"];

/** Parses; throws a Fault that begins with `where`. */
export function parseNode(text: string, where: string): MathNode {
  try {
    return mathematics().parse(text);
  } catch (error) {
    throw new Fault(`${where}: "${text.replaceAll(/\s+/g, " ")}" is not an expression: ${(error as Error).message}`);
  }
}

/** The name and arguments of a call, or undefined for any other node. */
export function call(node: MathNode): { readonly name: string; readonly args: readonly MathNode[] } | undefined {
  if (node.type === "ParenthesisNode") return call((node as MathNode & { content: MathNode }).content);
  if (node.type !== "FunctionNode") return undefined;
  const { fn, args } = node as FunctionNode;
  return { name: fn.name, args };
}

/** A text argument in quotes. */
export function textArgument(args: readonly MathNode[], index: number, what: string, where: string): string {
  const node = args[index] as (MathNode & { value?: unknown }) | undefined;
  if (node?.type !== "ConstantNode" || typeof node.value !== "string") throw new Fault(`${where}: ${what} in quotes is needed: it is ${node === undefined ? "missing" : node.toString()}`);
  return node.value;
}

/** Fills in an expression of an article. `overrides` are levels that selectors take before the article's own. */
export class Expander {
  readonly #setup: ArticleSetup;
  readonly #book: ClaimBook;
  readonly #evidence: Evidence;
  readonly #metrics: readonly string[];

  constructor(setup: ArticleSetup, book: ClaimBook, evidence: Evidence, metrics: readonly string[]) {
    this.#setup = setup;
    this.#book = book;
    this.#evidence = evidence;
    this.#metrics = metrics;
  }

  /** The experiment that selectors take unless they name another. */
  get defaultExperiment(): string {
    return Object.keys(this.#setup.experiments)[0]!;
  }

  claim(id: string, where: string): ClaimBook["claims"][number] {
    const claim = this.#book.claims.find((candidate) => candidate.id === id);
    if (claim === undefined) throw new Fault(`${where}: unknown claim "${id}": ${near(id, this.#book.claims.map((candidate) => candidate.id))}`);
    return claim;
  }

  expand(node: MathNode, where: string, overrides: Levels = {}): Expanded {
    const experiments = new Set<string>();
    const filled = this.#fill(node, where, overrides, experiments, 0);
    const found = [...experiments];
    if (found.length > 1) throw new Fault(`${where}: "${node.toString()}" mixes the experiments ${found.join(" and ")}: what is computed together must have been measured together`);
    return { expression: filled.toString(), experiment: found[0] };
  }

  #fill(node: MathNode, where: string, overrides: Levels, experiments: Set<string>, depth: number): MathNode {
    if (depth > 20) throw new Fault(`${this.#setup.file}: the name "${node.toString()}" is defined by itself`);
    return node.transform((child, path) => {
      if (child.type === "SymbolNode" && path !== "fn") return this.#symbol(child as SymbolNode, where, overrides, experiments, depth);
      if (child.type === "FunctionNode") return this.#call(child as FunctionNode, where, overrides, experiments, depth);
      return child;
    });
  }

  #symbol(node: SymbolNode, where: string, overrides: Levels, experiments: Set<string>, depth: number): MathNode {
    const definition = Object.hasOwn(this.#setup.names, node.name) ? this.#setup.names[node.name] : undefined;
    if (definition !== undefined) return this.#within(this.#fill(parseNode(definition, this.#setup.file), this.#setup.file, overrides, experiments, depth + 1));
    if (this.#metrics.includes(node.name)) return this.#selector(node.name, [], where, overrides, experiments);
    throw new Fault(`${where}: unknown variable "${node.name}": ${near(node.name, [...Object.keys(this.#setup.names), ...this.#metrics])}`);
  }

  #call(node: FunctionNode, where: string, overrides: Levels, experiments: Set<string>, depth: number): MathNode {
    const { name } = node.fn;
    if (this.#metrics.includes(name)) return this.#selector(name, node.args, where, overrides, experiments);
    if (arithmetic.includes(name)) {
      const filled = node.args.map((arg) => this.#fill(arg, where, overrides, experiments, depth + 1));
      return new (mathematics().FunctionNode)(name, filled);
    }
    const number = this.#published(name, node.args, where);
    if (number !== undefined) return number;
    if (name === "measured" || name === "ratio") return this.#measured(textArgument(node.args, 0, "a claim's id", where), where, experiments);
    throw new Fault(`${where}: unknown function or metric "${name}": ${near(name, [...this.#metrics, ...arithmetic, "claim", "measured", "ratio", "condition"])}`);
  }

  /** What the source gives: a claim's figure with its unit, or a condition of its test. */
  #published(name: string, args: readonly MathNode[], where: string): MathNode | undefined {
    if (!["claim", "claim_low", "claim_high", "condition"].includes(name)) return undefined;
    const claim = this.claim(textArgument(args, 0, "a claim's id", where), where);
    const value = name === "condition" ? claim.conditions?.[textArgument(args, 1, "a condition's name", where)] : publishedNumber(claim, name);
    if (typeof value !== "number") throw new Fault(`${where}: ${name}("${claim.id}") has no number to compute with`);
    const unit = name === "condition" || claim.unit === null || claim.unit === "1" ? "" : ` ${claim.unit}`;
    return this.#within(parseNode(`${value}${mathematicalUnit(unit)}`, where));
  }

  #measured(id: string, where: string, experiments: Set<string>): MathNode {
    const claim = this.claim(id, where);
    const measure = this.#book.measures.find((candidate) => candidate.claim === claim.id);
    if (measure?.expression === undefined || measure.experiment === undefined) throw new Fault(`${where}: the claim "${id}" is not measured by an expression, so there is nothing to compute with`);
    const levels = { ...this.#book.conditions[measure.experiment], ...measure.primary };
    experiments.add(measure.experiment);
    const filled = parseNode(measure.expression, where).transform((node, path) => {
      if (node.type !== "FunctionNode" || path === "fn" || arithmetic.includes((node as FunctionNode).fn.name)) return node;
      const { fn, args } = node as FunctionNode;
      return selectorNode(fn.name, { ...levels, ...levelsOf(args, where) });
    });
    return this.#within(filled);
  }

  #selector(metric: string, args: readonly MathNode[], where: string, overrides: Levels, experiments: Set<string>): MathNode {
    const { experiment: named, ...own } = levelsOf(args, where);
    const experiment = String(named ?? this.defaultExperiment);
    const conditions = this.#setup.experiments[experiment];
    if (conditions === undefined) throw new Fault(`${where}: the experiment "${experiment}" is not among those of ${this.#setup.file}: ${near(experiment, Object.keys(this.#setup.experiments))}`);
    experiments.add(experiment);
    const levels = { ...conditions, ...overrides, ...own };
    checkLevels(this.#evidence, experiment, levels, where);
    return selectorNode(metric, levels);
  }

  #within(node: MathNode): MathNode {
    return new (mathematics().ParenthesisNode)(node);
  }
}

/** The number a claim publishes: its value, or the middle or an end of its range. */
export function publishedNumber(claim: ClaimBook["claims"][number], name = "claim"): number | undefined {
  if (claim.range) return name === "claim_low" ? claim.range[0] : name === "claim_high" ? claim.range[1] : (claim.range[0] + claim.range[1]) / 2;
  return typeof claim.value === "number" ? claim.value : undefined;
}

/** Only units that mathjs knows can be computed with; `segments` and the like are counts. */
function mathematicalUnit(unit: string): string {
  try {
    if (unit !== "") mathematics().evaluate(`1${unit}`);
    return unit;
  } catch {
    return "";
  }
}

function selectorNode(metric: string, levels: Levels): MathNode {
  const args = Object.entries(levels).map(([factor, level]) => `${factor}=${JSON.stringify(level)}`);
  return mathematics().parse(`${metric}(${args.join(", ")})`);
}

function levelsOf(args: readonly MathNode[], where: string): Record<string, string | number> {
  return Object.fromEntries(args.map((arg) => {
    const { object, value } = arg as AssignmentNode;
    const level = arg.type === "AssignmentNode" && value.type === "ConstantNode" ? value.value : undefined;
    if (typeof level !== "string" && typeof level !== "number") throw new Fault(`${where}: "${arg.toString()}" is not factor="level"`);
    return [object.name, level];
  }));
}
