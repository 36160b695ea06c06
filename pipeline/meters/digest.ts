import { createHash } from "node:crypto";
import type { Digest } from "../store/attempt.js";

/** SHA-256 over a value as JSON with its keys sorted, so that the order in which it was put together does not matter. */
export function digestOf(value: unknown): Digest {
  return createHash("sha256").update(JSON.stringify(value, (_key, part: unknown) => (part !== null && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part))).digest("hex");
}
