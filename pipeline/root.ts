import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder: `NULLIUS_ROOT`, which `./nullius`, the Makefile and the kernel set, else the folder above this package. */
export const root: string = process.env["NULLIUS_ROOT"] ?? dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** An absolute path inside the project. */
export function inProject(...parts: string[]): string {
  return join(root, ...parts);
}

/** A path as messages show it: from the project's folder when it lies inside. */
export function shortPath(path: string): string {
  const short = relative(root, path);
  return short.startsWith("..") ? path : short;
}
