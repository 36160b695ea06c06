import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inProject } from "../build/root.js";
import { balanceRequest, balanceResponse, content, readHeaders, readMessage, readRecord, WireFault } from "../build/wire/index.js";
import { readHeader } from "../build/wire/slot.js";
import { vectors } from "./wire-vectors.ts";

interface Fault { field: string; offset: number; reason: string }
interface Verdict { type: number; fault?: Fault; values?: Record<string, string>; headers: [string, string][] | null; trailer: [string, string][] | null; response?: Verdict }

const [go] = globSync(inProject(".venv", "lib", "python3*", "site-packages", "go", "bin", "go"));
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** What the Go package makes of each message. */
function goVerdicts(messages: readonly Uint8Array[]): Verdict[] {
  const folder = mkdtempSync(join(tmpdir(), "nullius-verdicts-"));
  try {
    const program = join(folder, "verdicts");
    execFileSync(go!, ["build", "-o", program, "./differential/verdicts"], { cwd: inProject("native", "zap"), env: { ...process.env, CGO_ENABLED: "0", GOTOOLCHAIN: "local", GOWORK: "off" } });
    const lines = execFileSync(program, { input: messages.map(hex).join("\n") + "\n", encoding: "utf8", maxBuffer: 1 << 30 });
    return lines.trimEnd().split("\n").map((line) => JSON.parse(line) as Verdict);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the decoder of the pipeline makes of a message, in the same words. */
function verdict(message: Uint8Array): Verdict {
  let type = 0;
  try {
    type = readHeader(message, 0).type;
    if (type === 0) return { ...record(message, balanceRequest), response: record(message, balanceResponse) };
    if (type > 5) return { type, headers: null, trailer: null };
    const read = readMessage(message);
    const values: Record<string, string> = read.status === undefined ? {} : { status: String(read.status) };
    const pairs: Record<string, [string, string][] | null> = {};
    for (const slot of read.slots) {
      if (slot.name === "headers" || slot.name === "trailer") pairs[slot.name] = headers(content(message, slot));
      else values[slot.name] = hex(content(message, slot));
    }
    return { type, values, headers: pairs["headers"] ?? null, trailer: pairs["trailer"] ?? null };
  } catch (error) {
    return { type, fault: faultOf(error), headers: null, trailer: null };
  }
}

function record(message: Uint8Array, schema: typeof balanceRequest): Verdict {
  try {
    const values = readRecord(message, schema).fields.map((field): [string, string] => [field.name, field.slot === undefined ? String(field.number) : hex(content(message, field.slot))]);
    return { type: 0, values: Object.fromEntries(values), headers: null, trailer: null };
  } catch (error) {
    return { type: 0, fault: faultOf(error), headers: null, trailer: null };
  }
}

function headers(bytes: Uint8Array): [string, string][] | null {
  try {
    return readHeaders(bytes).map(({ name, value }) => [name, value]);
  } catch (error) {
    faultOf(error);
    return null;
  }
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof WireFault)) throw error;
  return { field: error.field, offset: error.offset, reason: error.reason };
}

/** A generator of numbers below a bound that gives the same run for the same seed (xorshift). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Numbers that decoders stumble over, and bytes that headers and texts do. */
const numbers = [0, 1, 7, 8, 15, 16, 17, 24, 47, 48, 49, 63, 64, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff];
const bytes = [0, 9, 10, 13, 32, 34, 92, 44, 58, 91, 93, 123, 125, 127, 0x80, 0xc3, 0xff, 60];
const pieces = ['\\u0041', '\\ud83d\\ude00', '\\ud83d', '\\r', '\\u0000', '"', '",', '":["', '"]}', '"],"', " ", "é", "\t", "null", "[]", "{}", "\\x"];

/** A message broken in one to three ways; most keep an honest total size, so that what follows is looked at. */
function mutated(message: Uint8Array, pick: (below: number) => number): Uint8Array {
  let copy = Buffer.from(message);
  for (let times = 1 + pick(3); times > 0; times--) {
    const at = pick(copy.length || 1);
    switch (pick(7)) {
      case 0: if (copy.length > 0) copy[at] = pick(256); break;
      case 1: if (copy.length > 0) copy[at] = bytes[pick(bytes.length)]!; break;
      case 2: if (copy.length >= 64) copy.writeUInt32LE(numbers[pick(numbers.length)]!, 4 * pick(16)); break;
      case 3: if (copy.length >= 64) copy.writeUInt32LE((copy.readUInt32LE(16 + 4 * pick(12)) + pick(5) - 2) >>> 0, 16 + 4 * pick(12)); break;
      case 4: copy = copy.subarray(0, at); break;
      case 5: copy = Buffer.concat([copy.subarray(0, at), Buffer.from(pieces[pick(pieces.length)]!), copy.subarray(at)]); break;
      default: copy = Buffer.concat([copy, Buffer.from([pick(256)])]);
    }
  }
  if (copy.length >= 16 && pick(8) > 0) copy.writeUInt32LE(copy.length, 12);
  return copy;
}

