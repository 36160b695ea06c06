export { cellEstimates } from "./cells.js";
export type { Estimate } from "./estimate.js";
export { evaluate, Unmeasured, type EvaluateOptions } from "./evaluate.js";
export { halfWidth, interval, type Interval } from "./interval.js";
export type { Sample } from "../store/sample.js";
