import { near } from "../claims/near.js";
import { Fault } from "../fault.js";
import { Figures } from "./figures.js";
import type { Locale } from "./locale.js";
import type { Scope } from "./scope.js";
import type { Block, Template } from "./template.js";
import { place, type Branch, type Segment } from "./text.js";

/** Checks that every expression, format, question and branch of a template makes sense, those that today's data do not reach too. */
export function checkTemplate(template: Template, scope: Scope, locale: Locale): void {
  const checker = new Checker(scope, new Figures(locale), template.file);
  checker.check([...template.title, ...template.description]);
  for (const block of template.blocks) checker.checkBlock(block);
}

class Checker {
  readonly #scope: Scope;
  readonly #figures: Figures;
  readonly #file: string;

  constructor(scope: Scope, figures: Figures, file: string) {
    this.#scope = scope;
    this.#figures = figures;
    this.#file = file;
  }

  checkBlock(block: Block): void {
    if (block.kind !== "choose") return this.check(block.content);
    this.#checkBranches(block.question, block.branches, place(this.#file, block.line));
    for (const branch of block.branches) {
      for (const inner of branch.content) {
        if (inner.kind === "choose") throw new Fault(`${place(this.#file, inner.line)}: a choose inside a choose: use {? ... ?} inside the branch, or a choose of its own`);
        this.checkBlock(inner);
      }
    }
  }

  /** Evaluates what the data may not reach today, so that a mistake there is found today. */
  check(segments: readonly Segment[]): void {
    for (const segment of segments) {
      const where = place(this.#file, segment.line);
      if (segment.kind === "value") this.#figures.show(this.#scope.value(segment.expression, where), segment.format, where);
      if (segment.kind !== "choice") continue;
      this.#checkBranches(segment.question, segment.branches, where);
      for (const branch of segment.branches) this.check(branch.content);
    }
  }

  #checkBranches(question: string, branches: readonly Branch<unknown>[], where: string): void {
    const outcomes = this.#scope.outcomes(question, where);
    this.#scope.ask(question, where);
    const labels = branches.flatMap((branch) => branch.labels.map((label) => ({ label, line: branch.line })));
    for (const { label, line } of labels) {
      if (label !== "otherwise" && !outcomes.includes(label)) throw new Fault(`${place(this.#file, line)}: "${label}" is no answer to ${question}: ${near(label, [...outcomes, "otherwise"])}`);
    }
    const said = labels.map(({ label }) => label);
    const doubled = said.find((label, index) => said.indexOf(label) !== index);
    if (doubled !== undefined) throw new Fault(`${where}: ${question} has two branches for "${doubled}"`);
    if (said.includes("otherwise")) return;
    const lacking = outcomes.filter((outcome) => !said.includes(outcome));
    if (lacking.length > 0) throw new Fault(`${where}: ${question} has no branch for ${lacking.map((label) => `"${label}"`).join(", ")}: add it, or otherwise`);
  }
}
