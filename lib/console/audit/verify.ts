import type { AuditCheck } from "../../contracts/console/audit";
import type { AuditChain, Store } from "../../ports/store";
import { requireSignedInAdmin } from "../access/guards";
import type { ConsoleContext } from "../context";

/** Running verifications by store: concurrent callers share one, so that the log is not read twice at once. */
const runningVerifications = new WeakMap<Store, Promise<AuditChain>>();

/** True when no row was changed, added or cut off. */
export function isWhole({ rows, brokenAt, expectedRows }: AuditChain): boolean {
  return brokenAt === null && expectedRows === rows;
}

/** Verifies the whole audit chain. Throws `unauthenticated` or `forbidden` unless an administrator is signed in. */
export async function verifyAudit(ctx: ConsoleContext): Promise<AuditCheck> {
  requireSignedInAdmin(ctx);
  const startedAt = ctx.clock.monotonic();
  const verification =
    runningVerifications.get(ctx.store) ??
    ctx.store.audit.verify().finally(() => runningVerifications.delete(ctx.store));
  runningVerifications.set(ctx.store, verification);
  const chain = await verification;
  return {
    whole: isWhole(chain),
    rows: chain.rows,
    newest_hash: chain.newestHash,
    broken_at: chain.brokenAt,
    expected_rows: chain.expectedRows,
    took_ms: Math.round(ctx.clock.monotonic() - startedAt),
  };
}
