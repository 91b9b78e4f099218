import { readCode } from "../../contracts/login";
import type { ChangePassword } from "../../contracts/user";
import { AppError } from "../../errors";
import type { UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { requireSession } from "./guards";
import { canonicalPassword, requireGoodPassword } from "./password-rules";
import { type StartedSession, startSession } from "./start-session";
import { type SteppedUp, stepUp } from "./step-up";
import { verifyOwnPassword } from "./verify-password";

/**
 * Changes the caller's password by the one they have (and a code when the second factor is on). Every session and
 * pending sign-in of the user dies; the caller goes on in a new session.
 * Throws `invalid`, `step_up_failed`, `rate_limited`, `conflict` (changed elsewhere meanwhile).
 */
export async function changePassword(
  ctx: ConsoleContext,
  input: ChangePassword,
): Promise<{ user: UserRecord; started: StartedSession }> {
  const { user } = requireSession(ctx);
  requireGoodPassword(ctx.instance, input.new_password, user, "new_password");
  const secondFactor = await ctx.store.twoFactors.find(user.id);
  let proven: SteppedUp | null = null;
  if (secondFactor?.state === "enabled") {
    if (input.code === undefined || readCode(input.code) === null) {
      const message = "Type the code of your second factor, or a backup code.";
      throw new AppError("invalid", message, { param: "code", issues: [{ path: "code", message }] });
    }
    proven = await stepUp(ctx, user, secondFactor, { password: input.current_password, code: input.code });
  } else {
    await verifyOwnPassword(ctx, user, input.current_password);
  }
  const passwordHash = await ctx.hasher.hash(canonicalPassword(input.new_password), "login");
  return ctx.store.transaction(async (tx) => {
    const method = proven === null ? "password" : await proven.consume(tx);
    const changed = await tx.users.update(user, { passwordHash, passwordVersion: user.passwordVersion + 1 });
    if (changed === null)
      throw new AppError("conflict", "Your account was changed meanwhile. Load it again.");
    await tx.sessions.deleteByUser(user.id);
    await tx.flows.deleteByUser(user.id);
    const started = await startSession(tx, ctx, changed, method);
    await recordAudit(tx, ctx, { action: "password.change", target: user.id, detail: { factor: method } });
    return { user: changed, started };
  });
}
