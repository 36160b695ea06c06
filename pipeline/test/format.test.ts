import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readFormat, show } from "../build/article/format.js";
import { localeTags, readLocales } from "../build/article/locale.js";
import { inProject } from "../build/root.js";

const folder = inProject("paper", "locales");
const locales = readLocales(["en", "es", "hi"], folder);
const temporary = mkdtempSync(join(tmpdir(), "nullius-locales-"));
after(() => rmSync(temporary, { recursive: true }));

/** Format, value with interval, and what en, es and hi show. No-break spaces are written as spaces here. */
const cases: readonly [string, { value: number; low?: number; high?: number }, string, string, string][] = [
  ["thousands", { value: 22_934.4 }, "22,900", "22.900", "22,900"],
  ["integer", { value: 22_934.4 }, "22,934", "22.934", "22,934"],
  ["integer", { value: 361_282 }, "361,282", "361.282", "3,61,282"],
  ["integer", { value: 1234 }, "1,234", "1234", "1,234"],
  ["number", { value: 3.0412 }, "3.04", "3,04", "3.04"],
  ["number 1", { value: 2 }, "2.0", "2,0", "2.0"],
  ["times", { value: 3.0412 }, "3.04×", "3,04×", "3.04×"],
  ["times 1 with interval", { value: 3.04, low: 3.01, high: 3.07 }, "3.0× (3.0×–3.1×)", "3,0× (3,0×–3,1×)", "3.0× (3.0×–3.1×)"],
  ["interval thousands", { value: 2, low: 21_850, high: 21_950 }, "21,900–22,000", "21.900–22.000", "21,900–22,000"],
  ["percent", { value: 0.344 }, "34%", "34 %", "34%"],
  ["percent 1", { value: 0.344 }, "34.4%", "34,4 %", "34.4%"],
  ["change", { value: -0.34 }, "−34%", "−34 %", "−34%"],
  ["change", { value: 0.34 }, "+34%", "+34 %", "+34%"],
  ["kilo", { value: 22_934.4 }, "22.9k", "22,9 k", "22.9k"],
  ["microseconds", { value: 11_393.2 }, "11.4 µs", "11,4 µs", "11.4 µs"],
  ["seconds 2", { value: 1.5e9 }, "1.50 s", "1,50 s", "1.50 सेकंड"],
];

for (const [format, value, ...expected] of cases) {
  test(`format: ${value.value} as ${format}`, () => {
    for (const [index, tag] of ["en", "es", "hi"].entries()) {
      const locale = locales.get(tag)!;
      const { number, interval } = show(value, readFormat(format)!, locale);
      const text = interval === "" ? number : locale.fill("format.with_interval", { value: number, interval });
      assert.equal(text.replaceAll(/[\u00a0\u202f]/g, " "), expected[index], tag);
    }
  });
}

test("format: what is no format is refused", () => {
  for (const text of ["", "time", "times two", "times 1 2", "name 2", "text with interval", "interval times with interval"]) assert.equal(readFormat(text), undefined, text);
});

test("locale: an unknown one, and a key that one language lacks, are one sentence", () => {
  assert.deepEqual(localeTags(folder).filter((tag) => ["en", "es", "hi"].includes(tag)), ["en", "es", "hi"]);
  assert.throws(() => readLocales(["e"], folder), { name: "Fault", message: /^unknown locale "e": did you mean en, es/ });
  cpSync(folder, temporary, { recursive: true });
  const file = join(temporary, "hi.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(/\n {2}contradicted: .*/, ""));
  assert.throws(() => readLocales(["hi"], temporary), { name: "Fault", message: /hi\.yaml: no words for "verdict\.contradicted", which en\.yaml:\d+ has: add them$/ });
});
