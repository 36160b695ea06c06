import type { Markish } from "@observablehq/plot";
import type { Frame } from "./frame.js";
import { fontFamily, paint, roundCoordinates, type } from "./style.js";
import type { Axis } from "./vega.js";

/** What draws with Plot: given the library, loaded only now, returns its marks. Vertical places are those of the frame's lanes. */
export type Marks = (Plot: typeof import("@observablehq/plot")) => Markish[];

/** The marks of a Plot figure that fills the frame, as SVG elements without the root. */
export async function drawWithPlot(frame: Frame, axis: Axis, marks: Marks): Promise<string> {
  const [Plot, { JSDOM }] = await Promise.all([import("@observablehq/plot"), import("jsdom")]);
  const { document } = new JSDOM("").window;
  const bottom = frame.height - frame.bottom;
  const furniture: Markish[] = [
    Plot.ruleX(axis.values, { stroke: paint("chart-grid"), y1: frame.top, y2: bottom }),
    Plot.text(axis.values, { x: (value: number) => value, y: bottom + 12, text: (value: number) => axis.label(value), fill: paint("chart-muted"), fontSize: type.tick }),
  ];
  const svg = Plot.plot({
    document,
    className: "marks",
    style: { fontFamily },
    width: frame.width,
    height: frame.height,
    marginLeft: frame.left,
    marginRight: frame.right,
    marginTop: frame.top,
    marginBottom: frame.bottom,
    x: { axis: null, domain: [0, axis.largest] },
    y: { axis: null, type: "identity" },
    marks: [...furniture, ...marks(Plot)],
  });
  for (const style of svg.querySelectorAll("style")) style.remove();
  for (const node of svg.querySelectorAll("[aria-label]")) node.removeAttribute("aria-label");
  // Marks inherit from the root what they do not say themselves.
  return `<g text-anchor="middle">${roundCoordinates(svg.innerHTML)}</g>`;
}
