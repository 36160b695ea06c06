import { readLocales } from "../article/locale.js";
import { escapeHtml } from "../article/html.js";
import { figures } from "../charts/index.js";
import { near } from "../claims/near.js";
import { Fault } from "../fault.js";
import { inProject } from "../root.js";
import type { Estimate } from "../stats/estimate.js";

const language = "en";
const number = new Intl.NumberFormat(language, { maximumSignificantDigits: 5 });

/**
 * A figure of the article over any estimates, as HTML for a notebook's display: the SVG, or a sentence when none of the estimates
 * is of its kind.
 *
 * @param id such as `accept-instructions`
 * @throws Fault for an unknown figure, with those that are near
 */
export async function figure(id: string, estimates: readonly Estimate[]): Promise<string> {
  const chosen = figures[id];
  if (chosen === undefined) throw new Fault(`unknown figure "${id}": ${near(id, Object.keys(figures))}`);
  const rows = chosen.select(estimates);
  if (rows.length === 0) return `<p>Nothing to draw for <code>${escapeHtml(id)}</code>: what it shows was not measured here.</p>`;
  const locale = readLocales([language], inProject("paper", "locales")).get(language)!;
  return `<div style="max-width: 680px">${await chosen.draw(rows, locale, "wide")}</div>`;
}

/** Rows as an HTML table for a notebook's display, numbers to five significant digits; columns in the order in which rows name them. */
export function table(rows: readonly object[]): string {
  if (rows.length === 0) return "<p>No rows.</p>";
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown): string => {
    if (typeof value === "number") return `<td style="text-align: right">${Number.isInteger(value) ? value.toLocaleString(language) : number.format(value)}</td>`;
    return `<td style="text-align: left">${escapeHtml(String(value ?? ""))}</td>`;
  };
  const head = columns.map((column) => `<th style="text-align: left">${escapeHtml(column)}</th>`).join("");
  const body = rows.map((row) => `<tr>${columns.map((column) => cell((row as Record<string, unknown>)[column])).join("")}</tr>`).join("\n");
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table>`;
}
