import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "../../fault.js";
import type { Experiment } from "../experiment.js";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));

/** Every experiment: each module of `pipeline/experiments/` that exports one as default. A new file there is all it takes. */
export async function experiments(): Promise<Experiment[]> {
  const modules = await Promise.all(readdirSync(folder).filter((name) => name.endsWith(".js")).sort().map((name) => import(`../${name}`) as Promise<{ default?: Experiment }>));
  return modules.flatMap((module) => (module.default === undefined ? [] : [module.default]));
}

/**
 * The experiments of these names, all for none.
 *
 * @throws Fault for an unknown name; it lists the known
 */
export async function experimentsNamed(names: readonly string[]): Promise<Experiment[]> {
  const all = await experiments();
  if (names.length === 0) return all;
  return [...new Set(names)].map((name) => {
    const found = all.find((experiment) => experiment.id === name);
    if (found === undefined) throw new Fault(`unknown experiment "${name}"; known are ${all.map((e) => e.id).join(", ")}`);
    return found;
  });
}
