import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, figure, sentences, table, type Sample } from "../build/index.js";

/** Attempts of the experiment `chain`: instructions of each round, linked and not. */
function chain(...rounds: readonly (readonly [off: number, on: number])[]): Sample[] {
  return rounds.flatMap((pair, round) => (["off", "on"] as const).map((link, i) => ({
    experiment: "chain",
    cell: { base: "plain", link, meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal" },
    round, seed: round + 1, order: round * 2 + i, at: "2026-01-01T00:00:00Z", durationSeconds: 1, inputs: "0", basis: "emulated" as const,
    metrics: { instructions: { value: pair[i]!, unit: "instruction/connection", meter: "emulator" } },
    facts: {}, run: "r", ranAs: "standard" as const,
  })));
}

const options = { metric: "instructions", factor: "link", level: "on", where: { meter: "emulator", architecture: "amd64", scheduling: "equal" } } as const;

test("the word of a comparison follows the data: less, more, equal", async () => {
  for (const [rounds, word, said] of [
    [[[100, 80], [200, 160]], "less", /^base plain, kernel 6\.12: instructions with link on: 20% less than with link off; ratio 0\.800/],
    [[[100, 130], [200, 260]], "more", /instructions with link on: 30% more than with link off/],
    [[[100, 110], [200, 180]], "equal", /instructions with link on: no different from with link off/],
  ] as const) {
    const found = await compare({ samples: chain(...rounds) }, options);
    assert.equal(found.length, 1);
    assert.equal(found[0]!.word, word);
    assert.match(sentences(found)[0]!, said);
  }
});

test("a single round is not sold as certainty", async () => {
  assert.match(sentences(await compare({ samples: chain([100, 80]) }, options))[0]!, /ratio 0\.800 \(from a single round, so without an interval\)/);
});

test("what was not measured is not compared, and an unknown level is named", async () => {
  assert.deepEqual(await compare({ samples: [] }, options), []);
  assert.deepEqual(await compare({ samples: chain([1, 2]).slice(0, 1) }, options), []);
  await assert.rejects(compare({ samples: chain([1, 2]) }, { ...options, level: "onn" }), { name: "Fault", message: /chain has no level "onn" of "link"/ });
});

test("a table escapes text and shows numbers to five digits", () => {
  const html = table([{ server: "<go>", value: 1234.56789, seeds: 12_345 }, { server: "b", more: null }]);
  assert.match(html, /<th[^>]*>server<\/th><th[^>]*>value<\/th><th[^>]*>seeds<\/th><th[^>]*>more<\/th>/);
  assert.match(html, /&lt;go&gt;/);
  assert.match(html, />1,234\.6</);
  assert.match(html, />12,345</);
  assert.doesNotMatch(html, /null|undefined/);
});

test("a figure of nothing is a sentence, and an unknown figure names those that are near", async () => {
  assert.match(await figure("accept-instructions", []), /was not measured here/);
  await assert.rejects(figure("accept-instruction", []), { name: "Fault", message: /did you mean accept-instructions/ });
});
