/**
 * The known name nearest to `typed`: an edit distance of at most a third of its length, without regard to case. Null when
 * no name is near.
 */
export function nearestName(typed: string, names: readonly string[]): string | null {
  const maxDistance = Math.max(1, Math.floor(typed.length / 3));
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    if (Math.abs(name.length - typed.length) > maxDistance) continue;
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (distance <= maxDistance && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** Insertions, deletions, replacements and swaps of neighbours from `a` to `b` (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}
