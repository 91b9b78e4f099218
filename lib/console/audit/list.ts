import type { AuditQuery, AuditRow } from "../../contracts/console/audit";
import type { ListPage } from "../../contracts/paging";
import { toTimestamp } from "../../contracts/timestamp";
import type { AuditFilter } from "../../ports/store";
import { requireAdmin, requireSession } from "../access/guards";
import type { ConsoleContext } from "../context";
import { namesIn } from "./names";

function filterOf(query: AuditQuery): AuditFilter {
  return {
    ...(query.actor === undefined ? {} : { actor: query.actor }),
    ...(query.target === undefined ? {} : { target: query.target }),
    ...(query.action === undefined ? {} : { actions: query.action.split(",") }),
    ...(query.from === undefined ? {} : { from: Date.parse(query.from) }),
    ...(query.to === undefined ? {} : { to: Date.parse(query.to) }),
  };
}

/** Audit rows, newest first, with the names of actors and targets; for signed-in administrators. */
export async function listAudit(ctx: ConsoleContext, query: AuditQuery): Promise<ListPage<AuditRow>> {
  requireSession(ctx);
  requireAdmin(ctx);
  const page = await ctx.store.audit.list({
    ...filterOf(query),
    limit: query.limit,
    cursor: query.cursor ?? null,
    q: query.q ?? null,
  });
  const names = await namesIn(ctx.store, page.items);
  return {
    items: page.items.map((row) => ({
      seq: row.seq,
      at: toTimestamp(row.at),
      actor: row.actor,
      actor_name: names.get(row.actor) ?? null,
      action: row.action,
      target: row.target,
      target_name: names.get(row.target) ?? null,
      detail: row.detail,
      hash: row.hash,
    })),
    next_cursor: page.nextCursor,
  };
}
