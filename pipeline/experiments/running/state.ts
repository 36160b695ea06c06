import { halfWidth } from "../../stats/interval.js";
import type { Attempt } from "../../store/attempt.js";
import { attemptKey, cellKey } from "../../store/sample.js";
import type { Item, Plan } from "./plan.js";

/** How often one attempt is tried before its failure stands. */
const tries = 2;

/** What stands of a plan: which attempts were made, and which are still to be made. */
export class State {
  readonly #attempts = new Map<string, Attempt[]>();
  readonly #plan: Plan;

  constructor(plan: Plan, attempts: readonly Attempt[]) {
    this.#plan = plan;
    for (const attempt of attempts) this.add(attempt);
  }

  add(attempt: Attempt): void {
    const key = attemptKey(attempt);
    (this.#attempts.get(key) ?? this.#attempts.set(key, []).get(key)!).push(attempt);
  }

  /** A whole attempt stands, or as many failed ones as are tried. */
  stands(item: Item): boolean {
    const attempts = this.#attempts.get(item.key) ?? [];
    return attempts.length >= tries || attempts.some((a) => a.failed === undefined);
  }

  /** Whether the item must be measured now: a planned round that does not stand, or a further one whose rule is not met before it. */
  needs(item: Item): boolean {
    return !this.stands(item) && (item.rule === undefined || !this.#met(item));
  }

  /** Everything that stands or will be asked for, for the count of progress. */
  planned(): Item[] {
    return [...this.#plan.native, ...this.#plan.emulated].filter((item) => item.rule === undefined || this.stands(item));
  }

  missing(): Item[] {
    return [...this.#plan.native, ...this.#plan.emulated].filter((item) => this.needs(item));
  }

  /** True when in the rounds before this one every cell of the group is known closely enough. */
  #met(item: Item): boolean {
    const { metric, within, group } = item.rule!;
    const cells = new Map<string, number[]>();
    for (const other of this.#plan.native) {
      if (other.round >= item.round || !inGroup(this.#plan, other, group)) continue;
      const whole = this.#attempts.get(other.key)?.find((a) => a.failed === undefined);
      const value = whole?.metrics[metric]?.value;
      const key = `${other.experiment.id} ${cellKey(other.cell)}`;
      const values = cells.get(key) ?? cells.set(key, []).get(key)!;
      if (value !== undefined) values.push(value);
    }
    // A cell that never succeeds would keep its group going for nothing.
    return [...cells.values()].every((values) => values.length === 0 || halfWidth(values) <= within);
  }
}

/** The cells of a group are those with further rounds under its rule. */
function inGroup(plan: Plan, item: Item, group: string): boolean {
  return groupsOf(plan).get(`${item.experiment.id} ${cellKey(item.cell)}`) === group;
}

const memory = new WeakMap<Plan, Map<string, string>>();

function groupsOf(plan: Plan): Map<string, string> {
  const known = memory.get(plan);
  if (known !== undefined) return known;
  const groups = new Map(plan.native.flatMap((item) => (item.rule === undefined ? [] : [[`${item.experiment.id} ${cellKey(item.cell)}`, item.rule.group] as const])));
  memory.set(plan, groups);
  return groups;
}
