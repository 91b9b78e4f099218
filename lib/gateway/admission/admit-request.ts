import type { RefusedLimit } from "../../contracts/console/rejections";
import { MINUTE_MS } from "../../contracts/durations";
import { AppError } from "../../errors";
import type { RateLimiter } from "../../ports/rate-limiter";
import type { CallLimits, KeyWithOwner } from "../../ports/store";
import type { GatewayServices } from "../context";

/** OpenAI writes durations as `1s`, `6m0s` or `250ms`. */
function asDuration(ms: number): string {
  return ms < 1_000 ? `${Math.ceil(ms)}ms` : `${Math.ceil(ms / 1_000)}s`;
}

/** A limit that applies to a call: that of its key, or that of all keys of the same owner. */
export interface CallerLimit {
  /** Bucket in the rate limiter. */
  bucket: string;
  limit: number;
  /** Its name in the record of rejected requests. */
  name: RefusedLimit;
  /** Start of the error message. */
  subject: string;
}

const NO_LIMITS: readonly CallerLimit[] = [];

/** The limits of this kind that apply to a call of this key, the key's own first. */
export function callerLimits({ key, owner }: KeyWithOwner, kind: keyof CallLimits): readonly CallerLimit[] {
  const [ofKey, ofUser] = [key[kind], owner[kind]];
  if (ofKey === null && ofUser === null) return NO_LIMITS;
  const limits: CallerLimit[] = [];
  if (ofKey !== null)
    limits.push({
      bucket: `${kind}:${key.id}`,
      limit: ofKey,
      name: `key_${kind}`,
      subject: "This key may have",
    });
  if (ofUser !== null) {
    limits.push({
      bucket: `${kind}:${owner.id}`,
      limit: ofUser,
      name: `user_${kind}`,
      subject: "All keys of this key's owner together may have",
    });
  }
  return limits;
}

type LimitState = ReturnType<RateLimiter["take"]>;
type Unit = "requests" | "tokens";

/** `RateLimit-*` (seconds) and OpenAI's `x-ratelimit-*` of one limit. */
function describeLimit(unit: Unit, limit: number, state: LimitState): Record<string, string> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(state.remaining),
    "ratelimit-reset": String(Math.ceil(state.resetMs / 1_000)),
    [`x-ratelimit-limit-${unit}`]: String(limit),
    [`x-ratelimit-remaining-${unit}`]: String(state.remaining),
    [`x-ratelimit-reset-${unit}`]: asDuration(state.resetMs),
  };
}

/** The limit with the smallest remainder, with its headers. */
export interface TightestLimit {
  /** Remaining share of it, 0–1. */
  share: number;
  headers: Record<string, string>;
}

/**
 * Takes `cost` units from all of these limits or from none: a refused call uses up no other limit. Null without limits;
 * a cost of 0 only reads. Throws `rate_limited` with the headers of the exhausted limit and the time until it has
 * enough units again.
 */
export function takeFromAll(
  { limiter, metrics }: Pick<GatewayServices, "limiter" | "metrics">,
  limits: readonly CallerLimit[],
  unit: Unit,
  cost: number,
): TightestLimit | null {
  if (cost > 0) {
    const exceeded = limits.filter(
      ({ bucket, limit }) => limiter.take(bucket, limit, MINUTE_MS, 0).remaining < cost,
    );
    if (exceeded.length > 0) {
      metrics.count("rate_limited");
      throw limitError(limiter, exceeded, unit, cost);
    }
  }
  let tightest: TightestLimit | null = null;
  let least = Infinity;
  for (const { bucket, limit } of limits) {
    const state = limiter.take(bucket, limit, MINUTE_MS, cost);
    if (state.remaining >= least) continue;
    least = state.remaining;
    tightest = { share: state.remaining / limit, headers: describeLimit(unit, limit, state) };
  }
  return tightest;
}

/** The error for the exhausted limit with the longest wait; a limit below `cost` never allows the call. */
function limitError(
  limiter: RateLimiter,
  exceeded: readonly CallerLimit[],
  unit: Unit,
  cost: number,
): AppError {
  const waits = exceeded.map((one) => {
    const state = limiter.take(one.bucket, one.limit, MINUTE_MS, cost);
    return { ...one, state, waitMs: cost > one.limit ? Infinity : state.retryAfterMs };
  });
  const { limit, name, subject, state, waitMs } = waits.reduce((one, other) =>
    other.waitMs > one.waitMs ? other : one,
  );
  const advice =
    waitMs === Infinity ? "Send less in one request." : `Try again in ${Math.ceil(waitMs / 1_000)} s.`;
  const asked = unit === "requests" ? "" : `; this call needs ${cost}, and ${state.remaining} are left`;
  return new AppError("rate_limited", `${subject} ${limit} ${unit} a minute${asked}. ${advice}`, {
    retryAfterMs: state.retryAfterMs,
    headers: describeLimit(unit, limit, state),
    shouldRetry: waitMs !== Infinity,
    limit: name,
  });
}

/**
 * Takes one request of the requests per minute of the key and of its owner. Returns the headers of the tighter limit,
 * null without limits. Throws `rate_limited` with the time until a request is allowed.
 */
export function admitRequest(services: GatewayServices, caller: KeyWithOwner): Record<string, string> | null {
  const limits = callerLimits(caller, "rpm");
  return limits.length === 0 ? null : (takeFromAll(services, limits, "requests", 1)?.headers ?? null);
}
