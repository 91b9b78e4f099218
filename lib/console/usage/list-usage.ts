import type { UsageFilters } from "../../contracts/console/usage";
import type { Page, PageQuery, UsageRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { usageFilter } from "./filter";

/**
 * Calls, newest first: all of them for owners and admins, one's own for members. Asking for another's rows as a member
 * finds none. Throws `unauthenticated`, `invalid` (cursor, search).
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
