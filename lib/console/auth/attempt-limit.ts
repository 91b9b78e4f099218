import { MINUTE_MS } from "../../contracts/durations";
import { AppError } from "../../errors";
import { addressBucket } from "../../gateway/admission/address-list";
import type { ConsoleContext } from "../context";

type Counted = "loginAttemptsPerMinute" | "wrongSetupTokensPerMinute" | "setupReadsPerMinute";

/** Takes one of the attempts per minute and address that `limit` allows. Throws `rate_limited`. */
export async function takeAttempt(
  ctx: Pick<ConsoleContext, "limiter" | "metrics" | "peer" | "instance">,
  what: string,
  limit: Counted,
): Promise<void> {
  const { limits } = ctx.instance;
  const bucket = `${what}:${addressBucket(ctx.peer.address)}`;
  const taken = await ctx.limiter.shared.takeForAddress(bucket, limits[limit], MINUTE_MS);
  if (taken.allowed) return;
  ctx.metrics.count("rate_limited");
  throw tooManyAttempts("Too many attempts from this address.", taken.retryAfterMs);
}

const OWN_PASSWORD_CHECKS = 20;
const MEMBER_CHANGES = 120;

/** Takes one of the `limit` actions that a user has per minute. Throws `rate_limited`; `words` begin its message. */
async function takeOwn(
  ctx: Pick<ConsoleContext, "limiter" | "metrics">,
  userId: string,
  { what, limit, words }: { what: string; limit: number; words: string },
): Promise<void> {
  const ask = { bucket: `${what}:${userId}`, limit, cost: 1, leastShare: 3 };
  const { allowed, states } = await ctx.limiter.shared.take(userId, [ask], MINUTE_MS);
  if (allowed) return;
  ctx.metrics.count("rate_limited");
  throw tooManyAttempts(words, states[0]?.retryAfterMs ?? 0);
}

/**
 * Limits checks of a signed-in user's own password, right or wrong, because they share the hashing queue with sign-ins.
 * Throws `rate_limited` after twenty within a minute.
 */
export function takeOwnPasswordCheck(
  ctx: Pick<ConsoleContext, "limiter" | "metrics">,
  userId: string,
): Promise<void> {
  const words = "Your password was asked for too often.";
  return takeOwn(ctx, userId, { what: "own-password", limit: OWN_PASSWORD_CHECKS, words });
}

/**
 * Limits a member's changes through the console's API, because each adds a row to the audit log, which is never
 * shortened. Throws `rate_limited` after 120 within a minute.
 */
export function takeMemberChange(
  ctx: Pick<ConsoleContext, "limiter" | "metrics">,
  userId: string,
): Promise<void> {
  return takeOwn(ctx, userId, { what: "changes", limit: MEMBER_CHANGES, words: "Too many changes." });
}

const WRONG_ENROLMENT_CODES = 10;
const WRONG_ENROLMENT_WINDOW_MS = 10 * MINUTE_MS;

/**
 * Counts wrong codes during 2FA enrolment of a user; a cost of 0 only checks whether another is allowed. Throws
 * `rate_limited` after ten wrong codes within ten minutes.
 */
export async function takeWrongEnrolmentCodes(
  ctx: Pick<ConsoleContext, "limiter" | "metrics">,
  userId: string,
  cost: 0 | 1,
): Promise<void> {
  const bucket = `2fa-enable:${userId}`;
  // With more processes than codes, the share of some processes would be 0, and they would allow no enrolment.
  const ask = { bucket, limit: WRONG_ENROLMENT_CODES, cost, leastShare: 1 };
  const { states } = await ctx.limiter.shared.take(userId, [ask], WRONG_ENROLMENT_WINDOW_MS);
  const [taken] = states;
  if (taken === undefined || taken.allowed) return;
  ctx.metrics.count("rate_limited");
  throw tooManyAttempts("Too many wrong codes.", taken.retryAfterMs);
}

/** A 429 that says how long to wait. */
export function tooManyAttempts(words: string, retryAfterMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const message =
    seconds < 120
      ? `${words} Try again in ${seconds} s.`
      : `${words} Try again in ${Math.ceil(seconds / 60)} minutes.`;
  return new AppError("rate_limited", message, { retryAfterMs: seconds * 1000 });
}
