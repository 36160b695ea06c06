import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { functionsOfLibrary, members } from "../build/hosts/archive.js";
import { addressOf, loadedPart, readImage } from "../build/hosts/elf.js";

const folder = mkdtempSync(join(tmpdir(), "nullius-elf-"));
after(() => rmSync(folder, { recursive: true }));

const functions = [["nullius_window_open", 0x10001010n], ["main", 0x10001000n]] as const;

/** A program of one executable segment, two functions and a note that names the machine that built it. */
function program(change: { type?: number; machine?: number; note?: string } = {}): Buffer {
  const names = Buffer.from(`\0${functions.map(([name]) => name).join("\0")}\0`);
  const code = Buffer.alloc(64, 0x90);
  const note = Buffer.from(change.note ?? "/home/someone/clone");
  const at = { segment: 64, code: 64 + 56, note: 64 + 56 + 64, names: 0, symbols: 0, sections: 0 };
  at.names = at.note + note.length;
  at.symbols = at.names + names.length;
  at.sections = at.symbols + 24 * functions.length;
  const file = Buffer.concat([Buffer.alloc(64 + 56), code, note, names, Buffer.alloc(24 * functions.length + 64 * 3)]);
  file.writeUInt32BE(0x7f454c46, 0);
  file.set([2, 1, 1], 4);
  file.writeUInt16LE(change.type ?? 2, 16);
  file.writeUInt16LE(change.machine ?? 62, 18);
  file.writeBigUInt64LE(BigInt(at.segment), 32);
  file.writeBigUInt64LE(BigInt(at.sections), 40);
  [64, 56, 1, 64, 3, 0].forEach((value, n) => file.writeUInt16LE(value, 52 + 2 * n));
  file.writeUInt32LE(1, at.segment);
  file.writeUInt32LE(5, at.segment + 4);
  [BigInt(at.code), 0x10001000n, 0x10001000n, 64n, 64n].forEach((value, n) => file.writeBigUInt64LE(value, at.segment + 8 + 8 * n));
  functions.forEach(([name, address], n) => {
    file.writeUInt32LE(names.indexOf(`\0${name}\0`) + 1, at.symbols + 24 * n);
    file[at.symbols + 24 * n + 4] = 0x12;
    file.writeBigUInt64LE(address, at.symbols + 24 * n + 8);
  });
  const section = (n: number, type: number, offset: number, size: number, link: number): void => {
    file.writeUInt32LE(type, at.sections + 64 * n + 4);
    file.writeBigUInt64LE(BigInt(offset), at.sections + 64 * n + 24);
    file.writeBigUInt64LE(BigInt(size), at.sections + 64 * n + 32);
    file.writeUInt32LE(link, at.sections + 64 * n + 40);
  };
  section(1, 2, at.symbols, 24 * functions.length, 2);
  section(2, 3, at.names, names.length, 0);
  return file;
}

function image(bytes: Buffer): ReturnType<typeof readImage> {
  const path = join(folder, "program");
  writeFileSync(path, bytes);
  return readImage(path);
}

test("text range, machine and functions by address", () => {
  const { machine, text, functions: found } = image(program());
  assert.equal(machine, "amd64");
  assert.deepEqual(text, { low: 0x10001000n, high: 0x10001040n });
  assert.deepEqual(found.map(({ name }) => name), ["main", "nullius_window_open"]);
  assert.equal(image(program({ machine: 183 })).machine, "arm64");
});

test("a missing marker is named with its program", () => {
  assert.equal(addressOf(image(program()), "nullius_window_open"), 0x10001010n);
  assert.throws(() => addressOf(image(program()), "nullius_window_close"), /program: no function nullius_window_close/);
});

test("what cannot be told apart by address is refused: relocatable programs, other machines, other files", () => {
  assert.throws(() => image(program({ type: 3 })), /not linked at a fixed address/);
  assert.throws(() => image(program({ machine: 243 })), /neither amd64 nor arm64/);
  assert.throws(() => image(Buffer.from("#!/bin/sh\n".padEnd(80))), /not a 64-bit little-endian ELF/);
});

test("the loaded part is the same wherever it was built, and keeps the code", () => {
  const [here, there] = [program({ note: "/home/someone/clone" }), program({ note: "/srv/another/place" })].map(loadedPart) as [Buffer, Buffer];
  assert.deepEqual(here, there);
  assert.ok(!here.includes("someone"));
  assert.ok(here.includes(Buffer.alloc(64, 0x90)));
  assert.notDeepEqual(program({ note: "/home/someone/clone" }), program({ note: "/srv/another/place" }));
});

/** One member as ar(5) writes it, padded to an even length. */
function member(name: string, bytes: Buffer): Buffer {
  const head = `${name.padEnd(16)}${"0".padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"644".padEnd(8)}${String(bytes.length).padEnd(10)}\`\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), bytes, Buffer.alloc(bytes.length % 2, "\n")]);
}

test("a static library is its members without its own tables, and its functions are what they define", () => {
  const object = program();
  const path = join(folder, "lib.a");
  writeFileSync(path, Buffer.concat([Buffer.from("!<arch>\n"), member("/", Buffer.alloc(5)), member("//", Buffer.from("a-long-name.o/\n")), member("a.o/", Buffer.concat([object, Buffer.alloc(1)])), member("b.o/", object)]));
  assert.deepEqual(members(Buffer.concat([Buffer.from("!<arch>\n"), member("/", Buffer.alloc(5)), member("x.o/", Buffer.from("odd"))])).map(String), ["odd"]);
  // The sample's symbols name no section, so they are only asked for.
  assert.deepEqual([...functionsOfLibrary(path)], []);
  const defined = Buffer.from(object);
  const symbols = Number(defined.readBigUInt64LE(Number(defined.readBigUInt64LE(40)) + 64 + 24));
  defined.writeUInt16LE(1, symbols + 6);
  const other = join(folder, "other.a");
  writeFileSync(other, Buffer.concat([Buffer.from("!<arch>\n"), member("c.o/", defined)]));
  assert.deepEqual([...functionsOfLibrary(other)], ["nullius_window_open"]);
  assert.throws(() => members(Buffer.from("#!/bin/sh\n")), /not an archive of object files/);
});
