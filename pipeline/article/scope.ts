import type { MathNode } from "mathjs";
import type { Claim, ClaimBook } from "../claims/claim.js";
import { answer, facts, type Evidence } from "../claims/evidence.js";
import { near } from "../claims/near.js";
import { verdictWords, type Verdict } from "../claims/verdict.js";
import { Fault } from "../fault.js";
import type { Estimate } from "../stats/estimate.js";
import { mathematics, numberIn, unitOf, type Quantity } from "../stats/units.js";
import { call, Expander, parseNode, publishedNumber, textArgument } from "./expand.js";
import type { Located } from "./format.js";
import type { ArticleSetup } from "./setup.js";

/** Where a figure comes from. */
export type Origin =
  | { readonly kind: "measured"; readonly estimate: Estimate; readonly claim?: string }
  | { readonly kind: "published" | "condition"; readonly claim: string; readonly where: string }
  | { readonly kind: "counted"; readonly what: string }
  | { readonly kind: "computed"; readonly expression: string }
  | { readonly kind: "fact"; readonly name: string; readonly run: string };

/** What an expression came to. `names` are levels or verdicts, to be worded. */
export type Value =
  | { readonly kind: "number"; readonly value: number; readonly low?: number; readonly high?: number; readonly n?: number; readonly unit: string; readonly origin: Origin }
  | { readonly kind: "text"; readonly names: readonly string[]; readonly factor?: string; readonly origin: Origin }
  | { readonly kind: "missing"; readonly reason: string };

const missing = (reason: string): Value => ({ kind: "missing", reason });

/** Evaluates the expressions and answers the questions of one article over one run's evidence. */
export class Scope {
  readonly #verdicts: ReadonlyMap<string, Verdict>;
  readonly #evidence: Evidence;
  readonly #expander: Expander;
  readonly #values = new Map<string, Value>();

  constructor(setup: ArticleSetup, book: ClaimBook, verdicts: readonly Verdict[], evidence: Evidence, metrics: readonly string[]) {
    this.#verdicts = new Map(verdicts.map((verdict) => [verdict.claim, verdict]));
    this.#evidence = evidence;
    this.#expander = new Expander(setup, book, evidence, metrics);
  }

  /** The value of `{{ text }}`. Throws a Fault that begins with `where` for what cannot be right; what was not measured is a value. */
  value(text: string, where: string): Value {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const value = this.#value(parseNode(text, where), where);
    this.#values.set(text, value);
    return value;
  }

  /** The branches that a question can lead to. */
  outcomes(question: string, where: string): readonly string[] {
    const asked = this.#question(question, where);
    switch (asked.name) {
      case "compare": return ["less", "more", "tied", "missing"];
      case "verdict": return verdictWords;
      case "known": return ["yes", "missing"];
      case "basis": return ["native", "emulated", "dilated", "simulated", "missing"];
      default: return [...this.#levels(textArgument(asked.args, 0, "a factor", where), asked.args[1], where), "tied", "missing"];
    }
  }

  /** The branch that the data lead to. */
  ask(question: string, where: string): string {
    const { name, args } = this.#question(question, where);
    if (name === "compare") return this.#compare(args, where);
    if (name === "verdict") return this.#verdict(textArgument(args, 0, "a claim's id", where), where).verdict;
    if (name === "known") return this.#value(args[0]!, where).kind === "missing" ? "missing" : "yes";
    const value = name === "basis" ? this.#value(args[0]!, where) : this.#extreme(name, args, where);
    if (value.kind === "missing") return "missing";
    if (value.kind === "text") return value.names.length === 1 ? value.names[0]! : "tied";
    return value.origin.kind === "measured" ? value.origin.estimate.basis : "missing";
  }

  #question(text: string, where: string): { name: string; args: readonly MathNode[] } {
    const asked = call(parseNode(text, where));
    const needs: Record<string, number> = { compare: 2, verdict: 1, known: 1, basis: 1, lowest: 2, highest: 2 };
    if (asked === undefined || !Object.hasOwn(needs, asked.name)) throw new Fault(`${where}: "${text}" is not a question: ask compare(a, b), verdict("id"), known(x), basis(x), lowest("factor", x) or highest("factor", x)`);
    if (asked.args.length !== needs[asked.name]) throw new Fault(`${where}: ${asked.name} takes ${needs[asked.name] === 1 ? "one argument" : "two arguments"}, not "${text}"`);
    return asked;
  }

