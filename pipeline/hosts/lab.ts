import { cputimeAvailable, measureCputime, nativeInputs } from "../meters/cputime.js";
import { measurePerf, perfAvailable } from "../meters/perf.js";
import type { Availability, Lab, Placement } from "./trial.js";

/** Loaded when first asked for: a native measurement has no need of it. */
const emulator = (): Promise<typeof import("../meters/emulator.js")> => import("../meters/emulator.js");

/** The real lab: this machine and its emulator, by the wall clock. `log` takes a line for the run's log. */
export function lab(log: (line: string) => void = () => {}): Lab {
  return {
    async available(placement: Placement): Promise<Availability> {
      switch (placement.meter) {
        case "emulator": return (await emulator()).emulatorAvailable(placement);
        case "cputime": return cputimeAvailable();
        case "perf": return perfAvailable();
      }
    },
    async inputs(trial) {
      return trial.placement.meter === "emulator" ? (await emulator()).emulatorInputs(trial) : nativeInputs(trial);
    },
    async measure(trial, seed, signal) {
      switch (trial.placement.meter) {
        case "emulator": return (await emulator()).measureEmulated(trial, seed, signal);
        case "cputime": return measureCputime(trial, seed, signal);
        case "perf": return measurePerf(trial, seed, signal);
      }
    },
    now: () => new Date(),
    log,
  };
}
