import type { Estimate } from "../stats/estimate.js";
import { dissectHttp, writeHttpRequest } from "./http.js";
import { dissect } from "./dissect.js";
import { writeRequest } from "./message.js";
import { leaves } from "./part.js";
import { balanceRequest, balanceResponse, readRecord, recordJson, writeRecord, type Schema } from "./record.js";

/** What a run of bytes is for: what frames a message, a slot, a name, a value, and what only keeps these apart. */
type Run = readonly [part: string, field: string, length: number];

/** The parts of the header of a ZAP message and of its connection, by what `dissect` calls them. */
const framing: Readonly<Record<string, string>> = { "length prefix": "length", magic: "magic", version: "version", flags: "flags", "root offset": "root", "total size": "size" };

/** The request that is drawn, as every client of HTTP could send it. */
const request = { method: "GET", target: "/health", proto: "HTTP/1.1", headers: [{ name: "User-Agent", value: "bench" }] } as const;
const host = "localhost:8080";

/** The records that are drawn: those of the golden vectors. */
const account = Buffer.from(Array.from({ length: 20 }, (_, index) => index + 1));
const blockHash = Buffer.from(Array.from({ length: 32 }, (_, index) => 0xa0 + index));

/**
 * The bytes of `GET /health` and of the typed record in both forms, as rows to draw: one for each run of bytes with one
 * meaning. `value` is its length in bytes; the factors say whose it is (`subject`, `protocol`, `message`), where it starts
 * (`place`), what it is (`part`, `field`) and what it holds (`bytes`, hexadecimal).
 */
export function frameRows(): Estimate[] {
  const zap = writeRequest(request, true);
  const http = writeHttpRequest(request, host);
  return [
    ...rowsOf("health", "zap", "request", zap, zapRuns(zap, "zap with prefix")),
    ...rowsOf("health", "http", "request", http, httpRuns(http)),
    ...recordRows("request", balanceRequest, [1n, 68943n, Buffer.from("eth_getBalance"), account]),
    ...recordRows("response", balanceResponse, [1n, 10n ** 18n, 42n, blockHash]),
  ];
}

function recordRows(message: string, schema: Schema, values: readonly (bigint | Uint8Array)[]): Estimate[] {
  const zap = writeRecord(schema, values);
  const json = recordJson(zap, readRecord(zap, schema));
  return [
    ...rowsOf("record", "zap", message, zap, zapRuns(zap, schema === balanceRequest ? "balance request" : "balance response")),
    ...rowsOf("record", "json", message, Buffer.from(json), jsonRuns(json)),
  ];
}

function rowsOf(subject: string, protocol: string, message: string, bytes: Uint8Array, runs: readonly Run[]): Estimate[] {
  let place = 0;
  return runs.map(([part, field, length]) => {
    const factors = { subject, protocol, message, place, part, field, bytes: Buffer.from(bytes.subarray(place, place + length)).toString("hex") };
    place += length;
    return { experiment: "frame", metric: "wire_bytes", factors, statistic: "as given", value: length, low: length, high: length, level: 1, method: "none", n: 1, unit: "B", meter: "codec", basis: "native", runs: [], command: "" };
  });
}

function zapRuns(bytes: Uint8Array, format: "zap with prefix" | "balance request" | "balance response"): Run[] {
  return leaves(dissect(bytes, format)).flatMap(({ name, length, value = "" }): Run[] => {
    const part = framing[name];
    if (part !== undefined) return [[part, "", length]];
    if (name.endsWith(" slot")) return [["slot", name.slice(0, -" slot".length), length]];
    return name === "headers" ? jsonRuns(value) : [["value", name, length]];
  });
}

function httpRuns(bytes: Uint8Array): Run[] {
  let header = "";
  return leaves(dissectHttp(bytes)).map(({ name, length, value = "" }): Run => {
    if (name === "name") return ["name", (header = value), length];
    if (name === "separator" || name.endsWith("line end") || name === "empty line") return ["syntax", "", length];
    return ["value", name === "value" ? header : name, length];
  });
}

/** A JSON object's runs: names, values without quotes, and what keeps them apart. ASCII only. */
function jsonRuns(text: string): Run[] {
  const runs: Run[] = [];
  const put = (part: string, field: string, length: number): void => {
    const last = runs.at(-1);
    if (last?.[0] === "syntax" && part === "syntax") runs[runs.length - 1] = ["syntax", "", last[2] + length];
    else if (length > 0) runs.push([part, field, length]);
  };
  let name = "";
  for (const [whole, string, colon, number] of text.matchAll(/"([^"]*)"(:?)|(\d+)|[^"\d]/g)) {
    if (string === undefined) put(number === undefined ? "syntax" : "value", number === undefined ? "" : name, whole.length);
    else {
      put("syntax", "", 1);
      if (colon === ":") name = string;
      put(colon === ":" ? "name" : "value", name, string.length);
      put("syntax", "", 1 + (colon ?? "").length);
    }
  }
  return runs;
}
