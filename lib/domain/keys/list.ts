import type { ApiKey } from "../../contracts/keys";
import type { ListPage, ListQuery } from "../../contracts/paging";
import { requireUser } from "../auth/guards";
import type { ConsoleContext } from "../context";
import { findVisibleKey } from "./authority";
import { toApiKey } from "./to-api-key";

/** API keys, newest first: a member's own, or everybody's for administrators. */
export async function listKeys(ctx: ConsoleContext, query: ListQuery): Promise<ListPage<ApiKey>> {
  const user = requireUser(ctx);
  const page = await ctx.store.keys.list({
    limit: query.limit,
    cursor: query.cursor ?? null,
    q: query.q ?? null,
    ownerId: user.role === "member" ? user.id : null,
  });
  const now = ctx.clock.now();
  const items = await Promise.all(page.items.map((key) => toApiKey(ctx.store, key, now)));
  return { items, next_cursor: page.nextCursor };
}

/** One API key. Throws `not_found`. */
export async function getKey(ctx: ConsoleContext, id: string): Promise<ApiKey> {
  return toApiKey(ctx.store, await findVisibleKey(ctx.store, ctx, id), ctx.clock.now());
}
