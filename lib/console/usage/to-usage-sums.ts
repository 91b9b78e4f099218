import type { UsageSums } from "../../contracts/console/usage-summary";
import { nanoToUsd } from "../../contracts/money";
import type { Sums } from "../../ports/usage-sums";
import { percentile } from "./percentile";

/** Sums as the API returns them, with means and percentiles. */
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
    latency_p50_ms: percentile(sums, bounds, 0.5),
    latency_p95_ms: percentile(sums, bounds, 0.95),
  };
}
