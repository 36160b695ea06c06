import assert from "node:assert/strict";
import { test } from "node:test";
import { parseKallsyms, SymbolTable } from "../build/hosts/symbols.js";
import { displacedShare, entriesOf, instructionsIn, instructionsOf, parseWindow, profile } from "../build/meters/counts.js";
import { compare } from "../build/meters/verification.js";

// Two kernel blocks, one of the server, one of the loader, one of neither: address, instructions, executions by server, loader, other.
const lines = ["window 1 7", "ffffffff81000000 5 10 2 1", "ffffffff81000010 3 4 0 0", "10001000 4 6 0 0", "20001000 8 0 9 0", "400000 2 0 0 5", "end"];
const kernel = new SymbolTable(parseKallsyms("ffffffff81000000 T do_syscall_64\nffffffff81000010 t tcp_ack\nffffffff81000010 T alias_of_tcp_ack\nffffffff82000000 D data\n"));
const server = { path: "server", machine: "amd64", text: { low: 0x10001000n, high: 0x10002000n }, functions: [{ name: "serve", address: 0x10001000n }] } as const;
const loader = { path: "loader", machine: "amd64", text: { low: 0x20001000n, high: 0x20002000n }, functions: [] } as const;

test("instructions go to the task that executed the block, user and kernel apart", () => {
  const window = parseWindow(lines.join("\n"));
  assert.equal(window.switches, 7);
  assert.deepEqual(instructionsOf(window, "server"), { user: 24, kernel: 62, total: 86 });
  assert.deepEqual(instructionsOf(window, "loader"), { user: 72, kernel: 10, total: 82 });
  assert.deepEqual(instructionsOf(window, "other"), { user: 10, kernel: 5, total: 15 });
  assert.equal(entriesOf(window, "server", kernel.named("do_syscall_64")), 10);
});

test("instructions of the functions of a library are those of the task, in the program's own text, by name", () => {
  const window = parseWindow(lines.join("\n"));
  assert.equal(instructionsIn(window, "server", server, new Set(["serve"])), 24);
  assert.equal(instructionsIn(window, "server", server, new Set(["malloc", "tcp_ack"])), 0);
  assert.equal(instructionsIn(window, "loader", server, new Set(["serve"])), 0);
});

test("the profile names symbols, largest first, and adds up to the instructions", () => {
  const rows = profile(parseWindow(lines.join("\n")), kernel, server, loader);
  assert.deepEqual(rows.slice(0, 3), [
    { task: "loader", symbol: "[text]", instructions: 72 },
    { task: "server", symbol: "do_syscall_64", instructions: 50 },
    { task: "server", symbol: "serve", instructions: 24 },
  ]);
  assert.equal(rows.filter(({ task }) => task === "server").reduce((sum, row) => sum + row.instructions, 0), 86);
  assert.ok(rows.some(({ task, symbol }) => task === "other" && symbol === "[user]"));
});

test("trap: receive work that moves to ksoftirqd makes the server look cheap; the share of displaced segments shows it", () => {
  const symbols = new SymbolTable(parseKallsyms("ffffffff81000000 T do_syscall_64\nffffffff81000100 T tcp_v4_rcv\n"));
  const received = (byServer: number, byOther: number) => parseWindow(["window 1 7", "ffffffff81000000 5 10 2 1", `ffffffff81000100 9 ${byServer} 0 ${byOther}`, "end"].join("\n"));
  const [calm, displaced] = [received(100, 0), received(60, 40)];
  assert.ok(instructionsOf(displaced, "server").total < 0.7 * instructionsOf(calm, "server").total, "naive: the server alone");
  assert.deepEqual([displacedShare(calm, symbols), displacedShare(displaced, symbols)], [0, 0.4]);
});

test("one address has one name, the first in the alphabet, and only functions are kept", () => {
  assert.deepEqual([kernel.at(0xffffffff81000014n)?.name, kernel.at(0xffffffff90000000n)?.name, kernel.at(5n)], ["alias_of_tcp_ack", "alias_of_tcp_ack", undefined]);
});

test("a window that never opened, was torn or was opened twice is no measurement", () => {
  for (const text of ["", lines.slice(0, -1).join("\n")]) assert.throws(() => parseWindow(text), /never opened and closed/);
  assert.throws(() => parseWindow([...lines, "window 2 1", "10001000 4 6 0 0", "end"].join("\n")), /cannot read the count 'end'|opened twice/);
  assert.throws(() => parseWindow(lines.with(2, "ffffffff81000010 3 4").join("\n")), /cannot read the count 'ffffffff81000010 3 4'/);
});

test("verification sees a value that moved by one instruction, a unit and a metric that went", () => {
  const reading = (value: number, unit = "instruction/connection") => ({ value, unit, meter: "emulator" });
  const stored = { instructions: reading(23091.539713541668), enters: reading(0, "1/connection") };
  assert.deepEqual(compare(stored, { ...stored }), []);
  assert.deepEqual(compare(stored, { ...stored, instructions: reading(23091.539713541668 + 1 / 6144) }).map(({ metric }) => metric), ["instructions"]);
  assert.deepEqual(compare(stored, { ...stored, instructions_libc: reading(365) }), [], "what the meter has learnt to read since was never stored");
  assert.deepEqual(compare(stored, { instructions: reading(23091.539713541668, "1") }).map(({ metric }) => metric), ["instructions", "enters"]);
});
