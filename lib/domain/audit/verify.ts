import type { AuditCheck } from "../../contracts/audit";
import type { AuditChain, Store } from "../../ports/store";
import { requireAdmin, requireSession } from "../auth/guards";
import type { ConsoleContext } from "../context";

/** Walks under way: who asks meanwhile gets the same answer, so that nobody makes the store read twice at once. */
const underWay = new WeakMap<Store, Promise<AuditChain>>();

/** Reads the whole hash chain; for administrators signed in. */
export async function verifyAudit(ctx: ConsoleContext): Promise<AuditCheck> {
  requireSession(ctx);
  requireAdmin(ctx);
  const startedAt = ctx.clock.monotonic();
  const walk = underWay.get(ctx.store) ?? ctx.store.audit.verify().finally(() => underWay.delete(ctx.store));
  underWay.set(ctx.store, walk);
  const { rows, newestHash, brokenAt } = await walk;
  return {
    whole: brokenAt === null,
    rows,
    newest_hash: newestHash,
    broken_at: brokenAt,
    took_ms: Math.round(ctx.clock.monotonic() - startedAt),
  };
}
