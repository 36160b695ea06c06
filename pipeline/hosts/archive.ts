import { readFileSync } from "node:fs";
import { definedFunctions } from "./elf.js";

const magic = "!<arch>\n";
const header = 60;

/** The members of an archive of object files as `ar` writes it (ar(5)): their bytes, without the archive's own tables. */
export function members(archive: Buffer): Buffer[] {
  if (archive.toString("latin1", 0, magic.length) !== magic) throw new Error("not an archive of object files");
  const found: Buffer[] = [];
  for (let at = magic.length; at + header <= archive.length;) {
    const name = archive.toString("latin1", at, at + 16).trimEnd();
    const size = Number(archive.toString("latin1", at + 48, at + 58));
    if (!Number.isInteger(size)) throw new Error("a torn archive of object files");
    if (name !== "/" && name !== "//") found.push(archive.subarray(at + header, at + header + size));
    at += header + size + (size % 2);
  }
  return found;
}

const known = new Map<string, ReadonlySet<string>>();

/** Names of all functions that a static library defines, those private to a member included; read once. */
export function functionsOfLibrary(path: string): ReadonlySet<string> {
  const before = known.get(path);
  if (before !== undefined) return before;
  const names = new Set(members(readFileSync(path)).flatMap(definedFunctions));
  known.set(path, names);
  return names;
}
