const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as it may stand in HTML, in an attribute too. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}

/** Text as it may stand between tags, where quotation marks need no escape. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => entities[character]!);
}

/** Escaped text as it was. */
export function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => Object.keys(entities).find((character) => entities[character] === entity)!);
}

/** Attributes of a tag, each escaped, the undefined left out; with a space before each. */
export function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escapeHtml(String(value))}"`])).join("");
}
