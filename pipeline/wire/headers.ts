import { reasons, WireFault } from "./reason.js";

/** A header field as it stands in a message, one for each value. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** Most bytes of headers, and most names, and most values, of one message. */
export const maxHeadersBytes = 64 << 10;
export const maxHeaderFields = 256;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const string = /"(?:[^"\\\u0000-\u001f\u007f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const space = /[ \t\r\n]*/y;

/**
 * Reads the headers of a message, `{"Name":["value",...]}`, into one field for each value. White space between the parts is
 * allowed; names must ascend by their bytes. Throws a WireFault whose offset counts from the start of the headers.
 */
export function readHeaders(bytes: Uint8Array): HeaderField[] {
  if (bytes.length === 0) return [];
  if (bytes.length > maxHeadersBytes) throw new WireFault("headers", maxHeadersBytes, reasons.tooLong);
  return new Reader(decode(bytes)).object();
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new WireFault("headers", 0, reasons.utf8);
  }
}

/** Walks through the text; what a string means is left to JSON.parse. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  object(): HeaderField[] {
    const fields: HeaderField[] = [];
    let names = 0;
    let previous: string | undefined;
    this.#mark("{");
    if (!this.#taken("}")) {
      do {
        const name = this.#name(previous);
        if (++names > maxHeaderFields) this.#fail("headers", reasons.tooMany);
        previous = name;
        this.#mark(":");
        for (const value of this.#array(fields.length)) fields.push({ name, value });
      } while (this.#taken(","));
      this.#mark("}");
    }
    this.#skip();
    if (this.#at !== this.#text.length) this.#fail("headers", reasons.json);
    return fields;
  }

  #array(before: number): string[] {
    const values: string[] = [];
    this.#mark("[");
    if (this.#taken("]")) return values;
    do {
      const value = this.#string("header value");
      if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) this.#fail("header value", reasons.character);
      values.push(value);
      if (before + values.length > maxHeaderFields) this.#fail("headers", reasons.tooMany);
    } while (this.#taken(","));
    this.#mark("]");
    return values;
  }

  #name(previous: string | undefined): string {
    const name = this.#string("header name");
    if (!token.test(name)) this.#fail("header name", reasons.character);
    // Tokens are ASCII, so that code units are in the order of bytes.
    if (previous !== undefined && name <= previous) this.#fail("header name", reasons.unsorted);
    return name;
  }

  #string(field: string): string {
    this.#skip();
    string.lastIndex = this.#at;
    const found = string.exec(this.#text)?.[0];
    if (found === undefined) this.#fail(field, reasons.json);
    const text = JSON.parse(found) as string;
    if (!text.isWellFormed()) this.#fail(field, reasons.escape);
    this.#at += found.length;
    return text;
  }

  #taken(mark: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #mark(mark: string): void {
    if (!this.#taken(mark)) this.#fail("headers", reasons.json);
  }

  #skip(): void {
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
  }

  #fail(field: string, reason: WireFault["reason"]): never {
    throw new WireFault(field, Buffer.byteLength(this.#text.slice(0, this.#at)), reason);
  }
}

/** Headers as the format writes them: compact, sorted by name, `<`, `>`, `&` escaped; empty without any. Values of one name keep their order. */
export function writeHeaders(fields: readonly HeaderField[]): string {
  if (fields.length === 0) return "";
  const names = [...new Set(fields.map(({ name }) => name))].sort();
  const object = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(fields.filter((field) => field.name === name).map(({ value }) => value))}`);
  return `{${object.join(",")}}`.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
