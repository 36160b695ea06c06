import type { Estimate } from "../stats/estimate.js";
import type { ChartLocale, Figure, Layout } from "./figure.js";
import { enclose, type Frame, type Words } from "./frame.js";
import { level } from "./select.js";
import { paint, textWidth, type, widths, wrap } from "./style.js";

/** What bytes are for, in the order of the key. */
const kinds = ["frame", "slot", "name", "value", "syntax"] as const;
type Kind = (typeof kinds)[number];

/** Bytes in a line of the drawing, and the height of a line, in SVG units. */
const perLine = { narrow: 16, wide: 32 } as const;
const lineHeight = 23;

/** A message with its runs of bytes, in order. */
interface Message {
  readonly name: string;
  readonly runs: readonly Estimate[];
}

/** A figure of messages byte by byte, from the rows of `frameRows` with this subject. */
export function bytesFigure(id: string, subject: string): Figure {
  return {
    id,

    select(estimates) {
      return estimates.filter((row) => row.experiment === "frame" && level(row, "subject") === subject);
    },

    async draw(rows, locale, layout = "narrow") {
      const { frame, marks } = lay(messagesOf(rows, locale), locale, layout);
      const said = messagesOf(rows, locale).map((message) => `${heading(message, locale)}: ${sums(message, locale)}`);
      return enclose(frame, marks, locale, {
        id, title: locale.text(`chart.figure.${id}.title`), text: `${locale.text(`chart.figure.${id}.description`)} ${said.join("; ")}.`,
      });
    },

    table(rows, locale) {
      return {
        columns: ["message", "part", "bytes", "content"].map((column) => locale.text(`chart.table.${column}`)),
        rows: messagesOf(rows, locale).flatMap((message) => message.runs.map((run) => [message.name, partName(run, locale), locale.number(run.value), shownBytes(run)])),
      };
    },
  };
}

function messagesOf(rows: readonly Estimate[], locale: ChartLocale): Message[] {
  const order = (row: Estimate): string => `${level(row, "message")} ${["zap", "http", "json"].indexOf(level(row, "protocol"))}`;
  return [...new Set(rows.map(order))].sort().map((key) => {
    const runs = rows.filter((row) => order(row) === key).sort((a, b) => Number(a.factors["place"]) - Number(b.factors["place"]));
    const first = runs[0]!;
    return { name: `${locale.text(`chart.protocol.${level(first, "protocol")}`)}, ${locale.text(`chart.message.${level(first, "message")}`)}`, runs };
  });
}

function kindOf(run: Estimate): Kind {
  const part = level(run, "part");
  return kinds.find((kind) => kind === part) ?? "frame";
}

function partName(run: Estimate, locale: ChartLocale): string {
  const [part, field] = [level(run, "part"), level(run, "field")];
  return locale.text(`chart.part.${part}`).replace("{field}", field);
}

function heading({ name, runs }: Message, locale: ChartLocale): string {
  return locale.text("chart.heading.bytes").replace("{message}", name).replace("{count}", locale.number(runs.reduce((sum, run) => sum + run.value, 0)));
}

/** How many bytes are of each kind, in words: what the colours say. A kind and its number stay on one line. */
function sums({ runs }: Message, locale: ChartLocale): string {
  const of = (kind: Kind): number => runs.filter((run) => kindOf(run) === kind).reduce((sum, run) => sum + run.value, 0);
  return kinds.filter((kind) => of(kind) > 0).map((kind) => `${locale.text(`chart.kind.${kind}`)}\u00a0${locale.number(of(kind))}`).join(" · ");
}

