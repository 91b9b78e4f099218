import type { BackupCodes, TwoFactorProof } from "../../../contracts/console/two-factor";
import { requireSession } from "../../access/guards";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";
import { digestBackupCode, newBackupCodes } from "../backup-codes";
import { requireTwoFactor, stepUp } from "../step-up";

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
