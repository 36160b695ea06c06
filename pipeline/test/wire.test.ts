import assert from "node:assert/strict";
import { test } from "node:test";
import { articleCounts, balanceRequest, balanceResponse, content, dissect, dissection, leaves, matchingRequests, nearestRequests, plausibleRequests, readHeaders, readMessage, readRecord, recordJson, writeHeaders, writeRequest, WireFault, type Part } from "../build/wire/index.js";
import { frameRows } from "../build/wire/rows.js";
import { balanceRequestVector, balanceResponseVector, bare, health, okResponse, vector, vectors } from "./wire-vectors.ts";

const text = (part: Part): string[] => leaves(part).map(({ offset, length, name, value }) => `${offset}+${length} ${name}${value === undefined ? "" : `=${value}`}`);

/** Fails unless the parts inside every part cover it, byte after byte. */
function covers(part: Part): void {
  if (part.parts === undefined) return;
  let at = part.offset;
  for (const inner of part.parts) {
    assert.equal(inner.offset, at, `${inner.name} of ${part.name}`);
    covers(inner);
    at += inner.length;
  }
  assert.equal(at, part.offset + part.length, part.name);
}

test("the golden request comes apart byte by byte", () => {
  const part = dissect(vector("http", health));
  covers(part);
  assert.deepEqual(text(part), [
    "0+4 length prefix=106", "4+4 magic=ZAP\\0", "8+2 version=1", "10+2 flags=0x0100", "12+4 root offset=16", "16+4 total size=106",
    "20+8 method slot=3 bytes at 64", "28+8 target slot=7 bytes at 67", "36+8 proto slot=8 bytes at 74", "44+8 headers slot=24 bytes at 82", "52+8 body slot=empty", "60+8 trailer slot=empty",
    "68+3 method=GET", "71+7 target=/health", "78+8 proto=HTTP/1.1", '86+24 headers={"User-Agent":["bench"]}',
  ]);
  assert.match(dissection(vectors.http[health]!), /^ {3}68 {5}3 {2}474554 {26} {2}method GET$/m);
});

test("the golden response, data and end come apart too", () => {
  const response = dissect(vector("http", okResponse));
  covers(response);
  assert.deepEqual(text(response).slice(5, 12), ["16+8 status=200", "24+8 reason slot=2 bytes at 64", "32+8 proto slot=8 bytes at 66", "40+8 headers slot=46 bytes at 74", "48+8 body slot=2 bytes at 120", "56+8 trailer slot=empty", "64+2 reason=OK"]);
  assert.equal(leaves(response).find(({ name }) => name === "headers")?.note, "Content-Type: text/plain; charset=utf-8");
  assert.deepEqual(text(dissect(vector("http", "stream data hi"))).slice(-2), ["16+8 data slot=2 bytes at 24", "24+2 data=hi"]);
  assert.deepEqual(text(dissect(vector("http", "stream end"))).slice(-1), ["16+8 end trailer slot=empty"]);
});

test("the golden records come apart, and their JSON has the article's lengths", () => {
  const [request, response] = [vector("record", balanceRequestVector), vector("record", balanceResponseVector)];
  const part = dissect(request, "balance request");
  covers(part);
  assert.deepEqual(text(part).slice(5), ["16+8 id=1", "24+8 block=68943", "32+8 method slot=14 bytes at 48", "40+8 account slot=20 bytes at 62", "48+14 method=eth_getBalance", "62+20 account=0102030405060708090a0b0c0d0e0f1011121314"]);
  assert.deepEqual(text(dissect(response, "balance response")).slice(5, 8), ["16+8 id=1", "24+8 balance=1000000000000000000", "32+8 nonce=42"]);
  const json = [recordJson(request, readRecord(request, balanceRequest)), recordJson(response, readRecord(response, balanceResponse))];
  assert.equal(json[0], '{"id":1,"block":68943,"method":"eth_getBalance","account":"0x0102030405060708090a0b0c0d0e0f1011121314"}');
  // The article: 162 bytes against 233.
  assert.deepEqual([request.length, response.length, request.length + response.length], [82, 80, 162]);
  assert.deepEqual([...json.map((one) => one.length), json.join("").length], [103, 130, 233]);
});

