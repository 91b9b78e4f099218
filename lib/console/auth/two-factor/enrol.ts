import {
  type BackupCodes,
  readCode,
  type TwoFactorEnable,
  type TwoFactorEnrolment,
  type TwoFactorSetup,
} from "../../../contracts/console/two-factor";
import { AppError, invalidField } from "../../../errors";
import { newId } from "../../../gateway/new-id";
import { requireSession } from "../../access/guards";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";
import { takeWrongEnrolmentCodes } from "../attempt-limit";
import { verifyOwnPassword } from "../step-up";
import { matchTotp, newTotpSecret, totpUri } from "../totp";
import { digestBackupCode, newBackupCodes, secretAad } from "./codes";

/** Within this time after sign-in no password is required. */
const RECENT_SIGN_IN_MS = 10 * 60_000;

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
  } else if (ctx.clock.now() - session.authenticatedAt > RECENT_SIGN_IN_MS) {
    throw invalidField("password", "Enter your password: you signed in more than ten minutes ago.");
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

/**
 * Enables 2FA with the first code of a pending enrolment, ends the user's other sessions and pending sign-ins, and
 * returns ten backup codes, shown only here. Throws `conflict` without a pending enrolment, `invalid` for a wrong code,
 * `rate_limited` after ten of them.
 */
export async function enableTwoFactor(ctx: ConsoleContext, input: TwoFactorEnable): Promise<BackupCodes> {
  const { user, session } = requireSession(ctx);
  const found = await ctx.store.twoFactors.find(user.id);
  // Another tab has finished the enrolment.
  if (found?.state === "enabled")
    throw new AppError("conflict", "Two-factor authentication is already enabled.");
  if (found?.state !== "pending") {
    throw new AppError("conflict", "No 2FA enrolment is pending. Set up two-factor authentication first.");
  }
  await takeWrongEnrolmentCodes(ctx, user.id, 0);
  const secret = ctx.cipher.decrypt("totp", secretAad(user.id), found.encryptedSecret);
  const code = readCode(input.code)?.code ?? "";
  const step = matchTotp(secret, code, ctx.clock.now(), 0);
  if (step === null) {
    await takeWrongEnrolmentCodes(ctx, user.id, 1);
    throw invalidField("code", "Incorrect code. Check the clock of the device.");
  }
  const codes = newBackupCodes(ctx.random);
  await ctx.store.transaction(async (tx) => {
    if (!(await tx.twoFactors.enable(user.id, found.enrolmentId, step))) {
      throw new AppError("conflict", "This enrolment was replaced or enabled by another request.");
    }
    await tx.twoFactors.replaceBackupCodes(
      user.id,
      codes.map((one) => digestBackupCode(ctx.cipher, user.id, one)),
    );
    await tx.sessions.deleteByUser(user.id, session.id);
    await tx.flows.deleteByUser(user.id);
    await recordAudit(tx, ctx, { action: "2fa.enable", target: user.id });
  });
  return { backup_codes: codes };
}
