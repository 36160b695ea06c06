import { reasons, WireFault } from "./reason.js";

/** Bytes of a message's header. */
export const headerBytes = 16;

/** Bytes of a slot: offset and length, four each. */
export const slotBytes = 8;

/** Bytes of the length before a message on a connection. */
export const prefixBytes = 4;

/** A message's header after its checks. */
export interface Header {
  readonly version: number;
  /** 0 a typed record, 1 request, 2 response, 3 response head, 4 data, 5 end. */
  readonly type: number;
  /** Where the fixed section starts, in bytes from the start of the message. */
  readonly root: number;
}

/** A slot of a fixed section with what it refers to; `from` and `to` are equal where it is empty. Positions in bytes from the start of the message. */
export interface Slot {
  readonly name: string;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** The view of a message that reads its numbers. */
export function viewOf(message: Uint8Array): DataView {
  return new DataView(message.buffer, message.byteOffset, message.byteLength);
}

/** Checks a header: magic, version 1 or 2, that the total size is what is there and that a fixed section of so many bytes is inside. Throws a WireFault. */
export function readHeader(message: Uint8Array, fixed: number): Header {
  if (message.length < headerBytes) throw new WireFault("header", message.length, reasons.truncated);
  const view = viewOf(message);
  if (view.getUint32(0) !== 0x5a415000) throw new WireFault("magic", 0, reasons.magic);
  const version = view.getUint16(4, true);
  if (version !== 1 && version !== 2) throw new WireFault("version", 4, reasons.version);
  if (view.getUint8(6) !== 0) throw new WireFault("flags", 6, reasons.type);
  if (view.getUint32(12, true) !== message.length) throw new WireFault("total size", 12, reasons.size);
  const root = view.getUint32(8, true);
  if (root < headerBytes || root + fixed > message.length) throw new WireFault("root offset", 8, reasons.root);
  return { version, type: view.getUint8(7), root };
}

/** Reads slots one after another: each must refer to bytes after the fixed section and after those of the slot before it. */
export class SlotReader {
  readonly #message: Uint8Array;
  readonly #prefix: string;
  #floor: number;

  /** `prefix` stands before a slot's name in a fault; `end` is where the fixed section ends. */
  constructor(message: Uint8Array, prefix: string, end: number) {
    this.#message = message;
    this.#prefix = prefix;
    this.#floor = end;
  }

  read(name: string, at: number): Slot {
    const view = viewOf(this.#message);
    const [offset, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    if (offset === 0 && length === 0) return { name, at, from: this.#floor, to: this.#floor };
    const from = at + offset;
    const to = from + length;
    if (to > this.#message.length) throw new WireFault(`${this.#prefix}${name}`, at, reasons.pastEnd);
    if (from < this.#floor) throw new WireFault(`${this.#prefix}${name}`, at, reasons.overlap);
    this.#floor = to;
    return { name, at, from, to };
  }
}

/** The bytes that a slot refers to. */
export function content(message: Uint8Array, slot: Slot): Uint8Array {
  return message.subarray(slot.from, slot.to);
}
