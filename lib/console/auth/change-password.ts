import type { TwoFactorMethod } from "../../contracts/console/two-factor";
import type { ChangePassword } from "../../contracts/console/user";
import { AppError } from "../../errors";
import type { Repositories, UserRecord } from "../../ports/store";
import { requireSession } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { canonicalPassword, requireGoodPassword } from "./password-rules";
import { type SignedIn, startSession } from "./sessions";
import { verifyOwnCode, verifyOwnPassword } from "./step-up";
import { requireCode } from "./two-factor/codes";

/**
 * Changes the caller's password, given the present one (and a code when 2FA is on). Ends every session and pending
 * sign-in of the user and starts a new session for the caller. Throws `invalid`, `step_up_failed`, `rate_limited`,
 * `conflict` (changed by another request).
 */
export async function changePassword(ctx: ConsoleContext, input: ChangePassword): Promise<SignedIn> {
  const { user } = requireSession(ctx);
  requireGoodPassword(ctx.instance, input.new_password, user, "new_password");
  const twoFactor = await ctx.store.twoFactors.find(user.id);
  const code = twoFactor?.state === "enabled" ? requireCode(input.code) : null;
  await verifyOwnPassword(ctx, user, input.current_password);
  // Hashed once the password was right, so that guesses cannot fill the queue of sign-ins; and before the code is used
  // up, so that a full queue costs the user no code.
  const passwordHash = await ctx.hasher.hash(canonicalPassword(input.new_password), "sign-in");
  if (twoFactor === null || code === null)
    return ctx.store.transaction((tx) => replace(tx, ctx, user, passwordHash, "password"));
  return verifyOwnCode(ctx, user, twoFactor, code, (tx, method) =>
    replace(tx, ctx, user, passwordHash, method),
  );
}

async function replace(
  tx: Repositories,
  ctx: ConsoleContext,
  user: UserRecord,
  passwordHash: string,
  method: TwoFactorMethod | "password",
): Promise<SignedIn> {
  const changed = await tx.users.update(user, { passwordHash, passwordVersion: user.passwordVersion + 1 });
  // 2FA may have been enabled after the check that asked for no code.
  const wasEnabledMeanwhile =
    method === "password" && (await tx.twoFactors.find(user.id))?.state === "enabled";
  if (changed === null || wasEnabledMeanwhile)
    throw new AppError("conflict", "Your account was changed by another request. Load it again.");
  await tx.sessions.deleteByUser(user.id);
  await tx.flows.deleteByUser(user.id);
  const started = await startSession(tx, ctx, changed, method);
  await recordAudit(tx, ctx, { action: "password.change", target: user.id, detail: { factor: method } });
  return { user: changed, started };
}
