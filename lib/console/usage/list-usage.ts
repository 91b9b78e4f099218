import type { UsageFilters } from "../../contracts/console/usage";
import type { Page, PageQuery, UsageFilter, UsageOutcome, UsagePage } from "../../ports/store";
import { requireUser } from "../access/guards";
import { findCallerAgain } from "../auth/find-live-session";
import type { ConsoleContext, ReadContext } from "../context";

function outcomeOf(status: string): UsageOutcome {
  if (status === "ok" || status === "failed") return { kind: status };
  return /^\d/.test(status) ? { kind: "status", status: Number(status) } : { kind: "error", code: status };
}

/**
 * The requested filter, narrowed to the caller's own calls for a member; null when a member asks for another user's.
 * Throws `unauthenticated`.
 */
export function usageFilter(ctx: ReadContext, asked: UsageFilters): UsageFilter | null {
  const { id, role } = requireUser(ctx);
  const isMember = role === "member";
  if (isMember && asked.user_id !== undefined && asked.user_id !== id) return null;
  const filter: UsageFilter = {
    userId: isMember ? id : asked.user_id,
    keyId: asked.key_id,
    keyIds: asked.key_ids?.split(","),
    model: asked.model,
    channelId: asked.channel_id,
    operation: asked.operation,
    tag: asked.tag,
    endUser: asked.end_user,
    requestId: asked.request_id,
    q: asked.q,
  };
  if (asked.status !== undefined) filter.outcome = outcomeOf(asked.status);
  if (asked.from !== undefined) filter.from = Date.parse(asked.from);
  if (asked.to !== undefined) filter.to = Date.parse(asked.to);
  return filter;
}

/**
 * Calls, newest first: all for owners and admins, their own for members. A member who asks for another user's gets
 * none. Throws `unauthenticated`, `invalid` (cursor, search).
 */
export async function listUsage(
  ctx: ConsoleContext,
  { limit, cursor, ...asked }: UsageFilters & Pick<PageQuery, "limit"> & { cursor?: string },
): Promise<UsagePage> {
  const filter = usageFilter(ctx, asked);
  if (filter === null) return { items: [], nextCursor: null, searchedFrom: null };
  return ctx.store.ledger.list({ ...filter, q: asked.q ?? null, limit, cursor: cursor ?? null });
}

const PAGE = 100;

/**
 * Every page of a list, one in memory at a time. The caller is authenticated again before each page and gets what they
 * may see then. Throws `unauthenticated` at any page.
 */
export async function* exportPages<Item>(
  ctx: ConsoleContext,
  list: (ctx: ConsoleContext, page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let cursor: string | undefined;
  do {
    const caller = await findCallerAgain(ctx);
    const page: Page<Item> = await list({ ...ctx, caller }, { limit: PAGE, cursor });
    yield page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
