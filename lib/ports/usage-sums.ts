import type { UsageGroup } from "./store";

/** The sums of a group of calls, by any dimension. */
export type Sums = Omit<UsageGroup, "hour" | "name">;

/** The sums of no calls. */
export const NO_SUMS: Sums = {
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

/** Adds two groups; a histogram without buckets (no call, or not read) adds nothing. */
export function addSums(a: Sums, b: Sums): Sums {
  const [longer, shorter] =
    a.latency.length >= b.latency.length ? [a.latency, b.latency] : [b.latency, a.latency];
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
    latency: longer.map((count, index) => count + (shorter[index] ?? 0)),
  };
}
