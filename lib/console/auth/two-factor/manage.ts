import type { BackupCodes, TwoFactorProof, TwoFactorStatus } from "../../../contracts/console/two-factor";
import { timestampOrNull } from "../../../contracts/timestamp";
import type { Repositories } from "../../../ports/store";
import { requireSession } from "../../access/guards";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";
import { requireTwoFactor, stepUp } from "../step-up";
import { digestBackupCode, lockedUntil, newBackupCodes } from "./codes";

/** The state of the caller's 2FA. */
export async function twoFactorStatus(ctx: ConsoleContext): Promise<TwoFactorStatus> {
  const { user } = requireSession(ctx);
  const found = await ctx.store.twoFactors.find(user.id);
  const isEnabled = found?.state === "enabled";
  const until = lockedUntil(ctx, found?.lockedUntil ?? null);
  return {
    enabled: isEnabled,
    pending: found?.state === "pending",
    backup_codes_left: isEnabled ? await ctx.store.twoFactors.countBackupCodes(user.id) : 0,
    locked_until: timestampOrNull(until),
  };
}

/** Replaces the backup codes with ten new ones after checking password and code. Throws as disableTwoFactor does. */
export async function renewBackupCodes(ctx: ConsoleContext, proof: TwoFactorProof): Promise<BackupCodes> {
  const { user } = requireSession(ctx);
  const codes = newBackupCodes(ctx.random);
  await stepUp(ctx, user, await requireTwoFactor(ctx, user.id), proof, async (tx, method) => {
    await tx.twoFactors.replaceBackupCodes(
      user.id,
      codes.map((one) => digestBackupCode(ctx.cipher, user.id, one)),
    );
    await recordAudit(tx, ctx, { action: "2fa.backup_codes", target: user.id, detail: { factor: method } });
  });
  return { backup_codes: codes };
}

/**
 * Disables 2FA after checking password and code, and ends the user's other sessions and pending sign-ins. Throws
 * `conflict` when 2FA is off, `step_up_failed`, `rate_limited`.
 */
export async function disableTwoFactor(ctx: ConsoleContext, proof: TwoFactorProof): Promise<void> {
  const { user, session } = requireSession(ctx);
  await stepUp(ctx, user, await requireTwoFactor(ctx, user.id), proof, async (tx, method) => {
    await removeTwoFactor(tx, user.id, session.id);
    await recordAudit(tx, ctx, { action: "2fa.disable", target: user.id, detail: { factor: method } });
  });
}

/**
 * Deletes a user's two-factor record and backup codes, and ends their pending sign-ins and sessions except
 * `exceptSession`.
 */
export async function removeTwoFactor(
  tx: Repositories,
  userId: string,
  exceptSession?: string,
): Promise<void> {
  await tx.twoFactors.replaceBackupCodes(userId, []);
  await tx.twoFactors.delete(userId);
  await tx.sessions.deleteByUser(userId, exceptSession);
  await tx.flows.deleteByUser(userId);
}
