import { AppError } from "../../errors";
import type { KeyWithOwner } from "../../ports/store";
import type { Services } from "../context";

export const MINUTE_MS = 60_000;

/** OpenAI writes durations as `1s`, `6m0s` or `250ms`. */
function asDuration(ms: number): string {
  return ms < 1_000 ? `${Math.ceil(ms)}ms` : `${Math.ceil(ms / 1_000)}s`;
}

/** `RateLimit-*` (seconds) and OpenAI's `x-ratelimit-*` of one limit of the key. */
export function describeLimit(
  unit: "requests" | "tokens",
  limit: number,
  state: { remaining: number; resetMs: number },
): Record<string, string> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(state.remaining),
    "ratelimit-reset": String(Math.ceil(state.resetMs / 1_000)),
    [`x-ratelimit-limit-${unit}`]: String(limit),
    [`x-ratelimit-remaining-${unit}`]: String(state.remaining),
    [`x-ratelimit-reset-${unit}`]: asDuration(state.resetMs),
  };
}

/**
 * Takes one request of the key's requests per minute. Returns the limit's headers, null when the key has no limit.
 * Throws `rate_limited` with the time until one is free.
 */
export function admitRequest(services: Services, caller: KeyWithOwner): Record<string, string> | null {
  const { id, rpm } = caller.key;
  if (rpm === null) return null;
  const state = services.limiter.take(`rpm:${id}`, rpm, MINUTE_MS);
  if (!state.allowed) {
    services.metrics.count("rate_limited");
    throw new AppError(
      "rate_limited",
      `This key may send ${rpm} requests a minute. Try again in ${Math.ceil(state.retryAfterMs / 1_000)} s.`,
      { retryAfterMs: state.retryAfterMs },
    );
  }
  return describeLimit("requests", rpm, state);
}
