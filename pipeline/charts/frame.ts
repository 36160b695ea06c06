import type { ChartLocale, Layout } from "./figure.js";
import { fontFamily, paint, pale, textWidth, type, widths, wrap } from "./style.js";

/** A text outside the plot, placed by us and not by a library: neither measures text without a browser. */
export interface Words {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly anchor?: "start" | "middle" | "end";
  readonly weight?: 400 | 600;
  readonly size?: number;
  readonly fill?: string;
}

/** One entry of the key: what a mark of this shape means. */
export interface KeyEntry {
  readonly shape: "bar" | "pale" | "line" | "diamond" | "ring" | "dot";
  readonly text: string;
}

/** A bar's or a point's place: `top` and `bottom` from the top of the drawing, in SVG units. */
export interface Lane {
  readonly group: string;
  readonly name: string;
  readonly top: number;
  readonly bottom: number;
}

/** Where everything goes: computed before a library draws, so that both put their marks on the same grid. */
export interface Frame {
  readonly layout: Layout;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly lanes: readonly Lane[];
  readonly words: readonly Words[];
  readonly keys: readonly { readonly entry: KeyEntry; readonly x: number; readonly y: number }[];
}

/** A group of lanes with a heading: a server with a lane for each kernel. A lane whose label is empty stands without one. */
export interface Group {
  readonly id: string;
  readonly heading: string;
  readonly lanes: readonly { readonly name: string; readonly label: string }[];
}

/** Room for values written to the right of the longest bar. */
export function roomFor(values: readonly string[]): number {
  return Math.ceil(Math.max(0, ...values.map((value) => textWidth(value, type.value)))) + 10;
}

/** What a layout depends on, beside its width. */
export interface Plan {
  readonly groups: readonly Group[];
  /** Empty: no axis. */
  readonly axisTitle: string;
  readonly keys: readonly KeyEntry[];
  /** Room to the right of the plot for the values written there. */
  readonly rightRoom: number;
  /** Room between key and first group for headings of columns. */
  readonly topRoom?: number;
}

const lane = 20;
const headingHeight = 22;
const gap = { narrow: 9, wide: 14 } as const;

/** The key's entries in as many rows as the width asks for, from `top` down; and the height they take. */
function layKeys(entries: readonly KeyEntry[], width: number, top: number): { keys: Frame["keys"]; height: number } {
  const keys: { entry: KeyEntry; x: number; y: number }[] = [];
  let x = 0;
  let y = top + type.line / 2;
  for (const entry of entries) {
    const room = 24 + textWidth(entry.text, type.note) + 16;
    if (x > 0 && x + room > width) {
      x = 0;
      y += type.line + 3;
    }
    keys.push({ entry, x, y });
    x += room;
  }
  return { keys, height: entries.length === 0 ? 0 : y + type.line / 2 - top + 8 };
}

/**
 * Lays out a figure of horizontal lanes: key on top, lanes by group, axis and its title below.
 *
 * Narrow: a group's heading stands above its lanes, so that no name is cut however long the language makes it. Wide: headings stand in a column on the left.
 */
