import type { ManagedUser } from "../../contracts/console/user";
import type { ListPage, ListQuery } from "../../contracts/paging";
import { AppError } from "../../errors";
import { requireUserManager } from "../access/require-user-manager";
import type { ReadContext } from "../context";
import { toManagedUser, toManagedUsers } from "./to-managed-user";

/** Users, for administrators. */
export async function listUsers(ctx: ReadContext, query: ListQuery): Promise<ListPage<ManagedUser>> {
  requireUserManager(ctx);
  const page = await ctx.store.users.list({
    limit: query.limit,
    cursor: query.cursor ?? null,
    q: query.q ?? null,
  });
  return { items: await toManagedUsers(ctx.store, ctx, page.items), next_cursor: page.nextCursor };
}

/** One user, for administrators. Throws `not_found`. */
export async function getUser(ctx: ReadContext, id: string): Promise<ManagedUser> {
  requireUserManager(ctx);
  const user = await ctx.store.users.findById(id);
  if (user === null) throw new AppError("not_found", "There is no such user.");
  return toManagedUser(ctx.store, ctx, user);
}
