import type { Layout } from "./figure.js";

/**
 * The one look of all figures, whichever library draws them: type sizes, spacing and colours.
 *
 * A server has the same colour in every figure. The hues are Okabe and Ito's, which readers with any of the common colour
 * deficiencies can tell apart, darkened for a light page and lightened for a dark one until each has a contrast of 3:1 with it.
 * No figure relies on colour alone: every bar and point also stands beside its name.
 */
export const colours = {
  "chart-paper": { light: "#fdfdfb", dark: "#15171b" },
  "chart-ink": { light: "#1d1f23", dark: "#e8e6e1" },
  "chart-muted": { light: "#5a5e66", dark: "#a9adb6" },
  "chart-grid": { light: "#dcdcd6", dark: "#34383f" },
  "chart-published": { light: "#1d1f23", dark: "#f4f2ec" },
  "server-go": { light: "#0072b2", dark: "#56b4e9" },
  "server-vanilla": { light: "#a64d86", dark: "#e09ac6" },
  "server-epoll": { light: "#8a6a00", dark: "#e3c445" },
  "server-accept4": { light: "#00795a", dark: "#35c79c" },
  "server-engine": { light: "#c44601", dark: "#ff9457" },
  "server-six-techniques": { light: "#64646f", dark: "#b3b3c2" },
  "server-other": { light: "#4d4d57", dark: "#c6c6d0" },
  "verdict-reproduced": { light: "#00703c", dark: "#4ccb8a" },
  "verdict-holds": { light: "#00703c", dark: "#4ccb8a" },
  "verdict-direction": { light: "#0a63a8", dark: "#6cb6f0" },
  "verdict-contradicted": { light: "#b3261e", dark: "#ff8f85" },
  "verdict-fails": { light: "#b3261e", dark: "#ff8f85" },
  "verdict-not-comparable": { light: "#6b4fa0", dark: "#bda5ee" },
  "verdict-not-measurable-here": { light: "#5a5e66", dark: "#a9adb6" },
  "verdict-not-yet-measured": { light: "#5a5e66", dark: "#a9adb6" },
  "bytes-frame": { light: "#64646f", dark: "#b3b3c2" },
  "bytes-slot": { light: "#b84300", dark: "#ff9457" },
  "bytes-name": { light: "#00795a", dark: "#35c79c" },
  "bytes-value": { light: "#0072b2", dark: "#56b4e9" },
  "bytes-syntax": { light: "#8a6a00", dark: "#e3c445" },
} as const satisfies Record<string, { light: string; dark: string }>;

export type Colour = keyof typeof colours;

/** `var(--chart-ink, #1d1f23)`: what the page says, else the light colour. */
export function paint(colour: Colour): string {
  return `var(--${colour}, ${colours[colour].light})`;
}

/** Servers, codecs and clients that have no colour of their own stand in the role of one that has: HTTP and what it rests on, what allocates or copies, ours. */
const roles: Readonly<Record<string, string>> = {
  fasthttp: "go", http: "go", goccy: "go", bombardier: "go",
  naive: "vanilla", copied: "vanilla", "zip-log": "vanilla",
  pooled: "engine", writev: "engine", zap: "engine", zip: "engine", load: "engine",
  fiber: "accept4",
};

/** The colour of a server, a codec or a client; one that the palette does not know is a neutral grey. */
export function serverPaint(server: string): string {
  const colour = `server-${roles[server] ?? server}`;
  return paint(colour in colours ? (colour as Colour) : "server-other");
}

/** Opacity of the second part of a bar. */
export const pale = 0.5;

/** The SVG with every custom property resolved, for a picture that no page styles: README, feed, print. */
export function resolveColours(svg: string, scheme: "light" | "dark"): string {
  return svg.replace(/var\(--([a-z0-9-]+), #[0-9a-f]{6}\)/g, (whole, name: string) => (name in colours ? colours[name as Colour][scheme] : whole));
}

/**
 * The SVG as a file of its own, which follows the reader's scheme and brings its background and margin: for a README, where it is an image and no page styles it.
 * Not for use inside a page, whose other elements its style would reach.
 */
export function standalone(svg: string): string {
  const set = (scheme: "light" | "dark"): string => Object.entries(colours).filter(([name]) => svg.includes(`--${name},`)).map(([name, colour]) => `--${name}:${colour[scheme]}`).join(";");
  const style = `<style>svg{${set("light")};background:var(--chart-paper)}@media (prefers-color-scheme: dark){svg{${set("dark")}}}</style>`;
  const margin = 16;
  return svg
    .replace(/ width="(\d+)" height="(\d+)" viewBox="[^"]*"/, (_, width: string, height: string) => {
      const [wide, high] = [Number(width) + 2 * margin, Number(height) + 2 * margin];
      return ` width="${wide}" height="${high}" viewBox="${-margin} ${-margin} ${wide} ${high}"`;
    })
    .replace(/^(<svg[^>]*>)/, `$1\n${style}`);
}

