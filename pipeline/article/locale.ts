import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { near } from "../claims/near.js";
import type { ChartLocale } from "../charts/figure.js";
import { Fault } from "../fault.js";
import { lineOf } from "../line.js";
import { shortPath } from "../root.js";
import { readYaml } from "./yaml.js";

/** The words and number formats of a reader's language, from `paper/locales/TAG.yaml` and any `paper/locales/TOPIC.TAG.yaml`. */
export interface Locale extends ChartLocale {
  /** Whether there is a word for the key. */
  has(key: string): boolean;
  /** The text for a key with `{name}` replaced by values; `{}` by the one called "". */
  fill(key: string, values: Readonly<Record<string, string>>): string;
  /** The last parts of all keys below a prefix: `keys("metric")` are the metrics there are words for. */
  keys(prefix: string): readonly string[];
}

/** A text and the file it stands in. */
interface Word {
  readonly text: string;
  readonly file: string;
}

type Words = ReadonlyMap<string, Word>;

/** The languages there are words for. */
export function localeTags(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^[a-z]{2,3}(-[A-Za-z0-9]+)*\.yaml$/.test(name)).map((name) => name.slice(0, -".yaml".length)).sort();
}

/**
 * Reads the words of these languages, once.
 *
 * Throws a Fault for a language that is not there (with those that are near), for a file that is not YAML, and for a key that one
 * language lacks and any other has.
 */
export function readLocales(tags: readonly string[], folder: string): ReadonlyMap<string, Locale> {
  const all = new Map(localeTags(folder).map((tag) => [tag, readWords(tag, folder)]));
  return new Map(tags.map((tag) => {
    const words = all.get(tag);
    if (words === undefined) throw new Fault(`unknown locale "${tag}": ${near(tag, [...all.keys()])}`);
    const file = shortPath(join(folder, `${tag}.yaml`));
    if (words.get("tag")?.text !== tag) throw new Fault(`${file}: its tag is "${words.get("tag")?.text ?? ""}": it must be ${tag}, as the file's name`);
    for (const [other, others] of all) {
      const lacking = [...others].find(([key]) => !words.has(key));
      if (lacking !== undefined) throw new Fault(lackingWord(lacking[0], lacking[1].file, other, tag));
    }
    return [tag, new YamlLocale(tag, words, file)];
  }));
}

/** What to say of a key that stands in a file of another language only. */
function lackingWord(key: string, file: string, other: string, tag: string): string {
  const own = shortPath(file).replace(new RegExp(`${other}\\.yaml$`), `${tag}.yaml`);
  return `${own}: no words for "${key}", which ${basename(file)}:${lineOf(readFileSync(file, "utf8"), key.split("."))} has: add them`;
}

function readWords(tag: string, folder: string): Words {
  const words = new Map<string, Word>();
  for (const name of readdirSync(folder).sort()) {
    if (name !== `${tag}.yaml` && !name.endsWith(`.${tag}.yaml`)) continue;
    const file = join(folder, name);
    flatten("", readYaml(readFileSync(file, "utf8"), shortPath(file)), file, words);
  }
  return words;
}

function flatten(prefix: string, value: unknown, file: string, words: Map<string, Word>): void {
  if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) flatten(prefix === "" ? key : `${prefix}.${key}`, inner, file, words);
  } else words.set(prefix, { text: String(value ?? ""), file });
}

class YamlLocale implements Locale {
  readonly tag: string;
  readonly #words: Words;
  readonly #file: string;
  readonly #formats = new Map<string, Intl.NumberFormat>();

  constructor(tag: string, words: Words, file: string) {
    this.tag = tag;
    this.#words = words;
    this.#file = file;
  }

  text(key: string): string {
    const word = this.#words.get(key);
    if (word === undefined) throw new Fault(`${this.#file}: no words for "${key}": add them, in every language`);
    return word.text;
  }

  has(key: string): boolean {
    return this.#words.has(key);
  }

  keys(prefix: string): readonly string[] {
    return [...this.#words.keys()].filter((key) => key.startsWith(`${prefix}.`)).map((key) => key.slice(prefix.length + 1));
  }

  fill(key: string, values: Readonly<Record<string, string>>): string {
    return this.text(key).replaceAll(/\{(\w*)\}/g, (whole, name: string) => values[name] ?? whole);
  }

  /** Latin digits in every language: Hindi technical prose writes them so, with the grouping of lakhs. Zero has no sign. */
  number(value: number, options: Intl.NumberFormatOptions = {}): string {
    const key = JSON.stringify(options);
    let format = this.#formats.get(key);
    if (format === undefined) this.#formats.set(key, (format = new Intl.NumberFormat(this.tag, { numberingSystem: "latn", signDisplay: "negative", ...options })));
    return format.format(value).replaceAll("-", "−");
  }
}
