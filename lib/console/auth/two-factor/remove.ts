import type { Repositories } from "../../../ports/store";

/** Takes a user's second factor and backup codes away, and ends their pending sign-ins and sessions, but one if told so. */
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
