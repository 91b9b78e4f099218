import { readCode } from "../../../contracts/console/totp-code";
import type { BackupCodes, TwoFactorEnable } from "../../../contracts/console/two-factor";
import { AppError } from "../../../errors";
import { requireSession } from "../../access/guards";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";
import { takeEnrolmentCode } from "../attempt-limit";
import { digestBackupCode, newBackupCodes } from "../backup-codes";
import { secretAad } from "../match-code";
import { matchTotp } from "../totp";

/**
 * Enables 2FA with the first code of a pending enrolment, ends the user's other sessions and pending sign-ins, and
 * returns ten backup codes, shown only here. Throws `conflict` without a pending enrolment, `invalid` for a wrong code,
 * `rate_limited` after ten of them.
 */
export async function enableTwoFactor(ctx: ConsoleContext, input: TwoFactorEnable): Promise<BackupCodes> {
  const { user, session } = requireSession(ctx);
  const found = await ctx.store.twoFactors.find(user.id);
  if (found?.state !== "pending") {
    throw new AppError("conflict", "No 2FA enrolment is pending. Set up two-factor authentication first.");
  }
  takeEnrolmentCode(ctx, user.id, 0);
  const secret = ctx.cipher.decrypt("totp", secretAad(user.id), found.encryptedSecret);
  const code = readCode(input.code)?.code ?? "";
  const step = matchTotp(secret, code, ctx.clock.now(), 0);
  if (step === null) {
    takeEnrolmentCode(ctx, user.id, 1);
    const message = "This is not the present code. Check the clock of the device.";
    throw new AppError("invalid", message, { param: "code", issues: [{ path: "code", message }] });
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
