import type { Estimate } from "../stats/estimate.js";

/** Words and number format of a reader's language, as the article's locale files give them. */
export interface ChartLocale {
  /** BCP 47: `en`, `es`, `hi`. */
  readonly tag: string;
  /** The word for a key such as `server.go`, `axis.instructions`; a missing key is an error that names it. */
  text(key: string): string;
  /** A number for a label, in the locale's digits and grouping. */
  number(value: number, options?: Intl.NumberFormatOptions): string;
}

/** A chart: a pure function of rows and locale. One file in `pipeline/charts/` exports one as default. */
export interface Figure {
  readonly id: string;
  /** Which estimates it draws. An empty selection draws nothing and the article says so. */
  select(estimates: readonly Estimate[]): readonly Estimate[];
  /** A standalone SVG without script, colours by CSS custom properties with fallbacks, so that light and dark both read. */
  draw(rows: readonly Estimate[], locale: ChartLocale): Promise<string>;
  /** The data table behind it, in the reader's language. */
  table(rows: readonly Estimate[], locale: ChartLocale): { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
}
