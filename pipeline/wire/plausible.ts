import { type HeaderField } from "./headers.js";
import { writeHttpRequest } from "./http.js";
import { writeRequest } from "./message.js";

/** A `GET /health` that a client may have sent, with its bytes in both forms. */
export interface PlausibleRequest {
  /** Who sends such headers. */
  readonly client: string;
  readonly host: string;
  /** The header fields beside Host. */
  readonly headers: readonly HeaderField[];
  /** Whether the four bytes of the length before a message are counted. */
  readonly prefixCounted: boolean;
  /** Whether Host is among the headers of the ZAP message; the published code leaves it out. */
  readonly hostInside: boolean;
  /** Bytes of the ZAP message and of the HTTP message. */
  readonly zap: number;
  readonly http: number;
}

/** What the article counts for one request, in bytes. */
export const articleCounts = { zap: 124, http: 75 } as const;

/**
 * What clients of the kind send beside Host: the load generators that the article names, and what its author may have written
 * around the HTTP libraries of Go. Order is as they send it; it does not change the number of bytes.
 */
const clients: Readonly<Record<string, readonly (readonly [name: string, value: string])[]>> = {
  "nothing, as wrk": [],
  "net/http": [["User-Agent", "Go-http-client/1.1"], ["Accept-Encoding", "gzip"]],
  "net/http without compression": [["User-Agent", "Go-http-client/1.1"]],
  "fasthttp, and bombardier": [["User-Agent", "fasthttp"]],
  "bombardier, named": [["User-Agent", "bombardier"]],
  "hey": [["User-Agent", "hey/0.0.1"], ["Content-Type", "text/html"], ["Accept-Encoding", "gzip"]],
  "hey, its agent only": [["User-Agent", "hey/0.0.1"]],
  "curl 7": [["User-Agent", "curl/7.88.1"], ["Accept", "*/*"]],
  "curl 8": [["User-Agent", "curl/8.5.0"], ["Accept", "*/*"]],
  "ab": [["User-Agent", "ApacheBench/2.3"], ["Accept", "*/*"]],
  "a benchmark": [["User-Agent", "bench"]],
  "a benchmark of ZAP": [["User-Agent", "zap-bench"]],
  "a benchmark with a version": [["User-Agent", "bench/1.0"]],
};

/** What may come on top of these, each or not. */
const extras: readonly (readonly [name: string, value: string])[] = [
  ["Accept", "*/*"], ["Accept", "text/plain"], ["Accept", "application/json"], ["Connection", "keep-alive"], ["Connection", "close"], ["Accept-Encoding", "gzip"], ["Content-Type", "text/plain"], ["Content-Type", "application/json"], ["X-Request-Id", "1"],
];

/** Hosts without and with a port; only their length counts, so one stands for each. */
const hosts: readonly string[] = ["a", "zap", "spark", "server", "localhost", "127.0.0.1", "10.0.0.2", "192.168.1.1", "localhost:80", "127.0.0.1:80", "localhost:8080", "127.0.0.1:8080", "10.0.0.2:8080", "10.0.0.10:8080", "192.168.1.2:8080", "192.168.1.10:8080", "192.168.1.100:8080", "localhost:18080", "127.0.0.1:18080"];

/**
 * Every combination that was tried to find the article's request: clients, up to two of the further fields, Host inside the ZAP
 * message or not, length prefix counted or not. Those with `zap` and `http` equal to `articleCounts` explain both figures.
 */
export function plausibleRequests(): PlausibleRequest[] {
  return Object.entries(clients).flatMap(([client, own]) => choices(own).flatMap((fields) => hosts.flatMap((host) => [true, false].flatMap((prefixCounted) => [true, false].map((hostInside): PlausibleRequest => {
    const headers = fields.map(([name, value]): HeaderField => ({ name, value }));
    const request = { method: "GET", target: "/health", proto: "HTTP/1.1", headers };
    const inside = hostInside ? [{ name: "Host", value: host }, ...headers] : headers;
    return {
      client: fields.length === own.length ? client : `${client}, with ${fields.slice(own.length).map(([name, value]) => `${name}: ${value}`).join(" and ")}`,
      host, headers, prefixCounted, hostInside,
      zap: writeRequest({ ...request, headers: inside }, prefixCounted).length, http: writeHttpRequest(request, host).length,
    };
  })))));
}

/** The fields alone and with one or two of the extras, whose names are not there yet. */
function choices(own: readonly (readonly [string, string])[]): (readonly (readonly [string, string])[])[] {
  const free = extras.filter(([name]) => own.every(([other]) => other !== name));
  const pairs = free.flatMap((first, index) => free.slice(index + 1).filter(([name]) => name !== first[0]).map((second) => [...own, first, second]));
  return [own, ...free.map((one) => [...own, one]), ...pairs];
}

/**
 * The requests that give both of the article's counts: none of those that were tried.
 *
 * Without Host inside, as published, the counts ask for one field whose name and value have 29 characters and a Host of 10 if the
 * prefix is counted (33 and 6 if not), or for two fields with 21 and a Host of 14, such as `localhost:8080` (25 and 10). With Host
 * inside nothing can: HTTP spends 4 bytes on a field where ZAP spends 8, and the rest is fixed. A byte off is Go's own
 * `User-Agent: Go-http-client/1.1` alone with a Host of 11 characters, 123 and 75.
 */
export function matchingRequests(): PlausibleRequest[] {
  return plausibleRequests().filter(({ zap, http }) => zap === articleCounts.zap && http === articleCounts.http);
}

/** The requests nearest to both counts, by the sum of the differences. */
export function nearestRequests(): PlausibleRequest[] {
  const distance = ({ zap, http }: PlausibleRequest): number => Math.abs(zap - articleCounts.zap) + Math.abs(http - articleCounts.http);
  const all = plausibleRequests();
  const least = Math.min(...all.map(distance));
  return all.filter((one) => distance(one) === least);
}
