import { Fault } from "../fault.js";
import { dissectHttp } from "./http.js";
import { readHeaders } from "./headers.js";
import { readMessage } from "./message.js";
import { leaves, type Part } from "./part.js";
import { balanceRequest, balanceResponse, fieldText, readRecord, type Schema } from "./record.js";
import { reasons, WireFault } from "./reason.js";
import { content, headerBytes, prefixBytes, slotBytes, type Header, type Slot } from "./slot.js";

/** What a captured frame is: `auto` looks at its first bytes. */
export type Format = "auto" | "zap" | "zap with prefix" | "http" | "balance request" | "balance response";

/**
 * Takes a captured frame apart, into a tree of parts that covers every byte once: a ZAP message with or without the length
 * prefix of its connection, a typed record (which has to be named, since a message does not say its schema), or an HTTP/1.1
 * message. Bytes may be given as hexadecimal. Throws a Fault that says what is wrong and where.
 */
export function dissect(frame: Uint8Array | string, format: Format = "auto"): Part {
  const bytes = typeof frame === "string" ? fromHex(frame) : frame;
  switch (format === "auto" ? guess(bytes) : format) {
    case "http": return dissectHttp(bytes);
    case "zap with prefix": return prefixed(bytes);
    case "balance request": return record(bytes, balanceRequest);
    case "balance response": return record(bytes, balanceResponse);
    default: return zap(bytes, 0);
  }
}

/** One line for each part without parts: offset, length, bytes in hexadecimal, name, value. */
export function dissection(frame: Uint8Array | string, format: Format = "auto"): string {
  const bytes = typeof frame === "string" ? fromHex(frame) : frame;
  return leaves(dissect(bytes, format)).map((part) => {
    const hex = Buffer.from(bytes.subarray(part.offset, part.offset + part.length)).toString("hex");
    const shown = hex.length > 32 ? `${hex.slice(0, 31)}…` : hex;
    return `${String(part.offset).padStart(5)} ${String(part.length).padStart(5)}  ${shown.padEnd(32)}  ${part.name}${part.value === undefined ? "" : ` ${part.value}`}${part.note === undefined ? "" : ` (${part.note})`}`.trimEnd();
  }).join("\n");
}

/** Bytes from hexadecimal digits, spaces between them allowed. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replace(/\s/g, "");
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) throw new Fault("zap: the frame is not given as pairs of hexadecimal digits: give a Uint8Array or its hexadecimal text");
  return Buffer.from(digits, "hex");
}

function guess(bytes: Uint8Array): Format {
  const start = (at: number): string => Buffer.from(bytes.subarray(at, at + 4)).toString("latin1");
  if (start(0) === "ZAP\0") return "zap";
  if (start(prefixBytes) === "ZAP\0") return "zap with prefix";
  return /^[A-Z]{3,}/.test(start(0)) ? "http" : "zap";
}

function prefixed(bytes: Uint8Array): Part {
  if (bytes.length < prefixBytes) throw new WireFault("length prefix", bytes.length, reasons.truncated);
  const length = Buffer.from(bytes).readUInt32BE(0);
  if (length === 0) throw new WireFault("length prefix", 0, reasons.zero);
  if (length > 64 << 20) throw new WireFault("length prefix", 0, reasons.tooLong);
  if (length !== bytes.length - prefixBytes) throw new WireFault("length prefix", 0, reasons.size);
  const message = zap(bytes.subarray(prefixBytes), prefixBytes);
  return { name: "frame", offset: 0, length: bytes.length, parts: [{ name: "length prefix", offset: 0, length: prefixBytes, value: String(length) }, message] };
}

/** A ZAP message whose first byte stands at `base` of what was captured. */
function zap(message: Uint8Array, base: number): Part {
  const read = readMessage(message);
  const fixed: Part[] = read.status === undefined ? [] : [{ name: "status", offset: read.root, length: slotBytes, value: String(read.status) }];
  fixed.push(...read.slots.map((slot) => slotPart(slot)));
  const tail = read.slots.filter((slot) => slot.to > slot.from).map((slot) => contentPart(message, slot));
  return whole(read.kind, message, base, read, read.fixed, fixed, tail);
}

function record(message: Uint8Array, schema: Schema): Part {
  const read = readRecord(message, schema);
  const fixed = read.fields.map((field): Part => (field.slot === undefined ? { name: field.name, offset: field.at, length: slotBytes, value: String(field.number) } : slotPart(field.slot)));
  const tail = read.fields.flatMap((field): Part[] => {
    if (field.slot === undefined || field.slot.from === field.slot.to) return [];
    return [{ name: field.name, offset: field.slot.from, length: field.slot.to - field.slot.from, value: fieldText(message, field) }];
  });
  return whole(schema.name, message, 0, read, read.fixed, fixed, tail);
}

function slotPart(slot: Slot): Part {
  const value = slot.to === slot.from ? "empty" : `${slot.to - slot.from} bytes at ${slot.from}`;
  return { name: `${slot.name} slot`, offset: slot.at, length: slotBytes, value };
}

function contentPart(message: Uint8Array, slot: Slot): Part {
  const bytes = content(message, slot);
  const part = { name: slot.name, offset: slot.from, length: bytes.length, value: Buffer.from(bytes).toString() };
  if (slot.name !== "headers" && !slot.name.endsWith("trailer")) return part;
  return { ...part, note: readHeaders(bytes).map(({ name, value }) => `${name}: ${value}`).join("; ") };
}

/** Header, fixed section and tail, moved to where the message starts, with a part for every byte that nothing refers to. */
function whole(name: string, message: Uint8Array, base: number, header: Header, fixedBytes: number, fixed: readonly Part[], tail: readonly Part[]): Part {
  const { root } = header;
  const top: Part[] = [
    { name: "header", offset: 0, length: headerBytes, parts: headerParts(message, header) },
    { name: "fixed section", offset: root, length: fixedBytes, parts: fixed },
    ...tail,
  ];
  const filled: Part[] = [];
  let at = 0;
  for (const part of [...top, { name: "end", offset: message.length, length: 0 }]) {
    if (part.offset > at) filled.push({ name: "gap", offset: at, length: part.offset - at, note: "nothing refers to it" });
    if (part.length > 0) filled.push(part);
    at = Math.max(at, part.offset + part.length);
  }
  return moved({ name, offset: 0, length: message.length, parts: filled }, base);
}

function headerParts(message: Uint8Array, { version, type, root }: Header): Part[] {
  return [
    { name: "magic", offset: 0, length: 4, value: "ZAP\\0" },
    { name: "version", offset: 4, length: 2, value: String(version) },
    { name: "flags", offset: 6, length: 2, value: `0x${(type << 8).toString(16).padStart(4, "0")}` },
    { name: "root offset", offset: 8, length: 4, value: String(root) },
    { name: "total size", offset: 12, length: 4, value: String(message.length) },
  ];
}

function moved(part: Part, by: number): Part {
  return { ...part, offset: part.offset + by, ...(part.parts === undefined ? {} : { parts: part.parts.map((inner) => moved(inner, by)) }) };
}
