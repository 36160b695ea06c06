import acceptCputime from "./accept-cputime.js";
import acceptInstructions from "./accept-instructions.js";
import acceptSilent from "./accept-silent.js";
import acceptUserKernel from "./accept-user-kernel.js";
import chainEnters from "./chain-enters.js";
import type { Figure } from "./figure.js";
import verdicts from "./verdicts.js";
import zapFrame from "./zap-frame.js";
import zapRecord from "./zap-record.js";

/** Every figure by its id. */
export const figures: Readonly<Record<string, Figure>> = Object.fromEntries(
  [acceptInstructions, acceptUserKernel, acceptCputime, acceptSilent, chainEnters, verdicts, zapFrame, zapRecord].map((figure) => [figure.id, figure]),
);

export { publishedRows, verdictRows } from "./select.js";
export { resolveColours, standalone } from "./style.js";
