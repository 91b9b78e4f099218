const LEAST_MS = 1_000;
const MOST_MS = 120_000;

function clamp(ms: number): number {
  return Math.min(MOST_MS, Math.max(LEAST_MS, Math.round(ms)));
}

/**
 * How long to leave an upstream alone, in milliseconds from 1 s to 2 minutes: `Retry-After` in seconds or as a date
 * (RFC 9110 §10.2.3), or `retry-after-ms`. Invalid values count as absent.
 */
export function readRetryAfter(header: (name: string) => string | null, nowMs: number): number | undefined {
  const precise = header("retry-after-ms")?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(precise)) return clamp(Number(precise));
  const text = header("retry-after")?.trim() ?? "";
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text)) return clamp(Number(text) * 1_000);
  // A date begins with the day's name; Date.parse would accept "7 bananas".
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : clamp(at - nowMs);
}

/** A duration as Google writes it in `google.rpc.RetryInfo` (`34s`, `0.5s`). */
export function readDuration(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(text) ?? [];
  return seconds === undefined ? undefined : clamp(Number(seconds) * 1_000);
}
