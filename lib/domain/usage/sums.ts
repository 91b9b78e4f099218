import { nanoToUsd } from "../../contracts/money";
import type { UsageSums } from "../../contracts/usage-summary";
import type { UsageGroup } from "../../ports/store";

/** Sums of no call at all. */
export const NO_SUMS: Omit<UsageGroup, "hour" | "name"> = {
  calls: 0,
  errors: 0,
  inputTokens: 0,
  outputTokens: 0,
  characters: 0,
  audioMs: 0,
  costNano: 0,
  latencySumMs: 0,
  firstByteSumMs: 0,
  firstByteCalls: 0,
  latency: [],
};
export type Sums = typeof NO_SUMS;

export function addSums(a: Sums, b: Sums): Sums {
  return {
    calls: a.calls + b.calls,
    errors: a.errors + b.errors,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    characters: a.characters + b.characters,
    audioMs: a.audioMs + b.audioMs,
    costNano: a.costNano + b.costNano,
    latencySumMs: a.latencySumMs + b.latencySumMs,
    firstByteSumMs: a.firstByteSumMs + b.firstByteSumMs,
    firstByteCalls: a.firstByteCalls + b.firstByteCalls,
    latency: b.latency.map((count, index) => count + (a.latency[index] ?? 0)),
  };
}

/** The upper bound of the bucket in which the share falls, linear within it; null without calls. */
export function percentile(
  counts: readonly number[],
  bounds: readonly number[],
  share: number,
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [index, count] of counts.entries()) {
    if (left <= count) {
      const low = index === 0 ? 0 : (bounds[index - 1] ?? 0);
      const high = bounds[index] ?? low * 2;
      return Math.round(low + (count === 0 ? 0 : (left / count) * (high - low)));
    }
    left -= count;
  }
  return bounds.at(-1) ?? null;
}

/** Sums as the console tells them, with means and percentiles. */
export function showSums(sums: Sums, bounds: readonly number[]): UsageSums {
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
    latency_p50_ms: percentile(sums.latency, bounds, 0.5),
    latency_p95_ms: percentile(sums.latency, bounds, 0.95),
  };
}
