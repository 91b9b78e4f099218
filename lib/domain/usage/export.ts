import type { UsageFilters } from "../../contracts/usage";
import type { UsageRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { listUsage } from "./list-usage";

const PAGE = 100;

/** Every call of the filter, newest first, a page in memory at a time. Throws `unauthenticated` at the first. */
export async function* exportUsage(
  ctx: ConsoleContext,
  asked: UsageFilters,
  q: string | null,
): AsyncGenerator<UsageRecord[]> {
  let cursor: string | null = null;
  do {
    const page = await listUsage(ctx, asked, { q, limit: PAGE, cursor });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
