import assert from "node:assert/strict";
import { test } from "node:test";
import { figures } from "../build/charts/index.js";
import { readme } from "../build/publish/readme.js";
import { root } from "../build/root.js";
import { evidence, loses, samples, wins, type Counts } from "./evidence.ts";

const page = "# Title\n\n<!-- nullius: chart -->\nold\n<!-- /nullius: chart -->\n\n<!-- nullius: ledger -->\n<!-- /nullius: ledger -->\n\nrest\n";
const withSix = (counts: Counts): Counts => ({ ...counts, "six-techniques": counts["engine"]! });

test("readme: the chart and the judged claims stand between their markers, and all else is left", async () => {
  const { text, image } = await readme(page, root, evidence(samples(withSix(wins))), figures);
  assert.match(text, /^# Title\n\n<!-- nullius: chart -->\n!\[.+\]\(paper\/readme\.svg\)\n<!-- \/nullius: chart -->/);
  assert.match(text, /\| Go \/ engine instructions \| 3\.04 \| 3 \(3 to 3\) \| \*\*reproduced\*\*, emulated \|/);
  assert.match(text, /rest\n$/);
  assert.doesNotMatch(text, /\nold\n/);
  assert.match(image, /^<svg/);
  assert.equal((await readme(text, root, evidence(samples(withSix(wins))), figures)).text, text);
});

test("readme: other data give another verdict and another chart", async () => {
  const [first, second] = [await readme(page, root, evidence(samples(withSix(wins))), figures), await readme(page, root, evidence(samples(withSix(loses))), figures)];
  assert.match(second.text, /\| Go \/ engine instructions \| 3\.04 \| 0\.8 \(0\.8 to 0\.8\) \| \*\*contradicted\*\*/);
  assert.notEqual(first.image, second.image);
});

test("readme: without its markers it says which are missing", async () => {
  await assert.rejects(readme("# Title\n", root, evidence(samples(withSix(wins))), figures), /README\.md: the markers <!-- nullius: chart --> and .* are missing/);
});
