import type { TwoFactorEnrolment, TwoFactorSetup } from "../../../contracts/console/two-factor";
import { AppError } from "../../../errors";
import { newId } from "../../../gateway/new-id";
import { requireSession } from "../../access/guards";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";
import { secretAad } from "../match-code";
import { newTotpSecret, totpUri } from "../totp";
import { verifyOwnPassword } from "../verify-password";

/** Within this time after sign-in no password is required. */
const FRESH_MS = 10 * 60_000;

/**
 * Begins an enrolment with a new secret, pending until a code proves that the app has it; replaces an earlier pending
 * one. Throws `conflict` when 2FA is on, `invalid` without a password when the sign-in is older than ten minutes,
 * `step_up_failed`.
 */
export async function setUpTwoFactor(
  ctx: ConsoleContext,
  input: TwoFactorSetup,
): Promise<TwoFactorEnrolment> {
  const { user, session } = requireSession(ctx);
  if ((await ctx.store.twoFactors.find(user.id))?.state === "enabled") {
    throw new AppError("conflict", "Two-factor authentication is already enabled. Disable it first.");
  }
  if (input.password !== undefined) {
    await verifyOwnPassword(ctx, user, input.password);
  } else if (ctx.clock.now() - session.authenticatedAt > FRESH_MS) {
    const message = "Enter your password: you signed in more than ten minutes ago.";
    throw new AppError("invalid", message, { param: "password", issues: [{ path: "password", message }] });
  }
  const secret = newTotpSecret(ctx.random);
  await ctx.store.transaction(async (tx) => {
    await tx.twoFactors.putPending({
      userId: user.id,
      enrolmentId: newId(ctx.random, "enr"),
      encryptedSecret: ctx.cipher.encrypt("totp", secretAad(user.id), secret),
      state: "pending",
      lastStep: 0,
      failures: 0,
      locks: 0,
      lockedUntil: null,
      createdAt: ctx.clock.now(),
    });
    await recordAudit(tx, ctx, { action: "2fa.setup", target: user.id });
  });
  return { secret, otpauth_uri: totpUri(secret, user.username) };
}