/** A request with these headers and nothing else. */
function withHeaders(json: Uint8Array): Uint8Array {
  const message = Buffer.concat([Buffer.from("5a415000010000011000000000000000300000000100000029000000010000000000000000000000", "hex"), Buffer.alloc(24), Buffer.from("G/"), json]);
  message.writeUInt32LE(message.length, 12);
  if (json.length > 0) {
    message.writeUInt32LE(66 - 40, 40);
    message.writeUInt32LE(json.length, 44);
  }
  return message;
}

const headerTexts = ['{"A":["1"]}', '{"A":["1","2"],"B":["\\u003c\\ud83d\\ude00"]}', ' { "A" : [ ] , "Z" : [ "é" , "x\\ty" ] } ', '{"Content-Type":["text/plain; charset=utf-8"],"User-Agent":["bench/1.0 (linux)"]}', "{}", ""];

/** A text of headers broken in one place, or two. */
function mutatedText(text: Uint8Array, pick: (below: number) => number): Uint8Array {
  let copy = Buffer.from(text);
  for (let times = 1 + pick(2); times > 0; times--) {
    const at = pick(copy.length + 1);
    const put = pick(2) === 0 ? Buffer.from(pieces[pick(pieces.length)]!) : Buffer.from([bytes[pick(bytes.length)]!]);
    copy = Buffer.concat([copy.subarray(0, at), put, copy.subarray(at + pick(3))]);
  }
  return copy;
}

/** The vectors, what the fuzzer of Go found worth keeping, headers of all sorts, and each of these broken in many ways. */
function corpus(): Uint8Array[] {
  const whole = Object.values(vectors).filter((group) => typeof group === "object").flatMap((group) => Object.values(group)).map((text) => new Uint8Array(Buffer.from(text, "hex")));
  const texts = headerTexts.map((text) => Buffer.from(text));
  const seeds = [...whole, ...whole.map((message) => message.subarray(4)), ...texts.map(withHeaders), ...fuzzed()];
  const pick = random(20260101);
  return [
    ...seeds, ...seeds.flatMap((seed) => Array.from({ length: 200 }, () => mutated(seed, pick))),
    ...texts.flatMap((text) => Array.from({ length: 500 }, () => withHeaders(mutatedText(text, pick)))),
  ];
}

/** The messages of the corpora committed beside the Go fuzz targets. */
function fuzzed(): Uint8Array[] {
  return [["wire", "FuzzDecodeRequest"], ["wire", "FuzzDecodeResponse"], ["record", "FuzzRecord"]].flatMap(([room, target]) => {
    const folder = inProject("native", "zap", room!, "testdata", "fuzz", target!);
    if (!existsSync(folder)) return [];
    return readdirSync(folder).map((file) => goBytes(readFileSync(join(folder, file), "utf8")));
  });
}

/** The bytes of a corpus file, `[]byte("...")` with Go's escapes. */
function goBytes(file: string): Uint8Array {
  const [, text = ""] = /^\[\]byte\("(.*)"\)$/m.exec(file) ?? [];
  const parts = [...text.matchAll(/\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|\\([abfnrtv\\"])|([^\\]+)/g)];
  return Buffer.concat(parts.map(([, byte, short, long, letter, plain]) => {
    if (byte !== undefined) return Buffer.from(byte, "hex");
    const point = short ?? long;
    if (point !== undefined) return Buffer.from(String.fromCodePoint(parseInt(point, 16)));
    if (letter !== undefined) return Buffer.from({ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }[letter] ?? letter);
    return Buffer.from(plain ?? "");
  }));
}

test("two decoders, one in Go and one here, say the same of every message", { skip: go === undefined ? "Go is not installed here: make setup" : false }, () => {
  const messages = corpus();
  const theirs = goVerdicts(messages);
  assert.equal(theirs.length, messages.length);
  let taken = 0;
  let [headersRead, headersRefused] = [0, 0];
  const reasons = new Set<string>();
  messages.forEach((message, index) => {
    const other = theirs[index]!;
    assert.deepEqual(verdict(message), other, hex(message));
    if (other.fault === undefined) taken++;
    else reasons.add(other.fault.reason);
    if ((other.headers?.length ?? 0) > 0) headersRead++;
    if (other.type === 1 && other.fault === undefined && other.headers === null) headersRefused++;
  });
  // A corpus of which nothing, or all, is taken would compare little.
  assert.ok(messages.length > 5_000 && taken > messages.length / 20 && taken < messages.length * 0.95, `${taken} of ${messages.length} taken`);
  assert.ok(headersRead > 200 && headersRefused > 500, `${headersRead} with headers, ${headersRefused} with headers refused`);
  assert.ok(reasons.size >= 10, [...reasons].join("; "));
});
