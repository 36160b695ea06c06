import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, progressLine, show, type Progress } from "../build/experiments/running/progress.js";
import type { Attempt } from "../build/store/attempt.js";

const attempt: Attempt = {
  experiment: "accept", cell: { server: "go", kernel: "6.12" }, round: 1, seed: 2, order: 4, at: "2026-01-01T00:00:00Z", durationSeconds: 9, inputs: "0", basis: "emulated", facts: {},
  metrics: { enters: { value: 1, unit: "1/connection", meter: "server" }, instructions: { value: 73123.4, unit: "instruction/connection", meter: "emulator" } },
};
const progress: Progress = { done: 5, total: 20, adopted: 3, failed: 0, elapsedSeconds: 61, secondsLeft: 125, attempt };
const failed: Attempt = { ...attempt, metrics: {}, failed: { stage: "server", message: "port 80 is in use" } };

function written(isTTY: boolean, tell: readonly Progress[], columns = 200): string {
  let text = "";
  const { tell: say, end } = show({ isTTY, columns, write: (more: string) => (text += more) });
  tell.forEach(say);
  end();
  return text;
}

test("a plain line for each attempt when it is no terminal", () => {
  assert.equal(written(false, [progress, progress]), "5/20, accept go 6.12 seed 2: 73,123 instruction/connection, about 2:05 left\n".repeat(2));
});

test("a terminal is rewritten in place, no wider than it is, and left on a new line", () => {
  const text = written(true, [progress, progress]);
  assert.equal(text.match(/\n/g)!.length, 1);
  assert.ok(text.endsWith("\n") && text.startsWith("\r\u001B[2K[=====               ] 1:01 5/20"));
  for (const part of written(true, [progress], 40).split("\r\u001B[2K")) assert.ok(part.trimEnd().length < 40);
});

test("a failure stays on the terminal", () => {
  assert.match(written(true, [{ ...progress, failed: 1, attempt: failed }, progress]), /1 failed, .*failed at server: port 80 is in use.*\n.*5\/20/s);
});

test("the first and the last line", () => {
  const { attempt: _, ...start } = progress;
  assert.equal(progressLine(start), "5/20, 3 adopted from earlier runs, about 2:05 left");
  assert.equal(progressLine({ ...start, adopted: 0 }), "5/20, begins, about 2:05 left");
  assert.ok(!progressLine({ ...progress, done: 20 }).includes("left"));
});

test("clock", () => assert.deepEqual([0, 65, 3723, -1].map(clock), ["0:00", "1:05", "1:02:03", "0:00"]));
