import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { gunzipSync } from "node:zlib";
import { inProject } from "../root.js";
import { makeFolder, writeWhole } from "../store/file.js";
import type { FunctionSymbol } from "./elf.js";
import { boot, symbolEntries } from "./guest.js";
import type { PackageSet } from "./packages.js";
import type { Architecture } from "./qemu.js";

/** Finds the function that holds an address. */
export class SymbolTable {
  readonly #symbols: readonly FunctionSymbol[];

  /** `symbols` ascending by address. */
  constructor(symbols: readonly FunctionSymbol[]) {
    this.#symbols = symbols;
  }

  /** The last function that begins at or before the address. */
  at(address: bigint): FunctionSymbol | undefined {
    let low = 0;
    let high = this.#symbols.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#symbols[middle]!.address <= address) low = middle + 1;
      else high = middle;
    }
    return this.#symbols[low - 1];
  }

  /** Addresses of every function of that name. */
  named(name: string): bigint[] {
    return this.#symbols.filter((symbol) => symbol.name === name).map(({ address }) => address);
  }
}

/** Functions in the text of `/proc/kallsyms`, ascending; one name for an address, the first in the alphabet. */
export function parseKallsyms(text: string): FunctionSymbol[] {
  return text
    .split("\n")
    .map((line) => /^([0-9a-f]+) [tT] (\S+)/.exec(line))
    .filter((match) => match !== null)
    .map((match) => ({ address: BigInt(`0x${match[1]}`), name: match[2]! }))
    .sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : a.name < b.name ? -1 : 1))
    .filter((symbol, n, all) => n === 0 || all[n - 1]!.address !== symbol.address);
}

const pending = new Map<string, Promise<FunctionSymbol[]>>();

/**
 * A kernel's functions and their addresses, which `nokaslr` keeps. Debian packages no symbols, so the kernel is booted once for
 * them; they stay in `.cache/guest` under the kernel's digest.
 */
export function kernelFunctions(machine: { readonly qemu: PackageSet; readonly kernel: PackageSet; readonly architecture: Architecture }, signal: AbortSignal): Promise<FunctionSymbol[]> {
  const path = inProject(".cache", "guest", `kallsyms-${machine.kernel.name}-${machine.kernel.digest.slice(0, 16)}`);
  const found = pending.get(path) ?? load(path, machine, signal);
  pending.set(path, found);
  found.catch(() => pending.delete(path));
  return found;
}

async function load(path: string, machine: Parameters<typeof kernelFunctions>[0], signal: AbortSignal): Promise<FunctionSymbol[]> {
  const cached = readIfThere(path);
  if (cached !== undefined) return parseKallsyms(cached);
  const { files } = await boot(machine, symbolEntries(machine.architecture), { seed: 0, timeoutSeconds: 300, signal });
  const text = gunzipSync(Buffer.from(files.get("symbols") ?? "", "base64")).toString("utf8");
  makeFolder(dirname(path));
  writeWhole(path, text);
  return parseKallsyms(text);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
