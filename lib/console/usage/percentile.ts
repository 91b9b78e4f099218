import type { Sums } from "../../ports/usage-sums";

type Latencies = Pick<Sums, "latency" | "latencySumMs">;

/**
 * The latency below which a share of the calls lies, milliseconds: linear within the bucket it falls in, narrowed by
 * what the sum of all allows there, so that of a single call every percentile is that call's latency. Null without
 * calls. `bounds`: upper bounds of the buckets; what is above the last has a bucket of its own.
 */
export function percentile(of: Latencies, bounds: readonly number[], share: number): number | null {
  const total = of.latency.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [index, count] of of.latency.entries()) {
    if (count > 0 && left <= count) {
      const [low, high] = edgesOf(of, bounds, index);
      return Math.round(low + (left / count) * (high - low));
    }
    left -= count;
  }
  return bounds.at(-1) ?? null;
}

/** Between which latencies a call of the bucket may lie, as its bounds and the rest of the sum tell. */
function edgesOf(
  { latency, latencySumMs }: Latencies,
  bounds: readonly number[],
  index: number,
): [number, number] {
  const lowOf = (at: number) => bounds[at - 1] ?? 0;
  const highOf = (at: number) => bounds[at] ?? Number.POSITIVE_INFINITY;
  /** What all calls but one of this bucket take, each at this edge of its own. */
  const others = (edgeOf: (at: number) => number) =>
    latency.reduce((sum, count, at) => {
      const calls = at === index ? count - 1 : count;
      return calls === 0 ? sum : sum + calls * edgeOf(at);
    }, 0);
  const low = Math.max(lowOf(index), latencySumMs - others(highOf));
  // The bucket above all bounds has no end: it is taken to be as wide as what lies below it.
  const end = bounds[index] ?? Math.max(low, 2 * lowOf(index));
  const high = Math.min(end, latencySumMs - others(lowOf));
  // A part of an hour is a rounded one: its sum may not fit its buckets.
  return low <= high ? [low, high] : [lowOf(index), end];
}
