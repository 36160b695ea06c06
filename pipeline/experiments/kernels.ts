import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import accept from "./accept.js";
import type { Experiment, Factors } from "./experiment.js";

const factors = {
  /** `accept4` is the library's backend of system calls, `engine` the one it chooses on the kernel it finds. */
  server: ["go", "vanilla", "epoll", "accept4", "engine", "six-techniques"],
  meter: ["emulator"],
  /** Debian's cloud kernels: of its releases, and of the backports of the last. */
  kernel: ["5.10", "6.1", "6.12", "6.16", "6.17", "6.18", "6.19", "7.0", "7.1", "7.2", "7.3"],
  architecture: ["amd64", "arm64"],
  scheduling: ["equal"],
} as const satisfies Factors;

/** The same contract and the same load as `accept`, on one kernel after the other: what does a new kernel cost or spare each server? */
const kernels: Experiment = {
  id: "kernels",
  version: 1,
  question: "What does a short connection cost each server on each kernel from 5.10 to the newest, and at which kernel does it change?",
  factors,
  profiles: {
    quick: [{ levels: { ...factors, server: ["engine", "epoll"], kernel: ["6.1", "6.12"], architecture: ["amd64"] }, rounds: 1 }],
    standard: [{ levels: { ...factors, architecture: ["amd64"] }, rounds: 2 }],
    full: [{ levels: factors, rounds: 3 }],
  },
  trial(cell: Cell): Trial {
    return accept.trial({ ...cell, silent: 0 });
  },
};

export default kernels;
