import { join } from "node:path";
import { inProject } from "../root.js";

/** Where data lies: `data` in the project, or the folder that `NULLIUS_DATA` names. Read on each call, so that a test may set it. */
export function dataFolder(...parts: string[]): string {
  return join(process.env["NULLIUS_DATA"] ?? inProject("data"), ...parts);
}
