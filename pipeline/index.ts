/** What notebooks and other programs import as `nullius`. */
export { Fault } from "./fault.js";
export type { Attempt, Basis, Cell, Digest, Failure, Reading } from "./store/attempt.js";
export type { Estimate } from "./stats/estimate.js";
export type { Claim, Measure } from "./claims/claim.js";
export type { Verdict, VerdictWord } from "./claims/verdict.js";
export type { Availability, Command, Lab, LoaderReport, Measurement, Placement, Trial } from "./hosts/trial.js";
export type { Block, Experiment, Factors, Profile } from "./experiments/experiment.js";
export type { ChartLocale, Figure } from "./charts/figure.js";
export { cellEstimates, evaluate, Unmeasured } from "./stats/index.js";
export { measure, profileNamed, type Measured, type MeasureOptions } from "./experiments/index.js";
export { experiments, experimentsNamed } from "./experiments/running/registry.js";
export { progressLine, type Progress } from "./experiments/running/progress.js";
export { query, type QueryOptions, type Row } from "./store/query.js";
export { allRuns, publishedRun, samplesOf, type Run } from "./store/run.js";
export type { Manifest, Unavailable } from "./store/manifest.js";
export type { Sample } from "./store/sample.js";
export { figure, table } from "./notebooks/show.js";
export { compare, sentences, type Comparison, type CompareOptions } from "./notebooks/compare.js";
