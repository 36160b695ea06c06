import { reasons, WireFault } from "./reason.js";
import { content, headerBytes, prefixBytes, readHeader, slotBytes, SlotReader, viewOf, type Header, type Slot } from "./slot.js";
import { writeHeaders, type HeaderField } from "./headers.js";

/** What each type of message is called. */
export const kinds = ["record", "request", "response", "response head", "data", "end"] as const;
export type Kind = (typeof kinds)[number];

/** A message of the HTTP mapping with the places of its slots. Read a slot's bytes with `content`. */
export interface HttpMessage extends Header {
  readonly kind: Exclude<Kind, "record">;
  /** Bytes of the fixed section. */
  readonly fixed: number;
  /** Of a response and a response head. */
  readonly status?: number;
  readonly slots: readonly Slot[];
}

const requestSlots = ["method", "target", "proto", "headers", "body", "trailer"] as const;
const responseSlots = ["reason", "proto", "headers", "body", "trailer"] as const;
const fixedBytes = 48;

/** Reads a message of the HTTP mapping, without its length prefix. Headers and trailer are not looked into. Throws a WireFault. */
export function readMessage(message: Uint8Array): HttpMessage {
  const header = readHeader(message, 0);
  const kind = kinds[header.type];
  if (kind === undefined || kind === "record") throw new WireFault("flags", 6, reasons.type);
  const fixed = kind === "data" || kind === "end" ? slotBytes : fixedBytes;
  readHeader(message, fixed);
  if (kind === "request") return { ...header, kind, fixed, slots: requestOf(message, header.root) };
  if (kind === "response" || kind === "response head") return { ...header, kind, fixed, ...responseOf(message, header.root) };
  const name = kind === "data" ? "data" : "end trailer";
  return { ...header, kind, fixed, slots: [new SlotReader(message, "", header.root + fixed).read(name, header.root)] };
}

function requestOf(message: Uint8Array, root: number): Slot[] {
  const reader = new SlotReader(message, "request ", root + fixedBytes);
  const slots = requestSlots.map((name, index) => reader.read(name, root + slotBytes * index));
  for (const slot of slots.slice(0, 3)) {
    if (slot.from === slot.to && slot.name !== "proto") throw new WireFault(`request ${slot.name}`, slot.at, reasons.missing);
    refuse(message, slot, "request ", (byte) => byte <= 0x20 || byte === 0x7f);
  }
  return slots;
}

function responseOf(message: Uint8Array, root: number): { status: number; slots: Slot[] } {
  const status = viewOf(message).getBigUint64(root, true);
  if (status < 100n || status > 599n) throw new WireFault("response status", root, reasons.status);
  const reader = new SlotReader(message, "response ", root + fixedBytes);
  const slots = responseSlots.map((name, index) => {
    const slot = reader.read(name, root + slotBytes * (index + 1));
    if (name === "reason") refuse(message, slot, "response ", (byte) => (byte < 0x20 && byte !== 0x09) || byte === 0x7f);
    if (name === "proto") refuse(message, slot, "response ", (byte) => byte <= 0x20 || byte === 0x7f);
    return slot;
  });
  return { status: Number(status), slots };
}

function refuse(message: Uint8Array, slot: Slot, prefix: string, bad: (byte: number) => boolean): void {
  if (content(message, slot).some(bad)) throw new WireFault(`${prefix}${slot.name}`, slot.at, reasons.character);
}

/** A request to write. */
export interface PlainRequest {
  readonly method: string;
  readonly target: string;
  readonly proto: string;
  /** Without Host, which the published code does not carry. */
  readonly headers: readonly HeaderField[];
  readonly body?: string;
}

/** The bytes of a request as the format has them, with the length prefix if `prefixed`: for figures and for counting. */
export function writeRequest(request: PlainRequest, prefixed: boolean): Uint8Array {
  const texts = [request.method, request.target, request.proto, writeHeaders(request.headers), request.body ?? "", ""].map((text) => Buffer.from(text));
  const before = prefixed ? prefixBytes : 0;
  const total = headerBytes + fixedBytes + texts.reduce((sum, text) => sum + text.length, 0);
  const frame = Buffer.alloc(before + total);
  if (prefixed) frame.writeUInt32BE(total, 0);
  const message = frame.subarray(before);
  message.write("ZAP\0", "latin1");
  message.writeUInt16LE(1, 4);
  message.writeUInt16LE(1 << 8, 6);
  message.writeUInt32LE(headerBytes, 8);
  message.writeUInt32LE(total, 12);
  let tail = headerBytes + fixedBytes;
  texts.forEach((text, index) => {
    if (text.length === 0) return;
    const at = headerBytes + slotBytes * index;
    message.writeUInt32LE(tail - at, at);
    message.writeUInt32LE(text.length, at + 4);
    text.copy(message, tail);
    tail += text.length;
  });
  return frame;
}
