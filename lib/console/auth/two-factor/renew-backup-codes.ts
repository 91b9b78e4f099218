import type { BackupCodes, TwoFactorProof } from "../../../contracts/console/two-factor";
import { requireSession } from "../../access/guards";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";
import { digestBackupCode, newBackupCodes } from "../backup-codes";
import { requireTwoFactor, stepUp } from "../step-up";

/** Ten new backup codes, by password and code; the old ones are dead. Throws as disableSecondFactor does. */
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
