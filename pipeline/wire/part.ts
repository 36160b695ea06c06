/** A run of bytes of a captured message with its meaning. The parts inside, where there are any, cover it without gap or overlap. */
export interface Part {
  readonly name: string;
  /** In bytes from the start of what was captured. */
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
  /** What the bytes say, in words. */
  readonly value?: string;
  /** What is worth knowing of it. */
  readonly note?: string;
  readonly parts?: readonly Part[];
}

/** Parts one after another from `offset`, each a name, a length in bytes and a value; those without bytes are left out. */
export function gather(offset: number, pieces: readonly (readonly [name: string, length: number, value?: string])[]): Part[] {
  let at = offset;
  const parts: Part[] = [];
  for (const [name, length, value] of pieces) {
    if (length > 0) parts.push({ name, offset: at, length, ...(value === undefined ? {} : { value }) });
    at += length;
  }
  return parts;
}

/** The parts that hold no others, in the order of their bytes. */
export function leaves(part: Part): Part[] {
  return part.parts === undefined ? [part] : part.parts.flatMap(leaves);
}
