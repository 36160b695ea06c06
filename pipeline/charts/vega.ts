import type { TopLevelSpec } from "vega-lite";
import type { Frame } from "./frame.js";
import { fontFamily, paint, roundCoordinates, type } from "./style.js";

/** One layer of a Vega-Lite view. Its `x` needs a field only; its vertical places are those of the frame's lanes: encode them with `scale: null`. */
export interface Layer {
  readonly data: { readonly values: readonly object[] };
  readonly mark: Readonly<Record<string, unknown>>;
  readonly encoding: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A horizontal axis from zero: how far it goes, where its ticks are, and what is written at each. */
export interface Axis {
  readonly largest: number;
  readonly values: readonly number[];
  label(value: number): string;
}

/**
 * The marks of a Vega-Lite view that fills the frame, as SVG elements without the root.
 *
 * Vega and Vega-Lite are loaded here and not at the top: vega's modules await while they load, which the notebook kernel's `require` refuses.
 */
export async function drawWithVega(frame: Frame, axis: Axis, layers: readonly Layer[]): Promise<string> {
  const [{ parse, View }, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  const height = frame.height - frame.top - frame.bottom;
  const labels = JSON.stringify(Object.fromEntries(axis.values.map((value) => [value, axis.label(value)])));
  const across = {
    type: "quantitative",
    scale: { domain: [0, axis.largest], nice: false },
    axis: { values: axis.values, labelExpr: `(${labels})[datum.value]`, title: null },
  };
  const spec = {
    background: null,
    width: frame.width - frame.left - frame.right,
    height,
    // Lanes are measured from the top of the drawing, the view from the top of the plot.
    padding: { left: frame.left, right: frame.right, top: frame.top, bottom: frame.bottom },
    autosize: { type: "none" },
    layer: layers.map((layer) => ({ ...layer, encoding: { ...layer.encoding, x: { ...layer.encoding["x"], ...across } } })),
    config: {
      aria: false,
      font: fontFamily,
      view: { stroke: null },
      axis: {
        domain: false, ticks: false, gridColor: paint("chart-grid"), gridWidth: 1, labelColor: paint("chart-muted"), labelFontSize: type.tick,
        labelLimit: 0, labelPadding: 6, labelOverlap: false, labelFlush: false, zindex: 0,
      },
    },
  };
  const view = new View(parse(compile(spec as unknown as TopLevelSpec).spec), { renderer: "none" });
  try {
    return roundCoordinates(clean(await view.toSVG()));
  } finally {
    view.finalize();
  }
}

/** Vega's picture without its root and without what describes vega's scene graph and not the figure. */
function clean(svg: string): string {
  return svg
    .replace(/^<svg[^>]*>/, "")
    .replace(/<\/svg>\s*$/, "")
    .replace(/<path class="(?:background|foreground)"[^>]*\/>/g, "")
    .replace(/ (?:class|role|aria-[a-z]+|pointer-events)="[^"]*"/g, "");
}
