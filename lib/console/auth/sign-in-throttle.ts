import type { AppError } from "../../errors";
import type { Repositories, UserRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { tooMany } from "./attempt-limit";
import { userNameKey } from "./user-name-key";

/** Ten wrong passwords for one account, existing or not, delay it 30 s, doubling to 1 h. */
const RULE = { threshold: 10, baseMs: 30_000, maxMs: 3_600_000 };
/** A counter that did not change for a day starts again at 0. */
export const THROTTLE_KEPT_MS = 24 * 3_600_000;

/**
 * What wrong passwords at sign-in are counted under: the account behind a user name or e-mail address, so that both
 * share one counter, or the name itself where there is no account. Both kinds behave alike; no name holds a NUL.
 */
export function signInSubject(user: Pick<UserRecord, "id"> | null, name: string): string {
  return user === null ? userNameKey(name) : `account\u0000${user.id}`;
}

/**
 * What a signed-in user's own wrong passwords are counted under. Apart from sign-in, so that guesses there cannot keep
 * the user from changing the password that is guessed at.
 */
export function ownPasswordSubject(userId: string): string {
  return `own-password\u0000${userId}`;
}

/** Every counter of an account. */
export function throttleSubjects(user: Pick<UserRecord, "id" | "username">): string[] {
  return [signInSubject(user, user.username), ownPasswordSubject(user.id)];
}

type Needs = Pick<ConsoleContext, "cipher" | "clock">;

/** The store's key of a counter: it must not hold the names that people typed. */
export function subjectDigest(ctx: Pick<Needs, "cipher">, subject: string): string {
  return ctx.cipher.digest("login-name", subject);
}

/** The 429 of a delayed subject; null when it is not delayed. */
export async function delayOf(
  store: Pick<Repositories, "signInThrottles">,
  ctx: Needs,
  subject: string,
): Promise<AppError | null> {
  const throttle = await store.signInThrottles.find(subjectDigest(ctx, subject));
  const waitMs = (throttle?.delayedUntil ?? 0) - ctx.clock.now();
  return waitMs > 0 ? tooMany("Too many wrong passwords.", waitMs) : null;
}

/** Sets the counters of these subjects back to 0. */
export async function clearThrottles(
  tx: Repositories,
  ctx: Pick<Needs, "cipher">,
  subjects: readonly string[],
): Promise<void> {
  for (const subject of subjects) await tx.signInThrottles.clear(subjectDigest(ctx, subject));
}

/** Counts one wrong password. */
export async function countWrongPassword(tx: Repositories, ctx: Needs, subject: string): Promise<void> {
  await tx.signInThrottles.fail(subjectDigest(ctx, subject), ctx.clock.now(), RULE);
}
