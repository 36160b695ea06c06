import { cputimeAvailable, measureCputime, nativeInputs } from "../meters/cputime.js";
import { measurePerf, perfAvailable } from "../meters/perf.js";
import { sweepNamespaces } from "./namespace.js";
import { isModel, isWire, type Availability, type Lab, type Placement, type Site, type WirePlacement } from "./trial.js";

/** Loaded when first asked for: a native measurement has no need of it. */
const emulator = (): Promise<typeof import("../meters/emulator.js")> => import("../meters/emulator.js");

type Log = (line: string) => void;

/** The sites that have a link, by the placement's `lab`; loaded when first asked for. */
const links: Partial<Record<WirePlacement["lab"], (log: Log) => Promise<Site>>> = {};

/** The real lab: this machine and its emulator, by the wall clock. What a killed process left of its links is removed first. `log` takes a line for the run's log. */
export function lab(log: Log = () => {}): Lab {
  sweepNamespaces();
  const open = new Map<string, Promise<Site>>();
  const site = ({ lab: name }: WirePlacement): Promise<Site> => {
    const known = open.get(name) ?? links[name]!(log);
    open.set(name, known);
    return known;
  };
  const close = async (kept?: string): Promise<void> => {
    for (const [name, one] of open) if (name !== kept) await (await one).close();
  };
  return {
    async available(placement: Placement): Promise<Availability> {
      switch (placement.meter) {
        case "emulator": return (await emulator()).emulatorAvailable(placement);
        case "cputime": return cputimeAvailable();
        case "perf": return perfAvailable();
        case "wire": return (await site(placement)).available();
        case "model": return { available: true };
      }
    },
    async inputs(trial) {
      if (isWire(trial)) return (await site(trial.placement)).inputs(trial);
      if (isModel(trial)) throw new Error(`unknown model ${trial.model}`);
      return trial.placement.meter === "emulator" ? (await emulator()).emulatorInputs(trial) : nativeInputs(trial);
    },
    async measure(trial, seed, signal) {
      if (isWire(trial)) {
        // No guest of another site may take time from this one.
        await close(trial.placement.lab);
        return (await site(trial.placement)).measure(trial, seed, signal);
      }
      if (isModel(trial)) throw new Error(`unknown model ${trial.model}`);
      switch (trial.placement.meter) {
        case "emulator": return (await emulator()).measureEmulated(trial, seed, signal);
        case "cputime": return measureCputime(trial, seed, signal);
        case "perf": return measurePerf(trial, seed, signal);
      }
    },
    close: () => close(),
    now: () => new Date(),
    log,
  };
}
