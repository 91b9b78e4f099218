import type { UsageFilters } from "../../contracts/console/usage";
import type { Page, PageQuery, UsageRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { usageFilter } from "./filter";

/**
 * Calls, newest first: all for owners and admins, their own for members. A member who asks for another user's gets
 * none. Throws `unauthenticated`, `invalid` (cursor, search).
 */
export async function listUsage(
  ctx: ConsoleContext,
  asked: UsageFilters,
  page: PageQuery,
): Promise<Page<UsageRecord>> {
  const filter = usageFilter(ctx, asked);
  if (filter === null) return { items: [], nextCursor: null };
  return ctx.store.ledger.list({ ...filter, ...page });
}