function lay(messages: readonly Message[], locale: ChartLocale, layout: Layout): { frame: Frame; marks: string } {
  const width = widths[layout];
  const words: Words[] = [];
  const marks: string[] = [];
  let y = 0;
  let x = 0;
  for (const kind of kinds.filter((one) => messages.some(({ runs }) => runs.some((run) => kindOf(run) === one)))) {
    const text = locale.text(`chart.kind.${kind}`);
    const room = 22 + textWidth(text, type.note) + 14;
    if (x > 0 && x + room > width) [x, y] = [0, y + type.line + 3];
    marks.push(box(kind, x + 0.5, y + 2.5, 15, 13));
    words.push({ text, x: x + 22, y: y + 13.5, fill: paint("chart-muted") });
    x += room;
  }
  y += type.line + 8;
  for (const message of messages) {
    words.push({ text: heading(message, locale), x: 0, y: (y += 20) - 2, weight: 600, size: type.label });
    for (const line of wrap(sums(message, locale), width, type.note)) words.push({ text: line, x: 0, y: (y += type.line), fill: paint("chart-muted") });
    y += 8;
    const { drawn, lines } = grid(message.runs, layout, y);
    marks.push(drawn);
    y += lines * lineHeight + 12;
  }
  return { frame: { layout, width, height: Math.ceil(y), left: 0, right: 0, top: 0, bottom: 0, lanes: [], words, keys: [] }, marks: marks.join("") };
}

/** The bytes in lines; a run has one box in each line that it touches, so that its ends are seen. */
function grid(runs: readonly Estimate[], layout: Layout, top: number): { drawn: string; lines: number } {
  const cell = widths[layout] / perLine[layout];
  const drawn: string[] = [];
  let place = 0;
  for (const run of runs) {
    const bytes = Buffer.from(level(run, "bytes"), "hex");
    for (let from = 0; from < bytes.length;) {
      const column = (place + from) % perLine[layout];
      const count = Math.min(bytes.length - from, perLine[layout] - column);
      const y = top + Math.floor((place + from) / perLine[layout]) * lineHeight;
      drawn.push(box(kindOf(run), column * cell + 1, y, count * cell - 2, lineHeight - 3), glyphs(bytes.subarray(from, from + count), run, column * cell, y + 14, cell));
      from += count;
    }
    place += bytes.length;
  }
  return { drawn: drawn.join(""), lines: Math.ceil(place / perLine[layout]) };
}

function box(kind: Kind, x: number, y: number, width: number, height: number): string {
  const colour = paint(`bytes-${kind}`);
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="2" fill="${colour}" fill-opacity="0.16" stroke="${colour}"/>`;
}

/** Each byte in the middle of its cell: the character that it is, or two hexadecimal digits. */
function glyphs(bytes: Uint8Array, run: Estimate, x: number, y: number, cell: number): string {
  const places: number[] = [];
  let text = "";
  bytes.forEach((byte, index) => {
    const middle = x + (index + 0.5) * cell;
    const shown = isText(run) ? character(byte) : undefined;
    text += shown ?? byte.toString(16).padStart(2, "0");
    places.push(...(shown === undefined ? [middle - 3.4, middle + 3.4] : [middle]));
  });
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<text x="${places.map(round).join(" ")}" y="${round(y)}" text-anchor="middle" font-size="11.5" fill="${paint("chart-ink")}">${escaped}</text>`;
}

/** Whether a run says something in characters: texts do, numbers and hashes do not. */
function isText(run: Estimate): boolean {
  const bytes = Buffer.from(level(run, "bytes"), "hex");
  return ["name", "value", "syntax"].includes(level(run, "part")) && bytes.every((byte) => byte < 0x7f && (byte >= 0x20 || byte === 0x0d || byte === 0x0a)) || level(run, "part") === "magic";
}

/** The sign for a byte of a text: itself, or a sign for what has none. */
function character(byte: number): string | undefined {
  if (byte === 0x20) return "␣";
  return byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : undefined;
}

function shownBytes(run: Estimate): string {
  const bytes = Buffer.from(level(run, "bytes"), "hex");
  return isText(run) && bytes.every((byte) => byte >= 0x20) ? bytes.toString().replaceAll(" ", "␣") : (bytes.toString("hex").match(/../g) ?? []).join(" ");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
