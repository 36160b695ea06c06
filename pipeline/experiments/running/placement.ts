import { Fault } from "../../fault.js";
import type { EmulatedPlacement, NativePlacement } from "../../hosts/trial.js";
import type { Cell } from "../../store/attempt.js";

const meters = ["emulator", "cputime", "perf"] as const;

/**
 * Where a cell with the factors meter, kernel, architecture and scheduling is measured.
 *
 * @throws Fault for an unknown meter, and for a native meter on a kernel or architecture other than `host`
 */
export function placementOf(cell: Cell): EmulatedPlacement | NativePlacement {
  const { meter, kernel, architecture, scheduling } = cell;
  if (meter === "emulator") {
    if (architecture !== "amd64" && architecture !== "arm64") throw new Fault(`unknown architecture "${architecture}" of an emulated cell; known are amd64, arm64`);
    if (scheduling !== "equal" && scheduling !== "ordinary") throw new Fault(`unknown scheduling "${scheduling}"; known are equal, ordinary`);
    return { meter, kernel: String(kernel), architecture, scheduling };
  }
  if (meter !== "cputime" && meter !== "perf") throw new Fault(`unknown meter "${meter}"; known are ${meters.join(", ")}`);
  if (kernel !== "host" || architecture !== "host") throw new Fault(`meter "${meter}" reads this machine: give it kernel "host" and architecture "host", not "${kernel}" and "${architecture}"`);
  return { meter };
}
