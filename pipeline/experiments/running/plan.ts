import { createHash } from "node:crypto";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { Fault } from "../../fault.js";
import { isEmulated, type Availability, type Lab, type Placement, type Trial } from "../../hosts/trial.js";
import type { Cell, Digest } from "../../store/attempt.js";
import type { Unavailable } from "../../store/manifest.js";
import { attemptKey, cellKey } from "../../store/sample.js";
import type { Block, Experiment, Factors } from "../experiment.js";

/** When to stop repeating a native cell before the last of its rounds. */
export interface StopRule {
  readonly metric: string;
  readonly within: number;
  /** Cells that go on or stop together, so that their rounds stay paired. */
  readonly group: string;
}

/** One attempt to be made. */
export interface Item {
  readonly experiment: Experiment;
  readonly cell: Cell;
  readonly trial: Trial;
  readonly round: number;
  readonly seed: number;
  readonly order: number;
  readonly inputs: Digest;
  /** What `lab.inputs` promised: the part of `inputs` that does not depend on the experiment. */
  readonly promised: Digest;
  readonly key: string;
  /** A round beyond the planned ones, made only while the rule is not met. */
  readonly rule?: StopRule;
}

/** All that a command asks for, in the order in which it is measured: native cells first, then emulated ones. */
export interface Plan {
  readonly native: readonly Item[];
  readonly emulated: readonly Item[];
  readonly unavailable: readonly Unavailable[];
  /** Over the keys of all planned rounds: two plans of one digest ask for the same attempts on the same inputs. */
  readonly digest: Digest;
}

/** An experiment with the blocks of cells asked of it. */
export interface Request {
  readonly experiment: Experiment;
  readonly blocks: readonly Block[];
}

export function sha256(text: string): Digest {
  return createHash("sha256").update(text).digest("hex");
}

/** The digest stored with an attempt: what the lab promised, under the experiment and its version. */
export function attemptInputs(experiment: Pick<Experiment, "id" | "version">, promised: Digest): Digest {
  return sha256(`${experiment.id} ${experiment.version} ${promised}`);
}

/** Every cell of a product of levels. */
export function product(levels: Factors): Cell[] {
  return Object.entries(levels).reduce<Cell[]>((cells, [factor, its]) => cells.flatMap((cell) => its.map((level) => ({ ...cell, [factor]: level }))), [{}]);
}

interface Planned {
  readonly experiment: Experiment;
  readonly cell: Cell;
  readonly rounds: number;
  readonly most: number;
  readonly rule?: StopRule;
}

/**
 * Lays out all attempts. Round by round the cells are shuffled by the seed, those that cannot be measured here included, so that the
 * order is the same on every machine; round r has seed `seed + r` in every cell.
 */
export async function layOut(requests: readonly Request[], lab: Lab, seed: number): Promise<Plan> {
  const cells = requests.flatMap(cellsOf);
  const here = new Map<string, Promise<Availability>>();
  const available = async (placement: Placement): Promise<Availability> => {
    const key = JSON.stringify(placement);
    return here.get(key) ?? here.set(key, lab.available(placement)).get(key)!;
  };
  const items: Item[] = [];
  const missing: { experiment: string; cell: Cell; reason: string; remedy: string }[] = [];
  const promises = new Map<Planned, Digest>();
  for (const planned of cells) {
    const trial = planned.experiment.trial(planned.cell);
    const answer = await available(trial.placement);
    const promised = answer.available ? await promise(lab, trial) : answer;
    if (typeof promised === "string") promises.set(planned, promised);
    else missing.push({ experiment: planned.experiment.id, cell: planned.cell, reason: promised.reason, remedy: promised.remedy });
  }
  for (const { planned, round, order } of ordered(cells, seed)) {
    const promised = promises.get(planned);
    if (promised === undefined) continue;
    const { experiment, cell } = planned;
    const inputs = attemptInputs(experiment, promised);
    const key = attemptKey({ experiment: experiment.id, cell, seed: seed + round, inputs });
    const item = { experiment, cell, trial: experiment.trial(cell), round, seed: seed + round, order, inputs, promised, key };
    items.push(round < planned.rounds || planned.rule === undefined ? item : { ...item, rule: planned.rule });
  }
  return {
    native: siteBySite(items.filter((item) => !isEmulated(item.trial))),
    emulated: items.filter((item) => isEmulated(item.trial)),
    unavailable: grouped(missing),
    digest: sha256(items.filter((item) => item.rule === undefined).map((item) => item.key).sort().join("\n")),
  };
}

/** The digest of a trial's inputs, or why there is none: a program that could not be built here, an image that could not be fetched. */
async function promise(lab: Lab, trial: Trial): Promise<Digest | { reason: string; remedy: string }> {
  try {
    return await lab.inputs(trial);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const [reason, ...remedy] = error.message.split("; ");
    return { reason: reason!, remedy: remedy.join("; ") };
  }
}

/** A site keeps a guest or a connection between its trials and must not stand by while others are measured: so one site after the other, each in its random order. */
function siteBySite(items: readonly Item[]): Item[] {
  const site = ({ trial: { placement } }: Item): string => (placement.meter === "wire" ? placement.lab : "");
  const sites = [...new Set(items.map(site))].sort();
  return sites.flatMap((name) => items.filter((item) => site(item) === name));
}

/** The cells of all blocks, each once, with the most that any block asks of it. */
function cellsOf({ experiment, blocks }: Request): Planned[] {
  const cells = new Map<string, Planned>();
  blocks.forEach((block, index) => {
    for (const cell of product(block.levels)) {
      const key = cellKey(cell);
      const before = cells.get(key);
      const rounds = Math.max(before?.rounds ?? 0, block.rounds);
      const most = Math.max(before?.most ?? 0, rounds, block.until?.rounds ?? 0);
      const rule = block.until === undefined ? before?.rule : { metric: block.until.metric, within: block.until.within, group: `${experiment.id} ${index}` };
      cells.set(key, { experiment, cell, rounds, most, ...(rule === undefined ? {} : { rule }) });
    }
  });
  return [...cells.values()];
}

function ordered(cells: readonly Planned[], seed: number): { planned: Planned; round: number; order: number }[] {
  const canonical = [...cells].sort((a, b) => (name(a) < name(b) ? -1 : 1));
  const most = Math.max(0, ...cells.map((c) => c.most));
  const line: { planned: Planned; round: number; order: number }[] = [];
  for (let round = 0; round < most; round++) {
    for (const planned of shuffled(canonical, seed + round)) if (round < planned.most) line.push({ planned, round, order: line.length });
  }
  return line;
}

const name = (planned: Planned): string => `${planned.experiment.id} ${cellKey(planned.cell)}`;

/** Fisher and Yates, from the end, by a seeded generator. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  const random = xoroshiro128plus(seed);
  for (let i = result.length - 1; i > 0; i--) {
    const j = uniformInt(random, 0, i);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

function grouped(missing: readonly { experiment: string; cell: Cell; reason: string; remedy: string }[]): Unavailable[] {
  const groups = new Map<string, { experiment: string; reason: string; remedy: string; cells: Cell[] }>();
  for (const { cell, ...rest } of missing) {
    const key = JSON.stringify(rest);
    (groups.get(key) ?? groups.set(key, { ...rest, cells: [] }).get(key)!).cells.push(cell);
  }
  return [...groups.values()];
}
