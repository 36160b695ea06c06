import ablationEffects from "./ablation-effects.js";
import ablationLoad from "./ablation-load.js";
import ablationSteps from "./ablation-steps.js";
import acceptCputime from "./accept-cputime.js";
import acceptInstructions from "./accept-instructions.js";
import acceptSilent from "./accept-silent.js";
import acceptUserKernel from "./accept-user-kernel.js";
import bodiesWritev from "./bodies-writev.js";
import chainEnters from "./chain-enters.js";
import clientsCeiling from "./clients-ceiling.js";
import type { Figure } from "./figure.js";
import frameworkTax from "./framework-tax.js";
import kernelsTimeline from "./kernels-timeline.js";
import transportCollections from "./transport-collections.js";
import transportCpu from "./transport-cpu.js";
import transportInstructions from "./transport-instructions.js";
import typedCodecs from "./typed-codecs.js";
import verdicts from "./verdicts.js";
import zapFrame from "./zap-frame.js";
import zapRecord from "./zap-record.js";

/** Every figure by its id. */
export const figures: Readonly<Record<string, Figure>> = Object.fromEntries(
  [
    acceptInstructions, acceptUserKernel, acceptCputime, acceptSilent, chainEnters, verdicts, zapFrame, zapRecord,
    frameworkTax, transportCpu, transportCollections, transportInstructions, bodiesWritev, typedCodecs, clientsCeiling,
    ablationSteps, ablationEffects, ablationLoad, kernelsTimeline,
  ].map((figure) => [figure.id, figure]),
);

export { publishedRows, verdictRows } from "./select.js";
export { resolveColours, standalone } from "./style.js";
