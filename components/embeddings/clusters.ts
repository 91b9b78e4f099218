import type { Clustering } from "./cluster-by-similarity";
import { type SquareMatrix, valueAt } from "./similarity";

/** Texts that are more similar to each other than to the rest. */
export interface Cluster {
  /** Indexes of its texts, at least two, the most central text first; that one labels the cluster. */
  members: readonly number[];
}

const MAX_CLUSTERS = 12;
const MIN_TEXTS = 4;

/** The cluster of each text after the first `count - k` merges. */
function cut({ merges }: Clustering, count: number, k: number): Int32Array {
  const clusterOf = Int32Array.from({ length: count }, (_, at) => at);
  for (const { into, from } of merges.slice(0, count - k)) {
    for (let at = 0; at < count; at += 1) if (clusterOf[at] === from) clusterOf[at] = into;
  }
  return clusterOf;
}

/** Mean silhouette (Rousseeuw 1987) with the distance 1 − cosine; a text alone in its cluster counts 0. */
function silhouette(cosines: SquareMatrix, clusterOf: Int32Array): number {
  const { count } = cosines;
  const sizes = new Map<number, number>();
  for (const cluster of clusterOf) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  let total = 0;
  for (let row = 0; row < count; row += 1) {
    const sums = new Float64Array(count);
    for (let column = 0; column < count; column += 1) {
      const cluster = clusterOf[column] ?? 0;
      if (column !== row) sums[cluster] = (sums[cluster] ?? 0) + 1 - valueAt(cosines, row, column);
    }
    const own = clusterOf[row] ?? 0;
    const ownSize = sizes.get(own) ?? 1;
    if (ownSize === 1) continue;
    const within = (sums[own] ?? 0) / (ownSize - 1);
    let nearest = Number.POSITIVE_INFINITY;
    for (const [cluster, size] of sizes) {
      if (cluster !== own) nearest = Math.min(nearest, (sums[cluster] ?? 0) / size);
    }
    total += (nearest - within) / Math.max(nearest, within, 1e-9);
  }
  return total / count;
}

/** The members by descending mean similarity to the others; ties keep the order of the texts. */
function byMeanSimilarity(cosines: SquareMatrix, members: readonly number[]): number[] {
  const nearness = (one: number) => members.reduce((sum, other) => sum + valueAt(cosines, one, other), 0);
  const nearnessOf = new Map(members.map((one) => [one, nearness(one)]));
  return members.toSorted((a, b) => (nearnessOf.get(b) ?? 0) - (nearnessOf.get(a) ?? 0) || a - b);
}

/**
 * Cuts the clustering into the number of clusters, 2 to 12, with the best mean silhouette; largest cluster first. Texts
 * alone in a cluster are left out. Empty for fewer than four texts, or if no cut has a mean silhouette above 0.
 */
export function findClusters(cosines: SquareMatrix, clustering: Clustering): Cluster[] {
  const { count } = cosines;
  if (count < MIN_TEXTS) return [];
  let best: { score: number; clusterOf: Int32Array } | null = null;
  for (let k = 2; k <= Math.min(MAX_CLUSTERS, count - 1); k += 1) {
    const clusterOf = cut(clustering, count, k);
    const score = silhouette(cosines, clusterOf);
    if (score > (best?.score ?? 0)) best = { score, clusterOf };
  }
  if (best === null) return [];
  const members = new Map<number, number[]>();
  for (const [index, cluster] of best.clusterOf.entries()) {
    const known = members.get(cluster);
    if (known) known.push(index);
    else members.set(cluster, [index]);
  }
  return [...members.values()]
    .filter((one) => one.length > 1)
    .sort((a, b) => b.length - a.length)
    .map((one) => ({ members: byMeanSimilarity(cosines, one) }));
}
