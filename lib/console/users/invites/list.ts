import type { Invite } from "../../../contracts/console/invites";
import type { ListPage, ListQuery } from "../../../contracts/paging";
import { requireUserManager } from "../../access/require-user-manager";
import type { ReadContext } from "../../context";
import { toInvite } from "./to-invite";

/** Unused links, newest first, for administrators. */
export async function listInvites(ctx: ReadContext, query: ListQuery): Promise<ListPage<Invite>> {
  requireUserManager(ctx);
  const page = await ctx.store.invites.listOpen({
    limit: query.limit,
    cursor: query.cursor ?? null,
    q: query.q ?? null,
    now: ctx.clock.now(),
  });
  const ids = new Set(page.items.flatMap((one) => [one.madeBy, one.userId ?? one.madeBy]));
  const users = await ctx.store.users.findMany([...ids]);
  const items = page.items.map((one) =>
    toInvite(one, {
      maker: users.get(one.madeBy) ?? null,
      target: one.userId === null ? null : (users.get(one.userId) ?? null),
    }),
  );
  return { items, next_cursor: page.nextCursor };
}
