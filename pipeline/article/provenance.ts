import type { Estimate } from "../stats/estimate.js";
import type { Figures, Provenance } from "./figures.js";
import { meterWord } from "./figures.js";
import { attributes, escapeText } from "./html.js";
import type { Locale } from "./locale.js";

/** Where a popover's links lead; undefined where the site has no such page. */
export interface Links {
  run(id: string): string | undefined;
  claim(id: string): string | undefined;
}

/** What a popover says of an estimate, in this order. Its words stand once, on the section, and the style sheet puts each before its value. */
const parts = ["interval", "repeats", "meter", "run", "expression", "levels", "claim", "command"] as const;

/**
 * A popover for each distinct estimate of a page: value, interval, n, meter, run, the expression and the command that measures it again. All
 * that `verify` needs is in what the reader sees, so that what is read is what is checked. On paper they are a list.
 */
export function provenanceSection(figures: Figures, locale: Locale, links: Links): string {
  if (figures.provenance.length === 0) return "";
  const word = (key: string): string => locale.text(`provenance.${key}`);
  const words = ["measured", ...parts].map((part) => `--${part}:'${word(part).replaceAll(/['\\]/g, "\\$&")}'`).join(";");
  return `<section${attributes({ id: "figures", class: "provenance", style: words })}>
<h2>${escapeText(word("title"))}</h2>
<p>${escapeText(word("intro"))}</p>
${figures.provenance.map((one) => popover(one, locale, links)).join("\n")}
</section>`;
}

function popover({ id, estimate, claim }: Provenance, locale: Locale, links: Links): string {
  const one = (value: number): string => `<data value="${value}">${escapeText(locale.number(value, { maximumSignificantDigits: 5 }))}</data>`;
  const interval = locale.fill("format.interval", { low: one(estimate.low), high: one(estimate.high) });
  const unit = locale.has(`unit.${estimate.unit}`) ? locale.text(`unit.${estimate.unit}`) : estimate.unit;
  const levels = levelsText(estimate.factors);
  const values: Readonly<Record<(typeof parts)[number], string>> = {
    interval: `${interval} (${locale.number(estimate.level, { style: "percent" })}, ${escapeText(methodWord(estimate.method, locale))})`,
    repeats: `<data value="${estimate.n}">${estimate.n}</data>`,
    meter: escapeText(`${meterWord(estimate.meter, locale)}, ${locale.text(`basis.${estimate.basis}`)}`),
    run: estimate.runs.map((run) => linked(run, links.run(run))).join(", "),
    expression: `<code>${escapeText(shortened(estimate.metric, estimate.factors))}</code>`,
    levels: levels === "" ? "" : `<code>${escapeText(levels)}</code>`,
    claim: claim === undefined ? "" : linked(claim, links.claim(claim)),
    command: `<code>${escapeText(estimate.command)}</code>`,
  };
  const list = parts.flatMap((part) => (values[part] === "" ? [] : [`<li class="${part}">${values[part]}</li>`])).join("");
  return `<div${attributes({ id, class: "origin" })} popover data-experiment="${estimate.experiment}"><p>${one(estimate.value)}${unit === "" ? "" : ` ${escapeText(unit)}`}</p><ul>${list}</ul></div>`;
}

function linked(text: string, href: string | undefined): string {
  return href === undefined ? escapeText(text) : `<a${attributes({ href })}>${escapeText(text)}</a>`;
}

/** An expression without the levels that all its selectors share, which are said once beside it. */
export function shortened(expression: string, factors: Estimate["factors"]): string {
  return Object.entries(factors)
    .reduce((text, [factor, level]) => text.replaceAll(`${factor} = ${JSON.stringify(level)}`, ""), expression)
    .replaceAll(/\((?:, )+/g, "(").replaceAll(/(?:, )+\)/g, ")").replaceAll(/(?:, ){2,}/g, ", ").replaceAll(/(\w+) = /g, "$1=");
}

/** Factors as they are written in an expression: `kernel="6.12", silent=0`. */
function levelsText(factors: Estimate["factors"]): string {
  return Object.entries(factors).map(([factor, level]) => `${factor}=${JSON.stringify(level)}`).join(", ");
}

/** The other way round. */
export function readLevels(text: string): Record<string, string | number> {
  return Object.fromEntries([...text.matchAll(/([\w-]+)=("(?:[^"\\]|\\.)*"|-?[\d.]+(?:e[+-]?\d+)?)/g)].map((match) => [match[1]!, JSON.parse(match[2]!) as string | number]));
}

/** How an interval was made, in the reader's language: `range of 3 seeds` from `method.range of seeds`. */
function methodWord(method: string, locale: Locale): string {
  const count = /\d+/.exec(method)?.[0] ?? "";
  const key = `interval-method.${method.replace(/ \d+/, "")}`;
  return locale.has(key) ? locale.fill(key, { count }) : method;
}
