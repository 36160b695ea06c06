import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readBook } from "../build/claims/books.js";

const folder = mkdtempSync(join(tmpdir(), "nullius-books-"));
after(() => rmSync(folder, { recursive: true }));

test("claims that are not JSON, or lack what a verdict needs, are a Fault naming file and place", () => {
  const refuses = (text: string, pattern: RegExp): void => {
    writeFileSync(join(folder, "a.json"), text);
    assert.throws(() => readBook("a", folder), (error: Error) => error.name === "Fault" && pattern.test(error.message));
  };
  refuses("{{", /a\.json: not JSON: .*line 1/);
  refuses("null", /a\.json:1: it must be object/);
  refuses('{"article":"a","source":{"publisher":"p"},"contradictions":[]}', /a\.json:1: it must have required property 'claims'/);
  refuses('{"article":"a","source":{"publisher":"p"},\n"contradictions":[],\n"claims":[\n{"idx":"x"}]}', /a\.json:4: \/claims\/0 must have required property 'id'/);
});