/**
 * The SVG as it stands inside a page, where the theme sets the colours and the root the family: without fallbacks and defaults said again on
 * every mark, and with what neighbours have in common said once around them. Half the bytes for the same picture.
 */
export function inlined(svg: string): string {
  const plain = svg
    .replaceAll(/var\(--([a-z0-9-]+), #[0-9a-f]{6}\)/g, "var(--$1)")
    .replace(' xmlns="http://www.w3.org/2000/svg"', "")
    .replaceAll(/(<(?!svg)[a-z]+[^>]*?) font-family="[^"]*"/g, "$1")
    .replaceAll(/ (?:opacity="1"|transform="translate\(0,0\)"|stroke-miterlimit="4"|font-weight="normal")/g, "")
    .replaceAll(/(font-size="[\d.]+)px"/g, '$1"')
    .replaceAll(/<(?:g|text)[^>]*><\/(?:g|text)>/g, "");
  return plain.replaceAll(/(?:<(line|path|rect|circle) [^>]*\/>){3,}|(?:<text [^>]*>[^<]*<\/text>){3,}/g, hoist);
}

/** Properties that a group hands on to what is in it. */
const inherited = /^(?:fill|fill-opacity|font-size|font-weight|paint-order|stroke|stroke-dasharray|stroke-linecap|stroke-linejoin|stroke-opacity|stroke-width|text-anchor)$/;

/** Elements in a row inside groups that say what several of them say: first what all have in common, then what neighbours have. */
function hoist(run: string): string {
  const elements = run.match(/<text [^>]*>[^<]*<\/text>|<[a-z]+ [^>]*\/>/g)!;
  const common = properties(elements[0]!).filter((property) => elements.every((element) => properties(element).includes(property)));
  const rest = elements.map((element) => without(element, common));
  const rows: string[][] = [];
  for (const element of rest) {
    const last = rows.at(-1);
    if (last !== undefined && properties(last[0]!).join() === properties(element).join()) last.push(element);
    else rows.push([element]);
  }
  return grouped(rows.map((row) => (row.length < 3 ? row.join("") : grouped(row.map((element) => without(element, properties(row[0]!))).join(""), properties(row[0]!)))).join(""), common);
}

/** The properties of an element that a group can hand on, as they are written. */
function properties(element: string): string[] {
  return [...element.slice(0, element.indexOf(">")).matchAll(/ ([a-z-]+)="[^"]*"/g)].filter((match) => inherited.test(match[1]!)).map((match) => match[0]);
}

const without = (element: string, gone: readonly string[]): string => gone.reduce((text, property) => text.replace(property, ""), element);
const grouped = (content: string, shared: readonly string[]): string => (shared.length === 0 ? content : `<g${shared.join("")}>${content}</g>`);

/** Two layouts of one figure for a page that shows one of them: the description of both stands in the first. */
export function inlinedPair(narrow: string, wide: string): readonly [string, string] {
  const id = /aria-describedby="([^"]*)"/.exec(narrow)?.[1] ?? "";
  return [inlined(narrow), inlined(wide).replace(/<desc [\s\S]*?<\/desc>\n?/, "").replace(/aria-describedby="[^"]*"/, `aria-describedby="${id}"`)];
}

/** Marks with coordinates of at most two decimals: finer is not seen, and the last digits of a float differ between processors. */
export function roundCoordinates(marks: string): string {
  return marks.replace(/<[^>]+>/g, (tag) => tag.replace(/-?\d+\.\d{3,}(?:e-\d+)?/g, (number) => String(Math.round(Number(number) * 100) / 100 + 0)));
}

/** Families in order: the reader's own, then the one that has Devanagari on most systems. */
export const fontFamily = "system-ui, 'Noto Sans', 'Noto Sans Devanagari', sans-serif";

/** Sizes in SVG units. On a phone of 360 px the narrow layout is shown at 0.9 of its size: 12.5 is 11.3 px there. */
export const type = { label: 13.5, value: 12.5, tick: 12.5, note: 12.5, line: 17 } as const;

/** Widths in SVG units. */
export const widths: Readonly<Record<Layout, number>> = { narrow: 360, wide: 680 };

/**
 * About how wide a text is set, in SVG units, never much less than it is.
 *
 * Neither jsdom nor vega's headless renderer measures text, and both count a Devanagari vowel sign as a letter. Nothing here depends on
 * more than a bound: where to break a line and how much room a column needs.
 */
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const character of text) {
    if (/[\p{Mn}\u200c\u200d]/u.test(character)) continue;
    else if (/[\u0900-\u097f]/u.test(character)) ems += /\p{Mc}/u.test(character) ? 0.34 : 0.66;
    else if (/[\s.,:;'|()ilj·]/u.test(character)) ems += 0.32;
    else ems += /\p{Lu}|[mw%]/u.test(character) ? 0.74 : 0.58;
  }
  return ems * size;
}

/** The text broken between words into lines of at most `room` units. A word longer than that has a line to itself. */
export function wrap(text: string, room: number, size: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/ +/)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, size) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
