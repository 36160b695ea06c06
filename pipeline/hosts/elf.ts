import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";

export interface FunctionSymbol {
  readonly name: string;
  readonly address: bigint;
}

/** What the emulated meter needs to know of a statically linked program. */
export interface Image {
  readonly path: string;
  readonly machine: "amd64" | "arm64";
  /** Addresses that hold code: from the lowest executable segment's start to the highest's end. */
  readonly text: { readonly low: bigint; readonly high: bigint };
  /** Functions, ascending by address. */
  readonly functions: readonly FunctionSymbol[];
}

const machines: Readonly<Record<number, Image["machine"]>> = { 62: "amd64", 183: "arm64" };
const loadSegment = 1;
const executable = 1;
const fixedAddress = 2;
const symbolTable = 2;
const functionType = 2;

/**
 * Reads a 64-bit little-endian ELF program linked at a fixed address (System V ABI, chapters 4 and 5).
 *
 * Throws when it is anything else: the meter tells tasks apart by address, which a relocated program would defeat.
 */
export function readImage(path: string): Image {
  const file = readFileSync(path);
  const refuse = (why: string): never => {
    throw new Error(`${path}: ${why}`);
  };
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) refuse("not a 64-bit little-endian ELF program");
  const machine = machines[file.readUInt16LE(18)] ?? refuse("built for neither amd64 nor arm64");
  if (file.readUInt16LE(16) !== fixedAddress) refuse("not linked at a fixed address; link it with -static and without -pie");
  const text = textOf(file) ?? refuse("has no executable segment");
  return { path, machine, text, functions: functionsOf(file) };
}

/** The address of a function. Throws when the program has none of that name. */
export function addressOf(image: Image, name: string): bigint {
  const found = image.functions.find((symbol) => symbol.name === name);
  if (!found) throw new Error(`${image.path}: no function ${name}; it must be exported and the symbols kept`);
  return found.address;
}

/**
 * A program without what no segment loads: symbols and debug information, which name paths of the machine that built it.
 * It runs as before, and its bytes are the same wherever it was built.
 */
export function loadedPart(file: Buffer): Buffer {
  const table = Number(file.readBigUInt64LE(32));
  const size = file.readUInt16LE(54);
  const count = file.readUInt16LE(56);
  const ends = Array.from({ length: count }, (_, n) => table + n * size).map((at) => Number(file.readBigUInt64LE(at + 8) + file.readBigUInt64LE(at + 32)));
  const part = Buffer.from(file.subarray(0, Math.max(table + count * size, ...ends)));
  part.writeBigUInt64LE(0n, 40); // where the sections' headers were
  part.writeUInt32LE(0, 60); // how many, and which names them
  return part;
}

function textOf(file: Buffer): Image["text"] | undefined {
  const table = Number(file.readBigUInt64LE(32));
  const size = file.readUInt16LE(54);
  const segments = Array.from({ length: file.readUInt16LE(56) }, (_, n) => table + n * size)
    .filter((at) => file.readUInt32LE(at) === loadSegment && (file.readUInt32LE(at + 4) & executable) !== 0)
    .map((at) => ({ start: file.readBigUInt64LE(at + 16), length: file.readBigUInt64LE(at + 40) }));
  if (segments.length === 0) return undefined;
  const starts = segments.map(({ start }) => start);
  const ends = segments.map(({ start, length }) => start + length);
  return { low: starts.reduce((a, b) => (a < b ? a : b)), high: ends.reduce((a, b) => (a > b ? a : b)) };
}

interface Symbol {
  readonly name: string;
  readonly address: bigint;
  readonly isFunction: boolean;
  /** Whether it is here or only asked for. */
  readonly isDefined: boolean;
}

function symbolsOf(file: Buffer): Symbol[] {
  const table = Number(file.readBigUInt64LE(40));
  const size = file.readUInt16LE(58);
  const sections = Array.from({ length: file.readUInt16LE(60) }, (_, n) => table + n * size);
  const symbols = sections.find((at) => file.readUInt32LE(at + 4) === symbolTable);
  if (symbols === undefined) return [];
  const names = Number(file.readBigUInt64LE(sections[file.readUInt32LE(symbols + 40)]! + 24));
  const first = Number(file.readBigUInt64LE(symbols + 24));
  const entry = 24;
  return Array.from({ length: Number(file.readBigUInt64LE(symbols + 32)) / entry }, (_, n) => first + n * entry).map((at) => ({
    name: stringAt(file, names + file.readUInt32LE(at)),
    address: file.readBigUInt64LE(at + 8),
    isFunction: (file[at + 4]! & 15) === functionType,
    isDefined: file.readUInt16LE(at + 6) !== 0,
  }));
}

function functionsOf(file: Buffer): FunctionSymbol[] {
  return symbolsOf(file)
    .filter(({ isFunction, address }) => isFunction && address !== 0n)
    .map(({ name, address }) => ({ name, address }))
    .sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : a.name < b.name ? -1 : 1));
}

/** Names of the functions that an object file, not yet linked, defines. */
export function definedFunctions(object: Buffer): string[] {
  return symbolsOf(object).filter(({ isFunction, isDefined }) => isFunction && isDefined).map(({ name }) => name);
}

function stringAt(file: Buffer, start: number): string {
  return file.toString("utf8", start, file.indexOf(0, start));
}
