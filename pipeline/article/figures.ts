import { Fault } from "../fault.js";
import type { Estimate } from "../stats/estimate.js";
import { readFormat, show, type Format } from "./format.js";
import { attributes, escapeHtml } from "./html.js";
import type { Locale } from "./locale.js";
import type { Origin, Value } from "./scope.js";

/** A figure as it stands on a page: its text for titles, its HTML for prose. */
export interface Shown {
  readonly text: string;
  readonly html: string;
}

/** One distinct estimate of a page, for the popover that says where it comes from. */
export interface Provenance {
  readonly id: string;
  readonly estimate: Estimate;
  readonly claim: string | undefined;
}

/** Shows the figures of one page in its language and remembers each measured one with its origin. */
export class Figures {
  readonly locale: Locale;
  readonly #seen = new Map<string, Provenance>();

  constructor(locale: Locale) {
    this.locale = locale;
  }

  /** Every distinct estimate shown so far, in order of its first place. */
  get provenance(): readonly Provenance[] {
    return [...this.#seen.values()];
  }

  /** Shows a value. Throws a Fault for a format that does not exist or does not fit the value. */
  show(value: Value, formatText: string, where: string): Shown {
    const format = readFormat(formatText);
    if (format === undefined) throw new Fault(`${where}: unknown format "${formatText}": see the formats in paper/LANGUAGE.md`);
    if (value.kind === "missing") return this.#missing(value.reason);
    if (value.kind === "text") return this.#text(value, format, where);
    if (format.name === "name") throw new Fault(`${where}: the format "name" is for levels and verdicts, not for a number`);
    const { number, interval } = show(value, format.name === "text" ? { ...format, name: "number" } : format, this.locale);
    const text = interval === "" ? number : this.locale.fill("format.with_interval", { value: number, interval });
    const inner = interval === "" ? escapeHtml(number) : this.locale.fill("format.with_interval", { value: escapeHtml(number), interval: `<span class="interval">${escapeHtml(interval)}</span>` });
    return { text, html: this.#data(inner, String(value.value), value.origin, formatText) };
  }

  /** Shows an estimate of the ledger in words of its own. */
  estimate(estimate: Estimate, claim: string, text: string): string {
    return this.#data(escapeHtml(text), String(estimate.value), { kind: "measured", estimate, claim }, "ledger");
  }

  #text(value: Extract<Value, { kind: "text" }>, format: Format, where: string): Shown {
    if (format.name !== "name" && format.name !== "text") throw new Fault(`${where}: the format "${format.name}" is for numbers, and this is text: use name or text`);
    const words = value.names.map((name) => (format.name === "name" ? levelWord(name, value.factor, this.locale) : name));
    const text = new Intl.ListFormat(this.locale.tag, { type: "conjunction" }).format(words);
    if (value.factor === "verdict") return { text, html: `<span class="verdict ${verdictClass(value.names[0]!)}">${escapeHtml(text)}</span>` };
    return { text, html: this.#data(escapeHtml(text), value.names.join(" "), value.origin, format.name) };
  }

  #missing(reason: string): Shown {
    const dash = this.locale.text("missing.dash");
    const words = this.locale.text("missing.words");
    return { text: dash, html: `<span class="missing"${attributes({ title: words, "data-reason": reason })}>${escapeHtml(dash)}<span class="visually-hidden"> (${escapeHtml(words)})</span></span>` };
  }

  /** A measured figure is a button that opens its origin; any other says in its title what it is. */
  #data(inner: string, value: string, origin: Origin, format: string): string {
    if (origin.kind === "measured") return `<button${attributes({ type: "button", class: "figure measured", popovertarget: this.#originOf(origin), value, "data-format": format })}>${inner}</button>`;
    const kind = origin.kind === "counted" || origin.kind === "condition" ? "computed" : origin.kind;
    return `<data${attributes({ class: `figure ${kind}`, value, title: this.#title(origin) })}>${inner}</data>`;
  }

  /** The id of the popover of an estimate, the same for the same estimate. */
  #originOf({ estimate, claim }: Extract<Origin, { kind: "measured" }>): string {
    const key = JSON.stringify([estimate, claim]);
    const known = this.#seen.get(key) ?? { id: `origin-${this.#seen.size + 1}`, estimate, claim };
    this.#seen.set(key, known);
    return known.id;
  }

  /** One line that says where a figure that was not measured comes from. */
  #title(origin: Exclude<Origin, { kind: "measured" }>): string {
    const word = this.locale.text(`provenance.${origin.kind}`);
    switch (origin.kind) {
      case "published":
      case "condition": return `${word}: ${origin.claim}`;
      case "fact": return `${word}: ${origin.name}`;
      case "counted": return word;
      case "computed": return `${word}: ${origin.expression}`;
    }
  }
}

/** The reader's words for one or several meters. */
export function meterWord(meters: string, locale: Locale): string {
  return meters.split(", ").map((meter) => (locale.has(`meter.${meter}`) ? locale.text(`meter.${meter}`) : meter)).join(", ");
}

/** The reader's word for a level of a factor or a verdict; the level itself where it needs none, as a kernel's version. */
export function levelWord(level: string, factor: string | undefined, locale: Locale): string {
  const key = [`${factor ?? "server"}.${level}`, `level.${level}`].find((candidate) => locale.has(candidate));
  return key === undefined ? level : locale.text(key);
}

/** A verdict as a class name. */
export function verdictClass(verdict: string): string {
  return verdict.replaceAll(" ", "-");
}
