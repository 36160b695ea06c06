import { gather } from "../claims/gather.js";
import { Fault } from "../fault.js";
import { writeReadme } from "../publish/readme.js";
import { root } from "../root.js";
import { referenceRun } from "../store/run.js";

/** `nullius readme`: the README's chart and ledger again, from the committed reference run. */
export async function run(): Promise<number> {
  const reference = referenceRun();
  if (reference === undefined) throw new Fault("data/reference holds no run: the README is written from it, so commit one first");
  const { evidence } = await gather(reference);
  const { figures } = await import("../charts/index.js");
  await writeReadme(root, evidence, figures);
  return 0;
}
