import type { Repositories } from "../../../ports/store";

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
