/**
 * Upper bounds of the roll-ups' latency histogram, in milliseconds; the last bucket takes what is above. A percentile
 * read from it is wrong by at most one bucket.
 */
export const LATENCY_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;

/** Column names of the buckets, in order. */
export const LATENCY_COLUMNS: readonly string[] = [...LATENCY_BOUNDS_MS, "more"].map(
  (bound) => `latency_${bound}`,
);

/** Index into `LATENCY_COLUMNS` for a latency. */
export function latencyBucket(latencyMs: number): number {
  const index = LATENCY_BOUNDS_MS.findIndex((bound) => latencyMs <= bound);
  return index === -1 ? LATENCY_BOUNDS_MS.length : index;
}
