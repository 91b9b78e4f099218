import type { AuditRow } from "../../contracts/audit";
import type { ListPage, ListQuery } from "../../contracts/paging";
import { toTimestamp } from "../../contracts/timestamp";
import { requireAdmin, requireSession } from "../auth/guards";
import type { ConsoleContext } from "../context";

/** Audit rows, newest first; for administrators signed in. */
export async function listAudit(ctx: ConsoleContext, query: ListQuery): Promise<ListPage<AuditRow>> {
  requireSession(ctx);
  requireAdmin(ctx);
  const page = await ctx.store.audit.list({
    limit: query.limit,
    cursor: query.cursor ?? null,
    q: query.q ?? null,
  });
  return {
    items: page.items.map((row) => ({
      seq: row.seq,
      at: toTimestamp(row.at),
      actor: row.actor,
      action: row.action,
      target: row.target,
      detail: row.detail,
      hash: row.hash,
    })),
    next_cursor: page.nextCursor,
  };
}