test("what is written is the golden request", () => {
  const request = { method: "GET", target: "/health", proto: "HTTP/1.1", headers: [{ name: "User-Agent", value: "bench" }] };
  assert.deepEqual(new Uint8Array(writeRequest(request, true)), new Uint8Array(vector("http", health)));
  assert.deepEqual(new Uint8Array(writeRequest({ ...request, headers: [] }, false)), new Uint8Array(vector("http", bare)));
  assert.equal(writeHeaders([{ name: "b", value: "<\u2028>" }, { name: "A", value: "1" }, { name: "b", value: "&\"" }]), '{"A":["1"],"b":["\\u003c\\u2028\\u003e","\\u0026\\""]}');
});

test("bytes that nothing refers to are a gap, and a longer fixed section is read", () => {
  const message = Buffer.concat([vector("record", balanceResponseVector), Buffer.from("rest")]);
  message.writeUInt32LE(message.length, 12);
  const part = dissect(message, "balance response");
  covers(part);
  assert.deepEqual(text(part).slice(-1), ["80+4 gap"]);
});

test("an HTTP message comes apart byte by byte", () => {
  const part = dissect(Buffer.from("GET /health HTTP/1.1\r\nHost: localhost\r\nX:  a b \r\n\r\nbody"));
  covers(part);
  assert.deepEqual(text(part), [
    "0+3 method=GET", "3+1 separator", "4+7 target=/health", "11+1 separator", "12+8 proto=HTTP/1.1", "20+2 line end",
    "22+4 name=Host", "26+2 separator", "28+9 value=localhost", "37+2 line end", "39+1 name=X", "40+3 separator", "43+3 value=a b", "46+3 line end", "49+2 empty line", "51+4 body=body",
  ]);
  const response = dissect(Buffer.from("HTTP/1.1 404 Not Found\r\n\r\n"), "http");
  covers(response);
  assert.deepEqual(text(response).slice(0, 5), ["0+8 proto=HTTP/1.1", "8+1 separator", "9+3 status=404", "12+1 separator", "13+9 reason=Not Found"]);
  const empty = dissect(Buffer.from("HTTP/1.1 204 \r\nA:\r\n\r\n"), "http");
  covers(empty);
  for (const [bytes, message] of [["GET / HTTP/1.1\r\n", /no empty line after its headers/], ["GET /\r\n\r\n", /the first line "GET \/" is neither/], ["GET / HTTP/1.1\r\n: a\r\n\r\n", /the header line at byte 16 has no name/]] as const) {
    assert.throws(() => dissect(Buffer.from(bytes), "http"), message);
  }
});

test("every hostile vector is refused, with field, byte and reason", () => {
  const refused = (name: string, ...args: [Parameters<typeof dissect>[1]?]): string => {
    try {
      dissect(vector("hostile", name), ...args);
    } catch (error) {
      assert.ok(error instanceof WireFault, String(error));
      return error.message;
    }
    return "taken";
  };
  assert.equal(refused("truncated: 17 bytes, must not read as GET /"), "zap: root offset at byte 8: the fixed section would lie in the header or past the end");
  assert.equal(refused("root out of range"), "zap: root offset at byte 8: the fixed section would lie in the header or past the end");
  for (const name of ["slot length 4 GiB", "nested object out of bounds", "list with a bad element", "object that points at itself"]) {
    assert.equal(refused(name), "zap: flags at byte 6: not the type of message asked for, or unknown flags");
  }
  assert.equal(refused("length prefix of 64 MiB with no body (must not allocate it)", "zap with prefix"), "zap: length prefix at byte 0: it differs from the number of bytes that arrived");
  assert.equal(refused("length prefix out of range", "zap with prefix"), "zap: length prefix at byte 0: it is longer than the limit");
  assert.throws(() => dissect("5a4"), /not given as pairs of hexadecimal digits/);
});

