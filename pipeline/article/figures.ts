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

/** One distinct figure of a page with where it comes from, for the table at its end. */
export interface Provenance {
  readonly shown: string;
  readonly origin: Origin;
  /** The ids of its places on the page. */
  readonly places: string[];
}

/** Shows the figures of one page in its language and remembers each with its origin. */
export class Figures {
  readonly locale: Locale;
  readonly #seen = new Map<string, Provenance>();
  #count = 0;

  constructor(locale: Locale) {
    this.locale = locale;
  }

  /** Every distinct figure shown so far, in order of its first place. */
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
    return { text, html: this.#data(inner, text, String(value.value), value.origin) };
  }

  /** Shows an estimate of the ledger in words of its own. */
  estimate(estimate: Estimate, claim: string, text: string): string {
    return this.#data(escapeHtml(text), text, String(estimate.value), { kind: "measured", estimate, claim });
  }

  #text(value: Extract<Value, { kind: "text" }>, format: Format, where: string): Shown {
    if (format.name !== "name" && format.name !== "text") throw new Fault(`${where}: the format "${format.name}" is for numbers, and this is text: use name or text`);
    const words = value.names.map((name) => (format.name === "name" ? levelWord(name, value.factor, this.locale) : name));
    const text = new Intl.ListFormat(this.locale.tag, { type: "conjunction" }).format(words);
    if (value.factor === "verdict") return { text, html: `<span class="verdict ${verdictClass(value.names[0]!)}">${escapeHtml(text)}</span>` };
    return { text, html: this.#data(escapeHtml(text), text, value.names.join(" "), value.origin) };
  }

  #missing(reason: string): Shown {
    const dash = this.locale.text("missing.dash");
    const words = this.locale.text("missing.words");
    return { text: dash, html: `<span class="missing"${attributes({ title: words, "data-reason": reason })}>${escapeHtml(dash)}<span class="visually-hidden"> (${escapeHtml(words)})</span></span>` };
  }

  #data(inner: string, shown: string, value: string, origin: Origin): string {
    const id = `figure-${++this.#count}`;
    const key = JSON.stringify([shown, origin]);
    const provenance = this.#seen.get(key) ?? { shown, origin, places: [] };
    this.#seen.set(key, provenance);
    provenance.places.push(id);
    const kind = origin.kind === "counted" || origin.kind === "condition" ? "computed" : origin.kind;
    return `<data${attributes({ id, class: `figure ${kind}`, value, title: this.title(origin), ...data(origin) })}>${inner}</data>`;
  }

  /** One line that says where a figure comes from. */
  title(origin: Origin): string {
    const word = this.locale.text(`provenance.${origin.kind}`);
    switch (origin.kind) {
      case "measured": return [word, ...this.#measured(origin.estimate)].join(" · ");
      case "published":
      case "condition": return `${word}: ${origin.claim}`;
      case "fact": return `${word}: ${origin.name}`;
      case "counted": return word;
      case "computed": return `${word}: ${origin.expression}`;
    }
  }

  #measured(estimate: Estimate): string[] {
    const one = (value: number): string => this.locale.number(value, { maximumSignificantDigits: 5 });
    const interval = this.locale.fill("format.interval", { low: one(estimate.low), high: one(estimate.high) });
    return [`${one(estimate.value)} (${interval})`, `n = ${estimate.n}`, meterWord(estimate.meter, this.locale), this.locale.text(`basis.${estimate.basis}`), estimate.runs.join(" ")];
  }
}

/** The origin as data attributes, from which a program can compute the figure again. */
function data(origin: Origin): Record<string, string | number | undefined> {
  if (origin.kind !== "measured") {
    return { "data-kind": origin.kind, "data-claim": "claim" in origin ? origin.claim : undefined, "data-expression": origin.kind === "computed" ? origin.expression : undefined };
  }
  const { estimate, claim } = origin;
  return {
    "data-kind": origin.kind, "data-claim": claim, "data-experiment": estimate.experiment, "data-expression": estimate.metric, "data-factors": JSON.stringify(estimate.factors),
    "data-statistic": estimate.statistic, "data-estimate": estimate.value, "data-low": estimate.low, "data-high": estimate.high, "data-level": estimate.level, "data-method": estimate.method,
    "data-n": estimate.n, "data-unit": estimate.unit, "data-meter": estimate.meter, "data-basis": estimate.basis, "data-run": estimate.runs.join(" "), "data-command": estimate.command,
  };
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
