import type { RefusedLimit } from "../../contracts/console/rejections";
import { MINUTE_MS } from "../../contracts/durations";
import { EMPTY_SHARE, SEND_LESS } from "../../contracts/gateway/error-sentences";
import { AppError } from "../../errors";
import type { MaybePromise, RateRequest, RateState } from "../../ports/shared-state";
import type { CallLimits, KeyWithOwner } from "../../ports/store";
import type { GatewayServices } from "../context";

/** OpenAI writes durations as `1s`, `6m0s` or `250ms`. */
function asDuration(ms: number): string {
  return ms < 1_000 ? `${Math.ceil(ms)}ms` : `${Math.ceil(ms / 1_000)}s`;
}

/** A limit that applies to a call: that of its key, or that of all keys of the same owner. */
export interface CallerLimit extends RateRequest {
  /** The limit's name in the record of rejected requests. */
  name: RefusedLimit;
  /** Start of the error message. */
  subject: string;
}

const NO_LIMITS: readonly CallerLimit[] = [];

/** The limits of this kind that apply to a call of this key, the key's own first. */
export function callerLimits(
  { key, owner }: KeyWithOwner,
  kind: keyof CallLimits,
  cost = 1,
): readonly CallerLimit[] {
  const [ofKey, ofUser] = [key[kind], owner[kind]];
  if (ofKey === null && ofUser === null) return NO_LIMITS;
  const limits: CallerLimit[] = [];
  if (ofKey !== null)
    limits.push({
      bucket: `${kind}:${key.id}`,
      limit: ofKey,
      cost,
      name: `key_${kind}`,
      subject: "This key is limited to",
    });
  if (ofUser !== null) {
    limits.push({
      bucket: `${kind}:${owner.id}`,
      limit: ofUser,
      cost,
      name: `user_${kind}`,
      subject: "All keys of this key's owner together are limited to",
    });
  }
  return limits;
}

type Unit = "requests" | "tokens";

/** `RateLimit-*` (seconds) and OpenAI's `x-ratelimit-*` of one limit. */
function describeLimit(unit: Unit, limit: number, state: RateState): Record<string, string> {
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
 * The tightest of these limits; null without limits. `states`: one per limit, in the same order; further ones are
 * ignored.
 */
export function tightestOf(
  limits: readonly CallerLimit[],
  states: readonly RateState[],
  unit: Unit,
): TightestLimit | null {
  let tightest: TightestLimit | null = null;
  let least = Infinity;
  for (const [index, { limit }] of limits.entries()) {
    const state = states[index];
    if (state === undefined || state.remaining >= least) continue;
    least = state.remaining;
    tightest = { share: state.remaining / limit, headers: describeLimit(unit, limit, state) };
  }
  return tightest;
}

/**
 * Counts a refused call and returns its error, which is about the exhausted limit with the longest wait. A limit below
 * the call's cost never allows the call. `states`: one per limit, in the same order.
 */
export function limitError(
  { metrics }: Pick<GatewayServices, "metrics">,
  limits: readonly CallerLimit[],
  states: readonly RateState[],
  unit: Unit,
): AppError {
  metrics.count("rate_limited");
  const waits = limits.flatMap((one, index) => {
    const state = states[index];
    if (state === undefined || state.remaining >= one.cost) return [];
    // Refused although nothing is counted: the cost is above this process's share of the limit.
    const isTooLarge = one.cost > one.limit || state.resetMs === 0;
    return { ...one, state, waitMs: isTooLarge ? Infinity : state.retryAfterMs };
  });
  const { limit, name, subject, cost, state, waitMs } = waits.reduce((one, other) =>
    other.waitMs > one.waitMs ? other : one,
  );
  const isShareEmpty = cost <= limit && state.resetMs === 0 && state.remaining === 0;
  const advice = isShareEmpty
    ? EMPTY_SHARE
    : waitMs === Infinity
      ? SEND_LESS
      : `Try again in ${Math.ceil(waitMs / 1_000)} s.`;
  const units = limit === 1 ? unit.slice(0, -1) : unit;
  const asked = unit === "requests" ? "" : `; this request needs ${cost}, and ${state.remaining} are left`;
  return new AppError("rate_limited", `${subject} ${limit} ${units} per minute${asked}. ${advice}`, {
    retryAfterMs: state.retryAfterMs,
    headers: describeLimit(unit, limit, state),
    shouldRetry: waitMs !== Infinity,
    limit: name,
  });
}

/**
 * Takes one request of the requests per minute of the key and of its owner; a refused call uses up neither. Returns the
 * headers of the tighter limit, null without limits. Throws `rate_limited` with the time until a request is allowed.
 */
export function admitRequest(
  services: GatewayServices,
  caller: KeyWithOwner,
): MaybePromise<Record<string, string> | null> {
  const limits = callerLimits(caller, "rpm");
  if (limits.length === 0) return null;
  const taken = services.limiter.shared.take(caller.owner.id, limits, MINUTE_MS);
  const headersOf = ({ allowed, states }: Awaited<typeof taken>): Record<string, string> | null => {
    if (!allowed) throw limitError(services, limits, states, "requests");
    return tightestOf(limits, states, "requests")?.headers ?? null;
  };
  return taken instanceof Promise ? taken.then(headersOf) : headersOf(taken);
}
