import { Fault } from "../fault.js";
import type { HeaderField } from "./headers.js";
import type { PlainRequest } from "./message.js";
import { gather, type Part } from "./part.js";

/** The text of a request as HTTP/1.1 has it, `host` first as clients write it. */
export function writeHttpRequest(request: PlainRequest, host: string): Uint8Array {
  const lines = [`${request.method} ${request.target} ${request.proto}`, `Host: ${host}`, ...request.headers.map((field: HeaderField) => `${field.name}: ${field.value}`)];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${request.body ?? ""}`);
}

/** The parts of an HTTP/1.1 message: start line, header lines, the empty line, the rest as body. Throws a Fault where it is none. */
export function dissectHttp(message: Uint8Array): Part {
  const text = Buffer.from(message).toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) throw new Fault("http: the message has no empty line after its headers: capture it whole");
  const [start = "", ...lines] = text.slice(0, end).split("\r\n");
  const parts: Part[] = [startLine(start)];
  let at = start.length + 2;
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Fault(`http: the header line at byte ${at} has no name: check the captured message`);
    const value = line.slice(colon + 1);
    parts.push({
      name: "header", offset: at, length: line.length + 2, note: line.slice(0, colon), value: value.trim(),
      parts: gather(at, [["name", colon, line.slice(0, colon)], ["separator", 1 + value.length - value.trimStart().length], ["value", value.trim().length, value.trim()], ["line end", 2 + value.trimStart().length - value.trim().length]]),
    });
    at += line.length + 2;
  }
  parts.push({ name: "empty line", offset: at, length: 2 });
  if (message.length > at + 2) parts.push({ name: "body", offset: at + 2, length: message.length - at - 2, value: text.slice(at + 2) });
  return { name: /^HTTP\//.test(start) ? "http response" : "http request", offset: 0, length: message.length, parts };
}

function startLine(line: string): Part {
  const words = line.split(" ");
  const response = /^HTTP\//.test(line);
  if (words.length < 3 && !(response && words.length === 2)) throw new Fault(`http: the first line "${line}" is neither a request's nor a response's: check the captured message`);
  const names = response ? ["proto", "status", "reason"] : ["method", "target", "proto"];
  const values = response ? [words[0]!, words[1]!, words.slice(2).join(" ")] : [words[0]!, words.slice(1, -1).join(" "), words.at(-1)!];
  const pieces = values.flatMap((value, index): [string, number, string?][] => [...(index > 0 && (value !== "" || words.length > 2) ? [["separator", 1] as [string, number]] : []), [names[index]!, value.length, value]]);
  return { name: "start line", offset: 0, length: line.length + 2, parts: gather(0, [...pieces, ["line end", 2]]) };
}
