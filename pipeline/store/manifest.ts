import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.js";
import type { Cell, Digest } from "./attempt.js";
import { violation } from "./schema.js";

/** The version of `data/schema` that this program reads and writes. */
export const schemaVersion = 1;

/** The machine, as far as it bears on a figure. Texts are as the system gives them. */
export interface Fingerprint {
  readonly host: string;
  readonly architecture: string;
  readonly cpu: string;
  readonly cores: number;
  readonly kernel: string;
  readonly distribution: string;
  readonly memoryBytes: number;
  readonly mitigations: Readonly<Record<string, string>>;
  readonly governor: string;
  readonly network: readonly { readonly name: string; readonly driver: string; readonly receiveQueues: number; readonly transmitQueues: number; readonly mtu: number }[];
  readonly compilers: Readonly<Record<string, string>>;
  readonly libraries: Readonly<Record<string, string>>;
  readonly sysctls: Readonly<Record<string, string>>;
  /** SHA-256 by path or name: programs, kernels, emulator. */
  readonly images: Readonly<Record<string, string>>;
}

/** Cells that could not be measured where the run was made, and why. */
export interface Unavailable {
  readonly experiment: string;
  readonly reason: string;
  readonly remedy: string;
  readonly cells: readonly Cell[];
}

/** `manifest.json` of a run: written when it begins, not changed after. */
export interface Manifest {
  readonly schema: typeof schemaVersion;
  readonly id: string;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly command: string;
  /** An exploration is a plan varied by hand in a notebook: it is never published. */
  readonly purpose: "publication" | "exploration";
  readonly profile: "quick" | "standard" | "full";
  readonly seed: number;
  readonly experiments: readonly { readonly id: string; readonly version: number }[];
  readonly plan: { readonly digest: Digest; readonly attempts: number };
  readonly unavailable: readonly Unavailable[];
  /** Null where git or its folder is missing. */
  readonly git: { readonly commit: string | null; readonly dirty: boolean | null };
  readonly fingerprint: Fingerprint;
}

/**
 * Reads the manifest of a run's folder.
 *
 * @throws Fault when it is damaged, or of a schema newer than this program's
 */
export function readManifest(folder: string): Manifest {
  const path = join(folder, "manifest.json");
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new Fault(`${path}: the manifest is damaged, it is not JSON; restore it from a copy, or move the run's folder away`);
  }
  const schema = (value as { schema?: unknown } | null)?.schema;
  if (typeof schema === "number" && schema > schemaVersion) {
    throw new Fault(`${path}: the run is of schema ${schema}, newer than the ${schemaVersion} that this nullius reads; update nullius, or move the run's folder away`);
  }
  const wrong = violation("manifest", value);
  if (wrong !== undefined) throw new Fault(`${path}: the manifest is damaged, ${wrong}; restore it from a copy, or move the run's folder away`);
  return value as Manifest;
}
