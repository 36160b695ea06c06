import { figures, publishedRows, resolveColours, verdictRows } from "../../build/charts/index.js";
import type { Layout } from "../../build/charts/figure.js";
import type { Estimate } from "../../build/stats/estimate.js";
import { frameRows } from "../../build/wire/rows.js";
import { chartLocale } from "./locale.ts";
import { ablationRows, acceptRows, chainRows, claims, kernelsRows, verdicts } from "./rows.ts";
import { zapRows } from "./zap-rows.ts";

/** Every row of the invented run: each figure selects its own from them. */
export const rows: readonly Estimate[] = [...acceptRows, ...chainRows, ...ablationRows, ...kernelsRows, ...publishedRows(claims), ...verdictRows(verdicts), ...frameRows(), ...zapRows];

function draw(id: string, tag: string, layout: Layout): Promise<string> {
  const figure = figures[id];
  if (figure === undefined) throw new Error(`no figure ${id}`);
  return figure.draw(figure.select(rows), chartLocale(tag), layout);
}

/*
 * Each export is one picture, kept beside as snapshots/NAME.svg. Look at the difference before accepting a new one with UPDATE=1.
 */
export const acceptInstructions = () => draw("accept-instructions", "en", "narrow");
export const acceptInstructionsWide = () => draw("accept-instructions", "es", "wide");
export const acceptInstructionsHindi = () => draw("accept-instructions", "hi", "narrow");
export const acceptInstructionsDark = async () => resolveColours(await draw("accept-instructions", "en", "wide"), "dark");
export const acceptInstructionsUnpublished = async () => {
  const figure = figures["accept-instructions"];
  if (figure === undefined) throw new Error("no figure accept-instructions");
  return figure.draw(figure.select(acceptRows), chartLocale("en"));
};
export const acceptUserKernel = () => draw("accept-user-kernel", "en", "narrow");
export const acceptUserKernelWideHindi = () => draw("accept-user-kernel", "hi", "wide");
export const acceptCputime = () => draw("accept-cputime", "en", "narrow");
export const acceptCputimeWideSpanish = () => draw("accept-cputime", "es", "wide");
export const acceptSilent = () => draw("accept-silent", "en", "narrow");
export const acceptSilentHindi = () => draw("accept-silent", "hi", "wide");
export const chainEnters = () => draw("chain-enters", "en", "narrow");
export const chainEntersWideSpanish = () => draw("chain-enters", "es", "wide");
export const ablationSteps = () => draw("ablation-steps", "en", "narrow");
export const ablationStepsWideHindi = () => draw("ablation-steps", "hi", "wide");
export const ablationEffects = () => draw("ablation-effects", "en", "narrow");
export const ablationEffectsWideSpanish = () => draw("ablation-effects", "es", "wide");
export const ablationLoad = () => draw("ablation-load", "hi", "narrow");
export const ablationLoadWideDark = async () => resolveColours(await draw("ablation-load", "en", "wide"), "dark");
export const kernelsTimeline = () => draw("kernels-timeline", "es", "narrow");
export const kernelsTimelineWideHindi = () => draw("kernels-timeline", "hi", "wide");
export const verdictCounts = () => draw("verdicts", "en", "narrow");
export const verdictCountsWideHindi = () => draw("verdicts", "hi", "wide");
export const zapFrame = () => draw("zap-frame", "en", "narrow");
export const zapFrameWideHindi = () => draw("zap-frame", "hi", "wide");
export const zapRecord = () => draw("zap-record", "es", "narrow");
export const zapRecordWideDark = async () => resolveColours(await draw("zap-record", "en", "wide"), "dark");
export const frameworkTax = () => draw("framework-tax", "en", "narrow");
export const frameworkTaxWideHindi = () => draw("framework-tax", "hi", "wide");
export const transportCpu = () => draw("transport-cpu", "hi", "narrow");
export const transportCpuWideDark = async () => resolveColours(await draw("transport-cpu", "en", "wide"), "dark");
export const transportCollections = () => draw("transport-collections", "en", "narrow");
export const transportCollectionsWideSpanish = () => draw("transport-collections", "es", "wide");
export const transportInstructions = () => draw("transport-instructions", "en", "narrow");
export const transportInstructionsWideHindi = () => draw("transport-instructions", "hi", "wide");
export const bodiesWritev = () => draw("bodies-writev", "es", "narrow");
export const bodiesWritevWide = () => draw("bodies-writev", "en", "wide");
export const typedCodecs = () => draw("typed-codecs", "en", "narrow");
export const typedCodecsHindi = () => draw("typed-codecs", "hi", "narrow");
export const typedCodecsWideSpanish = () => draw("typed-codecs", "es", "wide");
export const clientsCeiling = () => draw("clients-ceiling", "en", "narrow");
export const clientsCeilingWideHindi = () => draw("clients-ceiling", "hi", "wide");
