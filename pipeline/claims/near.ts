/** "did you mean ...?", or what there is. */
export function near(word: string, known: readonly string[]): string {
  const ranked = known.map((candidate) => ({ candidate, far: distance(word, candidate) })).sort((a, b) => a.far - b.far);
  const close = ranked.filter(({ candidate, far }) => far < candidate.length && far <= Math.max(3, candidate.length / 3)).slice(0, 3).map(({ candidate }) => candidate);
  if (close.length > 0) return `did you mean ${close.join(", ")}?`;
  return known.length <= 12 ? `there are ${known.join(", ")}` : `there are ${known.length}, among them ${ranked.slice(0, 5).map(({ candidate }) => candidate).join(", ")}`;
}

/** Edits (insert, delete, replace) that turn one word into another: Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
