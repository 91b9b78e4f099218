import type { AppError } from "../../errors";
import type { Repositories } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { tooMany } from "./attempt-limit";
import { loginKey } from "./login-key";

/** Ten wrong passwords for one name, existing or not, delay that name 30 s, doubling to 1 h. */
const RULE = { threshold: 10, baseMs: 30_000, maxMs: 3_600_000 };
/** A name that nobody tried for a day starts anew. */
export const THROTTLE_KEPT_MS = 24 * 3_600_000;

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
  return waitMs > 0 ? tooMany("Too many wrong passwords for this name.", waitMs) : null;
}

/** Counts one wrong password. */
export async function countWrongPassword(tx: Repositories, ctx: Needs, name: string): Promise<void> {
  await tx.loginThrottles.fail(nameDigest(ctx, name), ctx.clock.now(), RULE);
}
