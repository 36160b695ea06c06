import { answer, type Evidence } from "../claims/evidence.js";

/** A figure of a page that the samples do not give. */
export interface Mismatch {
  readonly file: string;
  /** The id of the figure on the page. */
  readonly figure: string;
  readonly shown: string;
  readonly computed: string;
}

/**
 * Computes every measured figure of a page again from the raw samples and compares value, interval and n, digit for digit.
 *
 * @returns how many figures were compared, and those that differ
 */
export async function verifyPage(html: string, file: string, evidence: Evidence): Promise<{ readonly compared: number; readonly mismatches: readonly Mismatch[] }> {
  const { JSDOM } = await import("jsdom");
  const figures = [...new JSDOM(html).window.document.querySelectorAll<HTMLElement>('data[data-kind="measured"]')];
  const mismatches = figures.flatMap((element) => {
    const { experiment = "", expression = "", factors = "{}", estimate, low, high, n } = element.dataset;
    const result = answer(evidence, experiment, expression, JSON.parse(factors) as Record<string, string | number>);
    const shown = [estimate, low, high, n].join(" ");
    const computed = "missing" in result ? result.missing : [result.estimate.value, result.estimate.low, result.estimate.high, result.estimate.n].join(" ");
    return shown === computed ? [] : [{ file, figure: element.id, shown, computed }];
  });
  return { compared: figures.length, mismatches };
}
