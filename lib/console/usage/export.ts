import type { UsageFilters } from "../../contracts/console/usage";
import type { UsageRecord } from "../../ports/store";
import { findCallerAgain } from "../auth/find-caller-again";
import type { ConsoleContext } from "../context";
import { listUsage } from "./list-usage";

const PAGE = 100;

/**
 * Every call of the filter, newest first, one page in memory at a time. The caller is authenticated again before each
 * page and gets what they may see then. Throws `unauthenticated` at any page.
 */
export async function* exportUsage(
  ctx: ConsoleContext,
  asked: UsageFilters,
  q: string | null,
): AsyncGenerator<UsageRecord[]> {
  let cursor: string | null = null;
  do {
    const caller = await findCallerAgain(ctx);
    const page = await listUsage({ ...ctx, caller }, asked, { q, limit: PAGE, cursor });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
