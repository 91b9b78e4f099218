import { DAY_MS, HOUR_MS } from "../../contracts/durations";
import type { AppError } from "../../errors";
import { lockLeftMs } from "../../ports/lock-left";
import type { Repositories, UserRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { tooManyAttempts } from "./attempt-limit";
import { userNameKey } from "./user-name-key";

/** Ten wrong passwords for one account, existing or not, delay it 30 s, doubling to 1 h. */
const RULE = { threshold: 10, baseMs: 30_000, maxMs: HOUR_MS };
/** A counter unchanged for a day is deleted. */
export const THROTTLE_RETENTION_MS = DAY_MS;

/**
 * The counter of wrong passwords at sign-in: by account, so that user name and e-mail address share one, or by the name
 * when there is no account; both kinds of counters behave alike. A NUL keeps them apart, since no name contains one.
 */
export function signInSubject(user: Pick<UserRecord, "id"> | null, name: string): string {
  return user === null ? userNameKey(name) : `account\u0000${user.id}`;
}

/**
 * The counter of a signed-in user's wrong own passwords. Separate from sign-in, so that guesses there cannot keep the
 * user from changing the password.
 */
export function ownPasswordSubject(userId: string): string {
  return `own-password\u0000${userId}`;
}

/** Every counter of an account. */
export function throttleSubjects(user: Pick<UserRecord, "id" | "username">): string[] {
  return [signInSubject(user, user.username), ownPasswordSubject(user.id)];
}

type Needs = Pick<ConsoleContext, "cipher" | "clock">;

/** The stored key of a counter: a digest, so that typed names are not stored. */
export function subjectDigest(ctx: Pick<Needs, "cipher">, subject: string): string {
  return ctx.cipher.digest("login-name", subject);
}

/** Milliseconds until a delay ends; 0 when it is over. */
export function delayLeftMs(ctx: Pick<Needs, "clock">, delayedUntil: number | null): number {
  return lockLeftMs(delayedUntil, ctx.clock.now(), RULE.maxMs);
}

/** The 429 of a delayed subject; null when it is not delayed. */
export async function delayOf(
  store: Pick<Repositories, "signInThrottles">,
  ctx: Needs,
  subject: string,
): Promise<AppError | null> {
  const throttle = await store.signInThrottles.find(subjectDigest(ctx, subject));
  const waitMs = delayLeftMs(ctx, throttle?.delayedUntil ?? null);
  return waitMs > 0 ? tooManyAttempts("Too many wrong passwords.", waitMs) : null;
}

/** Resets the counters of these subjects to 0. */
export async function clearThrottles(
  tx: Repositories,
  ctx: Pick<Needs, "cipher">,
  subjects: readonly string[],
): Promise<void> {
  for (const subject of subjects) await tx.signInThrottles.clear(subjectDigest(ctx, subject));
}

export async function countWrongPassword(tx: Repositories, ctx: Needs, subject: string): Promise<void> {
  await tx.signInThrottles.fail(subjectDigest(ctx, subject), ctx.clock.now(), RULE);
}
