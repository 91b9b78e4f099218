import type { Pause } from "./pca";
import { type SquareMatrix, valueAt } from "./similarity";

interface Nearest {
  cluster: number;
  similarity: number;
}

/** A merge of two clusters. A cluster is identified by the index of one of its texts. */
interface Merge {
  into: number;
  /** The cluster that is merged into `into` and no longer exists. */
  from: number;
}

export interface Clustering {
  /** Indexes of the texts; similar ones are adjacent. */
  order: readonly number[];
  /** In the order in which they were made, the most similar clusters first; one fewer than there are texts. */
  merges: readonly Merge[];
}

/** Clusters merged between two pauses: about half a frame for 500 texts. */
const MERGES_PER_SLICE = 32;

/** Concatenates two sequences of leaves, reversed where needed, so that their most similar ends meet. */
function join(matrix: SquareMatrix, one: readonly number[], other: readonly number[]): number[] {
  const ends = [
    [one.at(-1), other.at(0), false, false],
    [one.at(-1), other.at(-1), false, true],
    [one.at(0), other.at(0), true, false],
    [one.at(0), other.at(-1), true, true],
  ] as const;
  let best: (typeof ends)[number] = ends[0];
  let bestSimilarity = Number.NEGATIVE_INFINITY;
  for (const end of ends) {
    const similarity = valueAt(matrix, end[0] ?? 0, end[1] ?? 0);
    if (similarity > bestSimilarity) {
      bestSimilarity = similarity;
      best = end;
    }
  }
  return [...(best[2] ? one.toReversed() : one), ...(best[3] ? other.toReversed() : other)];
}

/**
 * Average-linkage clustering (UPGMA, Sokal and Michener 1958). To order the texts, each merge concatenates its two
 * clusters at their most similar ends. For n texts O(n³) at worst, usually O(n²).
 */
export async function clusterBySimilarity(
  matrix: SquareMatrix,
  pause: Pause = async () => undefined,
): Promise<Clustering> {
  const { count } = matrix;
  const links = Float32Array.from(matrix.values);
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
  const merges: Merge[] = [];
  while (leaves.size > 1) {
    let from = -1;
    let to: Nearest = { cluster: -1, similarity: Number.NEGATIVE_INFINITY };
    for (const [cluster, one] of nearest) {
      if (one.similarity > to.similarity || from < 0) {
        from = cluster;
        to = one;
      }
    }
    const [one, other] = [leaves.get(from) ?? [], leaves.get(to.cluster) ?? []];
    leaves.set(from, join(matrix, one, other));
    leaves.delete(to.cluster);
    merges.push({ into: from, from: to.cluster });
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
      const isAffected = cluster === from || known.cluster === from || known.cluster === to.cluster;
      // The new link is an average, at most the larger of the old two: every other cluster keeps its nearest one.
      if (isAffected) nearest.set(cluster, findNearest(cluster));
    }
    if (merges.length % MERGES_PER_SLICE === 0) await pause();
  }
  return { order: [...leaves.values()][0] ?? [], merges };
}
