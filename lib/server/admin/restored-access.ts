import { recordAudit } from "../../console/audit/record";
import { renewCacheGeneration } from "../../console/settings/apply-settings";
import type { Revived } from "./compare-stores";
import type { AdminContext } from "./open-store";
import type { Terminal } from "./terminal";

/** Later than every expiry: deleting what expires before it deletes everything. */
const AFTER_EVERY_EXPIRY = Number.MAX_SAFE_INTEGER;
/** Most IDs of each kind in the audit row; the command's output lists all. */
const MAX_NAMED = 100;

/**
 * Ends access that must not come back with a restored store on which no server runs: sessions, pending sign-ins, one-time
 * links, and 2FA codes used since the backup. `file`: the name of the backup, where it is known.
 */
export async function endRestoredAccess(admin: AdminContext, revived: Revived, file?: string): Promise<void> {
  // No instance runs on the restored store, whatever its heartbeats say, so its open calls are settled.
  await admin.store.ledger.settleOrphans(AFTER_EVERY_EXPIRY);
  await admin.store.transaction(async (tx) => {
    await tx.flows.deleteExpired(AFTER_EVERY_EXPIRY);
    await tx.sessions.deleteExpired(AFTER_EVERY_EXPIRY);
    await tx.invites.deleteExpired(AFTER_EVERY_EXPIRY);
    await tx.keys.deleteExpiredPlayground(AFTER_EVERY_EXPIRY);
    for (const { userId, enrolmentId, step } of revived.steps) {
      await tx.twoFactors.consumeStep(userId, enrolmentId, step);
    }
    for (const { userId, digest } of revived.codes) await tx.twoFactors.consumeBackupCode(userId, digest);
    // Redis may hold results of a configuration that the backup does not have.
    await renewCacheGeneration(tx, admin.random);
    await recordAudit(tx, admin, {
      action: "store.restore",
      detail: {
        ...(file === undefined ? {} : { file }),
        replaced: revived.before?.auditEnd ?? null,
        users: revived.users.slice(0, MAX_NAMED).map(({ row }) => row.id),
        keys: revived.keys.slice(0, MAX_NAMED).map(({ row }) => row.id),
      },
    });
  });
}

/** A name without control characters, which a terminal would execute; the backup may come from an attacker. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, "\ufffd");
}

/** Prints the access that the backup brings back, so that the operator can revoke it. */
export function printRevived(terminal: Terminal, revived: Revived): void {
  if (revived.before === null) {
    terminal.note(
      "No earlier state of this instance could be read, so nothing was compared: users and API keys that were deleted, disabled or restricted since the backup work again. Check them now.",
    );
  }
  if (revived.users.length > 0) terminal.note("These users have access, permissions or budget again:");
  for (const { row, reason } of revived.users) terminal.note(`  ${printable(row.username)}: ${reason}`);
  if (revived.keys.length > 0)
    terminal.note("These API keys work again or allow more; revoke the ones that should not:");
  for (const { row, reason } of revived.keys)
    terminal.note(`  ${printable(row.name)} (${printable(row.display)}): ${reason}`);
  if (revived.uncomparedCodes.length > 0) {
    terminal.note(
      `Backup codes spent since the backup may work again; these users should create new ones: ${revived.uncomparedCodes.map(printable).join(", ")}.`,
    );
  }
  if (revived.withoutCodes.length > 0) {
    terminal.note(
      `No backup code is left for: ${revived.withoutCodes.map(printable).join(", ")}. They should create new ones.`,
    );
  }
}