export function layOut(layout: Layout, { groups, axisTitle, keys: entries, rightRoom, topRoom = 0 }: Plan): Frame {
  const width = widths[layout];
  const widest = Math.max(0, ...groups.flatMap((group) => group.lanes.map(({ label }) => textWidth(label, type.value))));
  const laneRoom = widest === 0 ? 0 : widest + 10;
  const headingRoom = layout === "narrow" ? 0 : Math.min(240, Math.max(...groups.map((group) => textWidth(group.heading, type.label))) + 14);
  const left = Math.ceil(headingRoom + laneRoom);
  const { keys, height: keyHeight } = layKeys(entries, width, 0);
  const top = keyHeight + topRoom;
  const words: Words[] = [];
  const lanes: Lane[] = [];
  let y = top;
  for (const group of groups) {
    const lines = wrap(group.heading, layout === "narrow" ? width : headingRoom - 10, type.label);
    if (layout === "narrow") {
      for (const line of lines) words.push({ text: line, x: 0, y: (y += headingHeight) - 7, weight: 600, size: type.label });
    } else {
      const middle = y + (group.lanes.length * lane) / 2;
      lines.forEach((line, index) => words.push({ text: line, x: 0, y: middle + 5 + (index - (lines.length - 1) / 2) * type.line, weight: 600, size: type.label }));
    }
    for (const { name, label } of group.lanes) {
      lanes.push({ group: group.id, name, top: y + 2, bottom: y + lane - 2 });
      if (label !== "") words.push({ text: label, x: left - 8, y: y + lane / 2 + 4.5, anchor: "end", size: type.value, fill: paint("chart-muted") });
      y += lane;
    }
    y += gap[layout];
  }
  const title = axisTitle === "" ? [] : wrap(axisTitle, layout === "narrow" ? width : width - left, type.note);
  const axis = axisTitle === "" ? 2 : 22;
  title.forEach((line, index) => words.push({ text: line, x: layout === "narrow" ? 0 : left, y: y + axis + (index + 1) * type.line, size: type.note, fill: paint("chart-muted") }));
  const height = Math.ceil(y + axis + title.length * type.line + 8);
  return { layout, width, height, left, right: rightRoom, top, bottom: height - y, lanes, words, keys };
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function word(words: Words): string {
  const anchor = words.anchor === undefined || words.anchor === "start" ? "" : ` text-anchor="${words.anchor}"`;
  const weight = words.weight === undefined ? "" : ` font-weight="${words.weight}"`;
  // A heading above its lanes crosses the lines of the grid: an edge in the colour of the page keeps it legible.
  const halo = words.weight === undefined ? "" : ` stroke="${paint("chart-paper")}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`;
  return `<text x="${round(words.x)}" y="${round(words.y)}"${anchor}${weight} font-size="${words.size ?? type.note}" fill="${words.fill ?? paint("chart-ink")}"${halo}>${escape(words.text)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The sign of a mark as the key shows it, 16 wide, centred on `y`. */
export function keyMark(shape: KeyEntry["shape"], x: number, y: number): string {
  const ink = paint("chart-muted");
  switch (shape) {
    case "bar": return `<rect x="${x}" y="${y - 5}" width="16" height="10" fill="${ink}"/>`;
    case "pale": return `<rect x="${x}" y="${y - 5}" width="16" height="10" fill="${ink}" fill-opacity="${pale}"/>`;
    case "line": return `<path d="M${x},${y}h16m-16,-3.5v7m16,-7v7" fill="none" stroke="${paint("chart-ink")}" stroke-width="1.5"/>`;
    case "diamond": return `<path d="M${x + 8},${y - 6}l5,6l-5,6l-5,-6z" fill="${paint("chart-paper")}" stroke="${paint("chart-published")}" stroke-width="1.5"/>`;
    case "ring": return `<circle cx="${x + 8}" cy="${y}" r="4.5" fill="${paint("chart-paper")}" stroke="${ink}" stroke-width="2"/>`;
    case "dot": return `<circle cx="${x + 8}" cy="${y}" r="5" fill="${ink}"/>`;
  }
}

/** What a screen reader says of a figure. */
export interface Description {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/**
 * The finished SVG: the library's marks inside our root element, with title and description, headings, lane names, key and axis title.
 *
 * Ids are made of figure, language and layout, so that one page can hold every variant. There is no style element, which would
 * leak into the page that holds the figure, and no script.
 */
export function enclose(frame: Frame, marks: string, locale: ChartLocale, description: Description): string {
  const id = `${description.id}-${locale.tag}-${frame.layout}`;
  const keys = frame.keys.map(({ entry, x, y }) => keyMark(entry.shape, round(x), round(y)) + word({ text: entry.text, x: x + 22, y: y + 4.5, fill: paint("chart-muted") })).join("");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="figure figure-${frame.layout}" role="img" lang="${locale.tag}" aria-labelledby="${id}-title" aria-describedby="${id}-desc" width="${frame.width}" height="${frame.height}" viewBox="0 0 ${frame.width} ${frame.height}" font-family="${fontFamily}" font-size="${type.note}">`,
    `<title id="${id}-title">${escape(description.title)}</title>`,
    `<desc id="${id}-desc">${escape(description.text)}</desc>`,
    marks,
    `<g>${keys}${frame.words.map(word).join("")}</g>`,
    "</svg>",
  ].join("\n") + "\n";
}
