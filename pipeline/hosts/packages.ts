import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.js";
import { inProject } from "../root.js";

/** Debian packages that serve one purpose, unpacked into one folder: an emulator with its libraries, a kernel, BusyBox. */
export interface PackageSet {
  readonly name: string;
  readonly folder: string;
  /** SHA-256 over the packages' SHA-256: the same on every host. */
  readonly digest: string;
}

/** Where set-up unpacks the sets. */
const setsFolder = (): string => process.env["NULLIUS_DEBIAN"] ?? inProject(".cache", "debian");

/** The unpacked set, or undefined when set-up did not get it. */
export function findPackageSet(name: string): PackageSet | undefined {
  const folder = join(setsFolder(), name);
  const digest = join(folder, ".digest");
  return existsSync(digest) ? { name, folder, digest: readFileSync(digest, "utf8").trim() } : undefined;
}

/** The unpacked set. Throws a `Fault` that names it when set-up did not get it. */
export function packageSet(name: string): PackageSet {
  const found = findPackageSet(name);
  if (!found) throw new Fault(`the Debian packages '${name}' are not in ${setsFolder()}; run: make setup`);
  return found;
}

/** The names of Debian's folders for this machine's libraries. */
export const hostTriple = (): string => (process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu");

/** The words that start a program of an unpacked set by the set's own loader and libraries, so that the host's do not matter. */
export function unpackedProgram({ folder }: PackageSet, program: string): [loader: string, ...words: string[]] {
  const name = process.arch === "arm64" ? "ld-linux-aarch64.so.1" : "ld-linux-x86-64.so.2";
  const loader = ["lib64", "lib", join("usr", "lib64"), join("usr", "lib"), join("usr", "lib", hostTriple())].map((at) => join(folder, at, name)).find(existsSync);
  if (loader === undefined) throw new Error(`${folder} holds no ${name}`);
  const libraries = [join(folder, "lib", hostTriple()), join(folder, "usr", "lib", hostTriple())].filter(existsSync);
  return [loader, "--library-path", libraries.join(":"), join(folder, program)];
}
