import type { Estimate } from "../stats/estimate.js";

/** Words and number format of a reader's language, as the article's locale files give them. */
export interface ChartLocale {
  /** BCP 47: `en`, `es`, `hi`. */
  readonly tag: string;
  /** The word for a key such as `chart.server.go`, `chart.axis.instructions`; a missing key is an error that names it. */
  text(key: string): string;
  /** A number for a label, in the locale's digits and grouping. */
  number(value: number, options?: Intl.NumberFormatOptions): string;
}

/** `narrow` is 360 units wide and reads on a phone, `wide` is 680 and fills a column of text. A page carries both and shows one. */
export type Layout = "narrow" | "wide";

/** The data behind a figure, in the reader's language. Every row has as many cells as there are columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A chart: a pure function of rows and locale. One file in `pipeline/charts/` exports one as default. */
export interface Figure {
  readonly id: string;
  /** Which estimates it draws. An empty selection draws nothing and the article says so. */
  select(estimates: readonly Estimate[]): readonly Estimate[];
  /**
   * A standalone SVG without script, colours by CSS custom properties with fallbacks, so that light and dark both read.
   * The same arguments give the same bytes. `layout` is `narrow` when left out.
   */
  draw(rows: readonly Estimate[], locale: ChartLocale, layout?: Layout): Promise<string>;
  /** The data table behind it, in the reader's language. */
  table(rows: readonly Estimate[], locale: ChartLocale): Table;
}
