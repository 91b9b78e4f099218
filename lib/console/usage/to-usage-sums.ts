import type { UsageSums } from "../../contracts/console/usage-summary";
import { nanoToUsd } from "../../contracts/money";
import type { Sums } from "../../ports/store/usage-query";

type Latencies = Pick<Sums, "latency" | "latencySumMs" | "latencyMaxMs">;

/**
 * The latency, in milliseconds, below which a share of the calls lies, interpolated linearly within its bucket. The
 * bucket's bounds are narrowed to what the sum of all latencies allows, and by the slowest call where it is known, so
 * that every percentile of a single call is its latency. Null without calls. `bounds`: upper bounds of the buckets;
 * calls above the last bound have their own bucket.
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

/** The range in which a call of the bucket may lie, given the bucket's bounds and the total sum. */
function edgesOf(
  { latency, latencySumMs, latencyMaxMs }: Latencies,
  bounds: readonly number[],
  index: number,
): [number, number] {
  const lowOf = (at: number) => bounds[at - 1] ?? 0;
  const highOf = (at: number) => Math.min(bounds[at] ?? Infinity, latencyMaxMs ?? Infinity);
  /** The sum of latencies of all calls but one of this bucket, if each call were at this edge of its own bucket. */
  const others = (edgeOf: (at: number) => number) =>
    latency.reduce((sum, count, at) => {
      const calls = at === index ? count - 1 : count;
      return calls === 0 ? sum : sum + calls * edgeOf(at);
    }, 0);
  const low = Math.max(lowOf(index), latencySumMs - others(highOf));
  // Without the slowest call the bucket above all bounds has no end: assume it is as wide as the range below it.
  const end = highOf(index) < Infinity ? highOf(index) : Math.max(low, 2 * lowOf(index));
  const high = Math.min(end, latencySumMs - others(lowOf));
  // Shares of an hour are rounded: the sum may not fit its buckets.
  return low <= high ? [low, high] : [lowOf(index), end];
}

/** Sums as the API returns them, with means and percentiles. */
export function toUsageSums(sums: Sums, bounds: readonly number[]): UsageSums {
  const mean = (sum: number, count: number) => (count === 0 ? null : Math.round(sum / count));
  return {
    calls: sums.calls,
    errors: sums.errors,
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    characters: sums.characters,
    audio_ms: sums.audioMs,
    cost_usd: nanoToUsd(sums.costNano),
    latency_mean_ms: mean(sums.latencySumMs, sums.calls),
    first_byte_mean_ms: mean(sums.firstByteSumMs, sums.firstByteCalls),
    latency_p50_ms: percentile(sums, bounds, 0.5),
    latency_p95_ms: percentile(sums, bounds, 0.95),
  };
}