test("headers of 4 GiB, overlapping slots and bad characters are refused where they stand", () => {
  const request = vector("http", bare);
  const changed = (at: number, ...bytes: number[]): Uint8Array => {
    const copy = Uint8Array.from(request);
    copy.set(bytes, at);
    return copy;
  };
  for (const [message, field, offset, reason] of [
    [changed(40, 255, 255, 255, 255, 255, 255, 255, 255), "request headers", 40, "it runs past the end of the message"],
    [changed(24, 42), "request target", 24, "it overlaps the fixed section or an earlier field"],
    [changed(16, 0, 0, 0, 0, 0, 0, 0, 0), "request method", 16, "it is empty"],
    [changed(68, 13), "request target", 24, "it holds a character that HTTP does not allow there"],
    [changed(4, 3), "version", 4, "neither version 1 nor 2"],
    [request.subarray(0, 81), "total size", 12, "it differs from the number of bytes that arrived"],
  ] as const) {
    assert.throws(() => readMessage(message), { field, offset, reason });
  }
  const response = Uint8Array.from(vector("http", okResponse));
  response[17] = 3;
  assert.throws(() => readMessage(response), { field: "response status", offset: 16 });
  assert.equal(Buffer.from(content(request, readMessage(request).slots[1]!)).toString(), "/health");
});

test("headers are read once each, spaced or not, and refused where they are not what HTTP allows", () => {
  const read = (json: string): string[] => readHeaders(Buffer.from(json)).map(({ name, value }) => `${name}=${value}`);
  assert.deepEqual(read(' { "A" : [ "1" , "\\u003c\\ud83d\\ude00" ] , "B" : [ ] , "\\u0043":["é"] } '), ["A=1", "A=<😀", "C=é"]);
  assert.deepEqual(read(""), []);
  assert.deepEqual(read("{}"), []);
  for (const [json, message] of [
    ['{"A":["1"],"A":["2"]}', /header name at byte 14: names are not in ascending order/], ['{"B":["1"],"A":["2"]}', /ascending/], ['{"A":"1"}', /headers at byte 5: not a JSON object/], ['{"A":["1"]} x', /not a JSON object/],
    ['{"A":["\\r"]}', /header value at byte 10: it holds a character/], ['{"A":["\\ud83d"]}', /half of a surrogate pair/], ['{"A B":["1"]}', /header name at byte 6/], ['{"é":["1"]}', /header name at byte 5/], ['{"A":["1",]}', /header value at byte 10: not a JSON/],
    [`{"A":["${"x".repeat(65_536)}"]}`, /headers at byte 65536: it is longer/], [`{"A":[${Array(257).fill('""').join(",")}]}`, /more than the limit/],
  ] as const) assert.throws(() => read(json), message);
  assert.throws(() => readHeaders(Uint8Array.of(0x7b, 0xff, 0x7d)), /headers at byte 0: not UTF-8/);
});

test("no plausible request has both of the article's counts; the nearest is a byte off", () => {
  const tried = plausibleRequests();
  assert.ok(tried.length > 30_000, String(tried.length));
  assert.deepEqual(matchingRequests(), []);
  const nearest = nearestRequests();
  assert.deepEqual([...new Set(nearest.map(({ zap, http }) => `${zap} ${http}`))].sort(), ["123 75", "125 75"]);
  assert.ok(nearest.some(({ client, host, hostInside, prefixCounted, zap }) => zap === 123 && client === "net/http without compression" && host.length === 11 && prefixCounted && !hostInside));
  // The counts alone are met often enough for the search to mean something.
  assert.ok(tried.some(({ zap }) => zap === articleCounts.zap) && tried.some(({ http }) => http === articleCounts.http));
});

test("the rows to draw cover every byte of both forms, with the article's totals for the record", () => {
  const totals = new Map<string, number>();
  for (const { value, factors } of frameRows()) {
    const key = `${factors["subject"]} ${factors["protocol"]} ${factors["message"]}`;
    assert.equal(factors["place"], totals.get(key) ?? 0, key);
    assert.equal(String(factors["bytes"]).length, 2 * value, key);
    totals.set(key, (totals.get(key) ?? 0) + value);
  }
  assert.deepEqual(Object.fromEntries(totals), { "health zap request": 110, "health http request": 65, "record zap request": 82, "record json request": 103, "record zap response": 80, "record json response": 130 });
  const bytesOf = (wanted: string): string => frameRows().filter(({ factors }) => `${factors["subject"]} ${factors["protocol"]} ${factors["message"]}` === wanted).map(({ factors }) => factors["bytes"]).join("");
  assert.equal(bytesOf("health zap request"), vectors.http[health]);
  assert.equal(bytesOf("record zap request"), vectors.record[balanceRequestVector]);
  assert.equal(bytesOf("record zap response"), vectors.record[balanceResponseVector]);
});
