import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { execute, inputsOf, notebookNames, stands, type CellProgress } from "../build/notebooks/execute.js";

const input = (name: string): string => fileURLToPath(new URL(`input/notebooks/${name}.ipynb`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "nullius-notebooks-"));
after(() => rmSync(folder, { recursive: true }));
const copyOf = (name: string): string => join(folder, `${name}.ipynb`);

interface Copy {
  readonly cells: readonly { readonly cell_type: string; readonly execution_count?: number; readonly outputs?: readonly { readonly text?: readonly string[] }[] }[];
}

const readCopy = (name: string): Copy => JSON.parse(readFileSync(copyOf(name), "utf8")) as Copy;

describe("a notebook executed without a browser", { concurrency: 2 }, () => {
  test("runs to its end, reports its cells, and leaves a copy with outputs that stands for its inputs", async () => {
    const progress: CellProgress[] = [];
    const inputs = inputsOf(input("good"), [input("good")]);
    await execute(input("good"), copyOf("good"), { inputs, tell: (p) => progress.push(p) });
    const { cells } = readCopy("good");
    assert.deepEqual(cells.map((cell) => cell.execution_count), [undefined, 1, 2, 3]);
    assert.deepEqual(cells[2]!.outputs!.flatMap((output) => output.text ?? []).sort(), ["2\n", "a warning is not a failure\n"]);
    assert.deepEqual(progress.map(({ cell, of }) => [cell, of]), [[2, 4], [3, 4], [4, 4]]);
    assert.equal(stands(copyOf("good"), inputs), true);
    assert.equal(stands(copyOf("good"), inputsOf(input("good"), [input("throws")])), false);
  });

  // Each of these leaves tslab's cell "ok", or says only "failed"; the message must name the cell and what it said.
  const faults: Record<string, RegExp> = {
    throws: /notebooks\/throws\.ipynb, cell 2: Error: the needle in cell two$/,
    "type-error": /type-error\.ipynb, cell 2: Type 'string' is not assignable to type 'number'\.$/,
    rejection: /rejection\.ipynb, cell 2: Error: the needle nobody awaits \(a promise that is not awaited\)$/,
    "late-rejection": /late-rejection\.ipynb, cell 1: Error: the late needle \(after the cell ended\)$/,
    timer: /timer\.ipynb, cell 2: Error: the needle in a timer \(after the cell ended\)$/,
    "exit-code": /exit-code\.ipynb: process\.exitCode was set to 3$/,
    exit: /exit\.ipynb, cell 2: the kernel died/,
    killed: /killed\.ipynb, cell 2: the kernel died/,
    module: /module\.ipynb, cell 1: Type 'string' is not assignable to type 'number'\.$/,
    child: /child\.ipynb: a program that it started still runs/,
    torn: /torn\.ipynb: not a notebook/,
  };
  for (const [name, message] of Object.entries(faults)) {
    test(`fails and names the place: ${name}`, async () => {
      await assert.rejects(execute(input(name), copyOf(name), { inputs: "x" }), { name: "Fault", message, exitCode: 2 });
      if (name !== "torn") assert.equal(stands(copyOf(name), "x"), false);
    });
  }

  test("keeps the output of a rejection that came after its cell", async () => {
    await assert.rejects(execute(input("rejection"), copyOf("rejection-kept")));
    assert.match(readCopy("rejection-kept").cells[1]!.outputs!.flatMap((output) => output.text ?? []).join(""), /the needle nobody awaits/);
  });

  test("can be interrupted", async () => {
    const stop = new AbortController();
    const running = execute(input("killed"), copyOf("interrupted"), { signal: stop.signal, tell: () => stop.abort() });
    await assert.rejects(running, { name: "Fault", exitCode: 130 });
  });
});

test("the project's notebooks are kept without outputs: Edit, Clear Outputs of All Cells before a commit", () => {
  assert.ok(notebookNames().length >= 2);
  for (const name of notebookNames()) {
    const { cells } = JSON.parse(readFileSync(fileURLToPath(new URL(`../../notebooks/${name}.ipynb`, import.meta.url)), "utf8")) as Copy;
    for (const [i, cell] of cells.entries()) {
      assert.deepEqual([cell.outputs ?? [], cell.execution_count ?? null], [[], null], `notebooks/${name}.ipynb, cell ${i + 1}`);
    }
  }
});
