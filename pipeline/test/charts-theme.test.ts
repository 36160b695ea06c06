import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { colours } from "../build/charts/style.js";

const theme = new URL("../../paper/theme/", import.meta.url);
const sheet = readFileSync(new URL("10-colours.css", theme), "utf8");
const [light, dark] = sheet.split("@media screen and (prefers-color-scheme: dark)");

function declared(block: string | undefined): Map<string, string> {
  return new Map([...(block ?? "").matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map((match) => [match[1] ?? "", match[2] ?? ""]));
}

for (const [scheme, block] of [["light", light], ["dark", dark]] as const) {
  test(`the page's ${scheme} colours of charts, servers and verdicts are those of the figures`, () => {
    const page = declared(block);
    assert.deepEqual(Object.keys(colours).map((name) => [name, page.get(name)]), Object.entries(colours).map(([name, colour]) => [name, colour[scheme]]));
    assert.equal(page.get("paper"), colours["chart-paper"][scheme], "figures edge their headings in the colour of the page");
  });
}

test("no sheet asks another site for anything", () => {
  for (const name of readdirSync(theme).filter((file) => file.endsWith(".css"))) {
    assert.doesNotMatch(readFileSync(new URL(name, theme), "utf8"), /@import|url\(\s*["']?(?:[a-z]+:)?\/\//i, name);
  }
});
