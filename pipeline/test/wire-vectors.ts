import { readFileSync } from "node:fs";
import { inProject } from "../build/root.js";
import { fromHex } from "../build/wire/index.js";

/** The published bytes, by group and name, as the Go tests read them. */
export const vectors = JSON.parse(readFileSync(inProject("native", "zap", "wire", "testdata", "vectors.json"), "utf8")) as Record<"http" | "record" | "hostile", Record<string, string>>;

/** One of them. */
export function vector(group: "http" | "record" | "hostile", name: string): Uint8Array {
  const hex = vectors[group][name];
  if (hex === undefined) throw new Error(`vectors.json has no ${group} vector "${name}"`);
  return fromHex(hex);
}

export const health = "request GET /health, User-Agent bench, with prefix";
export const bare = "request GET /health, no headers";
export const okResponse = "response 200 ok, Content-Type text/plain; charset=utf-8";
export const balanceRequestVector = "request id 1, block 68943, method eth_getBalance, account 01..14";
export const balanceResponseVector = "response id 1, balance 1e18, nonce 42, blockHash a0..bf";
