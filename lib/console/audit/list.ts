import type { AuditQuery, AuditRow } from "../../contracts/console/audit";
import type { ListPage } from "../../contracts/paging";
import { toTimestamp } from "../../contracts/timestamp";
import type { AuditRecord, Repositories } from "../../ports/store";
import { requireSignedInAdmin } from "../access/guards";
import type { ConsoleContext } from "../context";
import { pageQuery } from "../page-of";

type Named = Pick<Repositories, "users" | "keys" | "channels">;

async function nameOf(store: Named, id: string): Promise<string | null> {
  if (id.startsWith("usr_")) return (await store.users.findById(id))?.username ?? null;
  if (id.startsWith("key_")) return (await store.keys.findById(id))?.name ?? null;
  if (id.startsWith("chn_")) return (await store.channels.find(id))?.name ?? null;
  return null;
}

/**
 * The target's name as the row's detail recorded it, for deleted targets; invites are named by their e-mail address.
 */
function nameInDetail({ target, detail }: AuditRecord): string | null {
  const name = detail.name ?? detail.username ?? (target.startsWith("inv_") ? detail.email : null);
  return typeof name === "string" ? name : null;
}

/** The names of the actors and targets of these rows, by ID; IDs of unknown form have no name. */
async function namesIn(store: Named, rows: readonly AuditRecord[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const row of rows) {
    const name = nameInDetail(row);
    // The rows are newest first, so a deleted target gets its last known name.
    if (name !== null && row.target !== "" && !names.has(row.target)) names.set(row.target, name);
  }
  const ids = new Set(rows.flatMap((row) => [row.actor, row.target]));
  await Promise.all(
    [...ids].map(async (id) => {
      const name = await nameOf(store, id);
      if (name !== null) names.set(id, name);
    }),
  );
  return names;
}

/** Audit rows, newest first, with the names of actors and targets; for signed-in administrators. */
export async function listAudit(ctx: ConsoleContext, query: AuditQuery): Promise<ListPage<AuditRow>> {
  requireSignedInAdmin(ctx);
  const page = await ctx.store.audit.list({
    ...pageQuery(query),
    actor: query.actor,
    target: query.target,
    actions: query.action?.split(","),
    from: query.from === undefined ? undefined : Date.parse(query.from),
    to: query.to === undefined ? undefined : Date.parse(query.to),
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
