import type { Breathe } from "./pca";
import { type Table, valueAt } from "./similarity";

interface Nearest {
  cluster: number;
  similarity: number;
}

/** Clusters merged between two breaths: about half a frame for 500 texts. */
const MERGES_A_SLICE = 32;

/** Puts two rows of leaves end to end so that the most alike ends meet. */
function join(table: Table, one: readonly number[], other: readonly number[]): number[] {
  const ends = [
    [one.at(-1), other.at(0), false, false],
    [one.at(-1), other.at(-1), false, true],
    [one.at(0), other.at(0), true, false],
    [one.at(0), other.at(-1), true, true],
  ] as const;
  let best: (typeof ends)[number] = ends[0];
  let most = Number.NEGATIVE_INFINITY;
  for (const end of ends) {
    const similarity = valueAt(table, end[0] ?? 0, end[1] ?? 0);
    if (similarity > most) {
      most = similarity;
      best = end;
    }
  }
  return [...(best[2] ? one.toReversed() : one), ...(best[3] ? other.toReversed() : other)];
}

/**
 * The texts in an order that puts groups side by side: average-linkage clustering (UPGMA, Sokal and Michener 1958),
 * its leaves laid so that merged groups meet at their most alike ends. O(n²) a text at worst, O(n) as a rule.
 */
export async function orderByLikeness(
  table: Table,
  breathe: Breathe = async () => undefined,
): Promise<number[]> {
  const { count } = table;
  const links = Float32Array.from(table.values);
  const leaves = new Map<number, number[]>(Array.from({ length: count }, (_, at) => [at, [at]]));
  const linkOf = (one: number, other: number) => links[one * count + other] ?? 0;
  const findNearest = (of: number): Nearest => {
    const nearest = { cluster: -1, similarity: Number.NEGATIVE_INFINITY };
    for (const other of leaves.keys()) {
      const similarity = linkOf(of, other);
      if (other === of || similarity <= nearest.similarity) continue;
      nearest.cluster = other;
      nearest.similarity = similarity;
    }
    return nearest;
  };
  const nearest = new Map<number, Nearest>(Array.from({ length: count }, (_, at) => [at, findNearest(at)]));
  for (let merges = 1; leaves.size > 1; merges += 1) {
    let from = -1;
    let to: Nearest = { cluster: -1, similarity: Number.NEGATIVE_INFINITY };
    for (const [cluster, one] of nearest) {
      if (one.similarity > to.similarity || from < 0) {
        from = cluster;
        to = one;
      }
    }
    const [one, other] = [leaves.get(from) ?? [], leaves.get(to.cluster) ?? []];
    leaves.set(from, join(table, one, other));
    leaves.delete(to.cluster);
    nearest.delete(to.cluster);
    for (const cluster of leaves.keys()) {
      if (cluster === from) continue;
      const link =
        (linkOf(cluster, from) * one.length + linkOf(cluster, to.cluster) * other.length) /
        (one.length + other.length);
      links[cluster * count + from] = link;
      links[from * count + cluster] = link;
    }
    for (const [cluster, known] of nearest) {
      const isTouched = cluster === from || known.cluster === from || known.cluster === to.cluster;
      // An average never exceeds its parts, so whoever looked elsewhere still does.
      if (isTouched) nearest.set(cluster, findNearest(cluster));
    }
    if (merges % MERGES_A_SLICE === 0) await breathe();
  }
  return [...leaves.values()][0] ?? [];
}
