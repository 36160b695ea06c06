import { isNode, LineCounter, parseDocument } from "yaml";

/** The line, from 1, on which the value at a path begins in YAML or JSON; of what would hold it, when it is not there. */
export function lineOf(text: string, path: readonly (string | number)[]): number {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
