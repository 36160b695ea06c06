import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { ChartLocale } from "../../build/charts/figure.js";

export const tags = ["en", "es", "hi"] as const;

/** The words of the project's own locale file, looked up by dotted key; numbers by Intl. */
export function chartLocale(tag: string): ChartLocale {
  const words: unknown = parse(readFileSync(new URL(`../../../paper/locales/${tag}.yaml`, import.meta.url), "utf8"));
  return {
    tag,
    text(key) {
      const found = key.split(".").reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], words);
      if (typeof found !== "string") throw new Error(`${tag}.yaml has no word for ${key}`);
      return found;
    },
    number: (value, options) => new Intl.NumberFormat(tag, options).format(value),
  };
}

/** Every key that the English file keeps for charts. */
export function chartKeys(): string[] {
  const keys = (node: unknown, path: string): string[] => (typeof node === "object" && node !== null ? Object.entries(node).flatMap(([key, below]) => keys(below, `${path}.${key}`)) : [path]);
  const words = parse(readFileSync(new URL("../../../paper/locales/en.yaml", import.meta.url), "utf8")) as { chart: unknown };
  return keys(words.chart, "chart");
}
