import type { AppError } from "../../errors";
import type { Repositories } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { tooMany } from "./attempt-limit";
import { loginKey } from "./login-key";

/** Ten wrong passwords for one name, existing or not, delay that name 30 s, doubling to 1 h. */
const RULE = { threshold: 10, baseMs: 30_000, maxMs: 3_600_000 };
/** A name that nobody tried for a day starts anew. */
export const THROTTLE_KEPT_MS = 24 * 3_600_000;

/**
 * Stands for a signed-in user's own password in place of a name. Apart from the name, so that whoever guesses at
 * sign-in cannot keep the user from changing what is guessed at; no name holds a NUL.
 */
export function ownPasswordOf(userId: string): string {
  return `own-password\u0000${userId}`;
}

type Needs = Pick<ConsoleContext, "sealer" | "clock">;

/** What the store counts a name's wrong passwords under. */
export function nameDigest(ctx: Pick<Needs, "sealer">, name: string): string {
  return ctx.sealer.digest("login-name", loginKey(name));
}

/** The 429 of a delayed name; null when the name is free. */
export async function delayOf(
  store: Pick<Repositories, "loginThrottles">,
  ctx: Needs,
  name: string,
): Promise<AppError | null> {
  const throttle = await store.loginThrottles.find(nameDigest(ctx, name));
  const waitMs = (throttle?.delayedUntil ?? 0) - ctx.clock.now();
  return waitMs > 0 ? tooMany("Too many wrong passwords.", waitMs) : null;
}

/** Forgets the wrong passwords counted for these names. */
export async function forgiveNames(
  tx: Repositories,
  ctx: Pick<Needs, "sealer">,
  names: readonly (string | null)[],
): Promise<void> {
  for (const name of names) if (name !== null) await tx.loginThrottles.clear(nameDigest(ctx, name));
}

/** Counts one wrong password. */
export async function countWrongPassword(tx: Repositories, ctx: Needs, name: string): Promise<void> {
  await tx.loginThrottles.fail(nameDigest(ctx, name), ctx.clock.now(), RULE);
}
