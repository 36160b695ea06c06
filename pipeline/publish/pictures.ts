import { colours, standalone } from "../charts/style.js";
import { sha256, type Output } from "./output.js";

/** A chart of an article's page as a file of its own. */
export interface Picture {
  /** The id of its figure: the same in every language. */
  readonly id: string;
  readonly svg: string;
}

/** Where a site has the picture of a chart: beside the page that shows it. */
export function picturePath(article: string, tag: string, id: string): string {
  return `${article}/${tag}/${id}.svg`;
}

/** The charts of a page in the wide layout, for readers that are no page of ours: feeds, blogs, books. Nothing is drawn again. */
export function picturesOf(html: string): Picture[] {
  const figures = html.matchAll(/<figure id="([^"]+)" class="chart" data-chart="[^"]+">\n<div class="plot narrow">(<svg[\s\S]*?<\/svg>)\s*<\/div>\n<div class="plot wide">(<svg[\s\S]*?<\/svg>)/g);
  return [...figures].map(([, id, narrow, wide]) => ({ id: id!, svg: pictureFile(wide!, /<desc [\s\S]*?<\/desc>/.exec(narrow!)?.[0] ?? "") }));
}

/** Pictures as files of the site. */
export function pictureOutputs(article: string, tag: string, html: string): Output[] {
  return picturesOf(html).map(({ id, svg }) => ({ path: picturePath(article, tag, id), article, locale: tag, inputs: { "the chart": sha256(svg) }, make: async () => svg }));
}

/** What a page need not say of an SVG inside it, said again: the name space, the colours, and the description that stands in the narrow layout. */
function pictureFile(svg: string, description: string): string {
  const coloured = svg.replaceAll(/var\(--([a-z0-9-]+)\)/g, (whole, name: string) => (name in colours ? `var(--${name}, ${colours[name as keyof typeof colours].light})` : whole));
  // HTML's one entity that XML does not know: a space that French and Spanish put before a percent sign.
  return `${standalone(coloured.replaceAll("&nbsp;", "&#160;").replace(/^<svg/, '<svg xmlns="http://www.w3.org/2000/svg"')).replace(/(<\/style>)/, `$1${description}`)}\n`;
}