  #value(node: MathNode, where: string): Value {
    const asked = call(node);
    const special = asked === undefined ? undefined : this.#special(asked.name, asked.args, where);
    if (special !== undefined) return special;
    return this.#computed(node, where);
  }

  #special(name: string, args: readonly MathNode[], where: string): Value | undefined {
    switch (name) {
      case "claim":
      case "claim_low":
      case "claim_high": return this.#published(name, this.#expander.claim(textArgument(args, 0, "a claim's id", where), where), where);
      case "condition": return this.#condition(this.#expander.claim(textArgument(args, 0, "a claim's id", where), where), textArgument(args, 1, "a condition's name", where), where);
      case "measured":
      case "ratio": return this.#measured(this.#verdict(textArgument(args, 0, "a claim's id", where), where));
      case "verdict": {
        const { claim, verdict } = this.#verdict(textArgument(args, 0, "a claim's id", where), where);
        return { kind: "text", names: [verdict], factor: "verdict", origin: { kind: "counted", what: claim } };
      }
      case "verdicts": return this.#count(args, where);
      case "low":
      case "high":
      case "rounds": return this.#part(name, args, where);
      case "exact": return this.#exact(args, where);
      case "fact": return this.#fact(args, where);
      case "lowest":
      case "highest": return this.#extreme(name, args, where);
      default: return undefined;
    }
  }

  #verdict(id: string, where: string): Verdict {
    return this.#verdicts.get(this.#expander.claim(id, where).id)!;
  }

  #published(name: string, claim: Claim, where: string): Value {
    const origin: Origin = { kind: "published", claim: claim.id, where: claim.where };
    const value = publishedNumber(claim, name);
    if (value !== undefined) return { kind: "number", value, unit: claim.unit ?? "1", origin };
    if (typeof claim.value === "string") return { kind: "text", names: [claim.value], origin };
    throw new Fault(`${where}: the claim "${claim.id}" publishes no figure`);
  }

  #condition(claim: Claim, name: string, where: string): Value {
    const value = claim.conditions?.[name];
    if (value === undefined) throw new Fault(`${where}: the claim "${claim.id}" has no condition "${name}": ${near(name, Object.keys(claim.conditions ?? {}))}`);
    const origin: Origin = { kind: "condition", claim: claim.id, where: claim.where };
    return typeof value === "number" ? { kind: "number", value, unit: "1", origin } : { kind: "text", names: [String(value)], origin };
  }

  #measured({ claim, measured, reason }: Verdict): Value {
    return measured === undefined ? missing(reason) : fromEstimate(measured, claim);
  }

  #count(args: readonly MathNode[], where: string): Value {
    const words = args.map((_, index) => textArgument(args, index, "a verdict", where));
    const unknown = words.find((word) => !(verdictWords as readonly string[]).includes(word));
    if (unknown !== undefined) throw new Fault(`${where}: no verdict is called "${unknown}": ${near(unknown, verdictWords)}`);
    const all = [...this.#verdicts.values()];
    const value = words.length === 0 ? all.length : all.filter((row) => words.includes(row.verdict)).length;
    return { kind: "number", value, unit: "1", origin: { kind: "counted", what: words.join(", ") } };
  }

  #part(name: "low" | "high" | "rounds", args: readonly MathNode[], where: string): Value {
    if (args.length !== 1) throw new Fault(`${where}: ${name} takes one expression`);
    const value = this.#value(args[0]!, where);
    if (value.kind === "missing") return value;
    if (value.kind !== "number" || value.origin.kind !== "measured") throw new Fault(`${where}: ${name}(${args[0]!.toString()}): only what is measured has an interval`);
    const { estimate } = value.origin;
    const part = name === "rounds" ? estimate.n : estimate[name];
    return { kind: "number", value: part, unit: name === "rounds" ? "1" : value.unit, origin: value.origin };
  }

  /** A count that is the same in every round, such as the bytes of a request: one round is enough to know it. */
  #exact(args: readonly MathNode[], where: string): Value {
    if (args.length !== 1) throw new Fault(`${where}: exact takes one expression`);
    const value = this.#value(args[0]!, where);
    if (value.kind !== "number") return value;
    const { n: _, ...counted } = value;
    return counted;
  }

  #fact(args: readonly MathNode[], where: string): Value {
    const name = textArgument(args, 0, "a fact's name", where);
    const levels = this.#expander.expand(mathematics().parse(`failed(${args.slice(1).map((arg) => arg.toString()).join(", ")})`), where);
    const { experiment = this.#expander.defaultExperiment } = levels;
    const parsed = Object.fromEntries(call(mathematics().parse(levels.expression))!.args.map((arg) => {
      const { object, value } = arg as MathNode & { object: { name: string }; value: { value: string | number } };
      return [object.name, value.value];
    }));
    const { values } = facts(this.#evidence, experiment, name, parsed);
    if (values.length === 0) return missing(`no whole attempt has recorded its ${name}`);
    return { kind: "text", names: values, origin: { kind: "fact", name, run: this.#evidence.run ?? "" } };
  }

  /** The levels of a factor that the experiment of an expression has. */
  #levels(factor: string, node: MathNode | undefined, where: string): readonly string[] {
    const experiment = (node === undefined ? undefined : this.#expander.expand(node, where).experiment) ?? this.#expander.defaultExperiment;
    const factors = this.#evidence.factors[experiment];
    if (factors === undefined) return [];
    const levels = factors[factor];
    if (levels === undefined) throw new Fault(`${where}: the experiment ${experiment} has no factor "${factor}": it has ${Object.keys(factors).join(", ")}`);
    return levels.map(String);
  }

  /** The level with the smallest or largest estimate, with all those whose intervals overlap its own. */
  #extreme(name: string, args: readonly MathNode[], where: string): Value {
    const factor = textArgument(args, 0, "a factor", where);
    const node = args[1];
    if (node === undefined) throw new Fault(`${where}: ${name} takes a factor and an expression`);
    const experiment = this.#expander.expand(node, where, {}).experiment ?? this.#expander.defaultExperiment;
    const found = (this.#evidence.factors[experiment]?.[factor] ?? []).flatMap((level) => {
      const expanded = this.#expander.expand(node, where, { [factor]: level });
      const result = this.#answer(experiment, expanded.expression, where);
      return "estimate" in result ? [{ level: String(level), estimate: result.estimate }] : [];
    });
    const sign = name === "lowest" ? 1 : -1;
    found.sort((a, b) => sign * (a.estimate.value - b.estimate.value));
    const best = found[0];
    if (best === undefined) return missing(`nothing was measured for ${node.toString()}`);
    const [from, to] = bounds(best.estimate);
    const overlapping = found.filter(({ estimate }) => {
      const [low, high] = bounds(estimate);
      return low <= to && high >= from;
    });
    return { kind: "text", names: overlapping.map(({ level }) => level), factor, origin: { kind: "measured", estimate: best.estimate } };
  }

  #compare(args: readonly MathNode[], where: string): string {
    const [a, b] = args.map((arg) => this.#value(arg, where)) as [Value, Value];
    if (a.kind === "missing" || b.kind === "missing") return "missing";
    if (a.kind !== "number" || b.kind !== "number") throw new Fault(`${where}: compare takes two figures, not "${args.map((arg) => arg.toString()).join(", ")}"`);
    if (a.unit !== b.unit && a.unit !== "1" && b.unit !== "1") throw new Fault(`${where}: compare(${args.map((arg) => arg.toString()).join(", ")}): one is in ${a.unit}, the other in ${b.unit}`);
    const difference = paired(a, b) ? this.#difference(args[0]!, args[1]!, where) : undefined;
    const [[low, high], [from, to]] = difference === undefined ? [bounds(a), bounds(b)] : [bounds(difference), [0, 0]];
    if (high < from) return "less";
    return low > to ? "more" : "tied";
  }

  /** A less B, round by round; undefined when no round holds both. */
  #difference(a: MathNode, b: MathNode, where: string): Located | undefined {
    const { ParenthesisNode: Parenthesis, OperatorNode: Operator } = mathematics();
    const value = this.#computed(new Operator("-", "subtract", [new Parenthesis(a), new Parenthesis(b)]), where);
    return value.kind === "number" ? value : undefined;
  }

  #computed(node: MathNode, where: string): Value {
    const { expression, experiment } = this.#expander.expand(node, where);
    if (experiment === undefined) {
      const quantity = this.#within(where, () => mathematics().evaluate(expression) as Quantity);
      const unit = this.#within(where, () => unitOf(quantity));
      return { kind: "number", value: numberIn(quantity, unit), unit, origin: { kind: "computed", expression: node.toString() } };
    }
    const result = this.#answer(experiment, expression, where);
    return "missing" in result ? missing(result.missing) : fromEstimate(result.estimate);
  }

  #answer(experiment: string, expression: string, where: string): ReturnType<typeof answer> {
    return this.#within(where, () => answer(this.#evidence, experiment, expression, {}));
  }

  /** Faults of the estimators, and errors of mathjs, told with the place in the template. */
  #within<T>(where: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new Fault(`${where}: ${(error as Error).message}`);
    }
  }
}

type Measured = Extract<Value, { kind: "number" }>;

/** Whether two figures were read in the same rounds, so that their difference can be taken in each. */
function paired(a: Measured, b: Measured): boolean {
  if (a.origin.kind !== "measured" || b.origin.kind !== "measured" || a.n === undefined || b.n === undefined) return false;
  return a.unit === b.unit && a.origin.estimate.experiment === b.origin.estimate.experiment && a.origin.estimate.basis === b.origin.estimate.basis;
}

/** Where a figure may lie. One round or seed says nothing about the next: it bounds nothing. */
function bounds({ value, low, high, n }: Located): readonly [number, number] {
  return n === 1 ? [-Infinity, Infinity] : [low ?? value, high ?? value];
}

function fromEstimate(estimate: Estimate, claim?: string): Value {
  const { value, low, high, n, unit } = estimate;
  return { kind: "number", value, low, high, n, unit, origin: { kind: "measured", estimate, ...(claim === undefined ? {} : { claim }) } };
}
