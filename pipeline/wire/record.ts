import { reasons, WireFault } from "./reason.js";
import { content, headerBytes, readHeader, slotBytes, SlotReader, viewOf, type Header, type Slot } from "./slot.js";

/** A record's fields in order; each takes eight bytes of the fixed section. */
export interface Schema {
  /** As in a fault: "balance request". */
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: "uint64" | "text" | "bytes" }[];
}

/** The records of native/zap/record/balance.zap. */
export const balanceRequest: Schema = { name: "balance request", fields: [{ name: "id", type: "uint64" }, { name: "block", type: "uint64" }, { name: "method", type: "text" }, { name: "account", type: "bytes" }] };
export const balanceResponse: Schema = { name: "balance response", fields: [{ name: "id", type: "uint64" }, { name: "balance", type: "uint64" }, { name: "nonce", type: "uint64" }, { name: "blockHash", type: "bytes" }] };

/** A field of a record: a number, or the slot that refers to its bytes. */
export interface RecordField {
  readonly name: string;
  readonly type: "uint64" | "text" | "bytes";
  /** Where it stands in the fixed section, in bytes from the start of the message. */
  readonly at: number;
  readonly number?: bigint;
  readonly slot?: Slot;
}

/** A typed record with the places of its fields. */
export interface TypedRecord extends Header {
  readonly schema: Schema;
  /** Bytes of the fixed section. */
  readonly fixed: number;
  readonly fields: readonly RecordField[];
}

/** Reads a typed record of a schema from a whole message. Throws a WireFault. */
export function readRecord(message: Uint8Array, schema: Schema): TypedRecord {
  const header = readHeader(message, 0);
  if (header.type !== 0) throw new WireFault("flags", 6, reasons.type);
  const fixed = slotBytes * schema.fields.length;
  const { root } = readHeader(message, fixed);
  const reader = new SlotReader(message, `${schema.name} `, root + fixed);
  const fields = schema.fields.map(({ name, type }, index): RecordField => {
    const at = root + slotBytes * index;
    return type === "uint64" ? { name, type, at, number: viewOf(message).getBigUint64(at, true) } : { name, type, at, slot: reader.read(name, at) };
  });
  return { ...header, schema, fixed, fields };
}

/** A record's field in words: a number in digits, a text as it is, bytes in hexadecimal. */
export function fieldText(message: Uint8Array, field: RecordField): string {
  if (field.slot === undefined) return String(field.number);
  const bytes = Buffer.from(content(message, field.slot));
  return field.type === "text" ? bytes.toString() : bytes.toString("hex");
}

/** A record as the JSON that stands beside it: numbers as numbers, text as it is, bytes as 0x and hexadecimal. */
export function recordJson(message: Uint8Array, record: TypedRecord): string {
  const members = record.fields.map((field) => {
    const text = fieldText(message, field);
    return `${JSON.stringify(field.name)}:${field.type === "uint64" ? text : JSON.stringify(field.type === "bytes" ? `0x${text}` : text)}`;
  });
  return `{${members.join(",")}}`;
}

/** A record's bytes as the format has them; a value for each field, in order. */
export function writeRecord(schema: Schema, values: readonly (bigint | Uint8Array)[]): Uint8Array {
  let tail = headerBytes + slotBytes * values.length;
  const message = Buffer.alloc(values.reduce<number>((sum, value) => sum + (typeof value === "bigint" ? 0 : value.length), tail));
  message.write("ZAP\0\x01", "latin1");
  message.writeUInt32LE(headerBytes, 8);
  message.writeUInt32LE(message.length, 12);
  schema.fields.forEach(({ type }, index) => {
    const at = headerBytes + slotBytes * index;
    const value = values[index];
    if (typeof value === "bigint" && type === "uint64") message.writeBigUInt64LE(value, at);
    else if (value instanceof Uint8Array && type !== "uint64") {
      if (value.length === 0) return;
      message.writeUInt32LE(tail - at, at);
      message.writeUInt32LE(value.length, at + 4);
      message.set(value, tail);
      tail += value.length;
    } else throw new TypeError(`${schema.name}: field ${index} is not given as ${type}`);
  });
  return message;
}
