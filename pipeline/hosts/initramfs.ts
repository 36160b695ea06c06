import { Buffer } from "node:buffer";

/** A file of an initial RAM file system. `content` is the bytes of a regular file or the target of a symbolic link. */
export interface InitramfsEntry {
  readonly path: string;
  readonly kind: "file" | "program" | "link";
  readonly content: Buffer | string;
}

const modes = { file: 0o100644, program: 0o100755, link: 0o120777, folder: 0o040755 } as const;

/**
 * A cpio archive in the `newc` format that the kernel unpacks (Documentation/driver-api/early-userspace/buffer-format.rst).
 *
 * The bytes follow from the entries alone: sorted paths, owner 0, time 0, numbered from 1. Folders are made as they are needed.
 */
export function initramfs(entries: readonly InitramfsEntry[]): Buffer {
  const folders = new Set<string>();
  for (const { path } of entries) {
    const parts = path.split("/");
    for (let n = 1; n < parts.length; n++) folders.add(parts.slice(0, n).join("/"));
  }
  const all = [
    ...[...folders].map((path) => ({ path, mode: modes.folder, bytes: Buffer.alloc(0) })),
    ...entries.map(({ path, kind, content }) => ({ path, mode: modes[kind], bytes: Buffer.from(content as string) })),
  ].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const parts = all.flatMap(({ path, mode, bytes }, index) => record(path, mode, bytes, index + 1));
  return Buffer.concat([...parts, ...record("TRAILER!!!", 0, Buffer.alloc(0), 0)]);
}

function record(path: string, mode: number, bytes: Buffer, number: number): Buffer[] {
  const name = Buffer.from(`${path}\0`);
  const links = 1;
  const fields = [number, mode, 0, 0, links, 0, bytes.length, 0, 0, 0, 0, name.length, 0];
  const header = Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, "0")).join("")}`);
  return [padded(Buffer.concat([header, name])), padded(bytes)];
}

/** Header with name, and data, each end at a multiple of four bytes. */
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
