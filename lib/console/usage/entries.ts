import type { UsageDetail, UsageFilters, UsageList, UsageRow } from "../../contracts/console/usage";
import { timestampOrNull } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import type { CallTrace, Page, PageQuery, UsageFilter, UsageOutcome, UsagePage } from "../../ports/store";
import { requireUser } from "../access/guards";
import { requireLiveCaller } from "../auth/find-live-session";
import { nameOfStoredKey } from "../channels/stored-keys";
import type { ConsoleContext, ReadContext } from "../context";
import { createNamer } from "./names";
import { toUsageDetail, toUsageRow } from "./to-usage-row";

function outcomeOf(status: string): UsageOutcome {
  if (status === "ok" || status === "failed") return { kind: status };
  return /^\d/.test(status) ? { kind: "status", status: Number(status) } : { kind: "error", code: status };
}

/**
 * The requested filter, narrowed to the caller's own calls for a member; null when a member asks for another user's
 * calls. Throws `unauthenticated`.
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

type Asked = UsageFilters & Pick<PageQuery, "limit"> & { cursor?: string };

async function readPage(ctx: ConsoleContext, { limit, cursor, ...asked }: Asked): Promise<UsagePage> {
  const filter = usageFilter(ctx, asked);
  if (filter === null) return { items: [], nextCursor: null, searchedFrom: null };
  return ctx.store.ledger.list({ ...filter, q: asked.q ?? null, limit, cursor: cursor ?? null });
}

/**
 * Calls, newest first: all for owners and admins, their own for members. A member who asks for another user's calls
 * gets an empty list. Throws `unauthenticated`, `invalid` (cursor, search).
 */
export async function listUsage(ctx: ConsoleContext, asked: Asked): Promise<UsageList> {
  const { items, nextCursor, searchedFrom } = await readPage(ctx, asked);
  const namer = createNamer(ctx);
  await namer.learnRows(items);
  return {
    items: items.map((row) => toUsageRow(row, namer.names)),
    next_cursor: nextCursor,
    searched_from: timestampOrNull(searchedFrom),
  };
}

const PAGE = 100;

/**
 * Every page of a list, one in memory at a time. The caller is authenticated again before each page and gets what their
 * present role may see. Throws `unauthenticated` at any page.
 */
export async function* exportPages<Item>(
  ctx: ConsoleContext,
  list: (ctx: ConsoleContext, page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let cursor: string | undefined;
  do {
    const caller = await requireLiveCaller(ctx);
    const page: Page<Item> = await list({ ...ctx, caller }, { limit: PAGE, cursor });
    yield page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** The rows of every page of calls. Throws `unauthenticated` at any page. */
export async function* exportUsage(ctx: ConsoleContext, filters: UsageFilters): AsyncGenerator<UsageRow[]> {
  const namer = createNamer(ctx);
  for await (const rows of exportPages(ctx, (now, page) => readPage(now, { ...filters, ...page }))) {
    await namer.learnRows(rows);
    yield rows.map((row) => toUsageRow(row, namer.names));
  }
}

async function findRow(ctx: ConsoleContext, id: string, userId: string | undefined) {
  const found = await ctx.store.ledger.find(id);
  if (found !== null) return found;
  const newest = await ctx.store.ledger.findByRequest(id, userId);
  return newest === null ? null : ctx.store.ledger.find(newest);
}

/** The trace as members see it: without the upstreams' messages, and without channels that were not called. */
function withoutInternals(trace: CallTrace | null | undefined): CallTrace | null {
  if (!trace) return null;
  const { skipped: _skipped, attempts, ...times } = trace;
  return { ...times, attempts: attempts.map((one) => ({ ...one, message: null })) };
}

/**
 * The call with this row ID, or the newest with this request ID; members see only their own, without channel keys,
 * upstream messages and skipped channels.
 * Throws `unauthenticated`, `not_found`.
 */
export async function showUsage(ctx: ConsoleContext, id: string): Promise<UsageDetail> {
  const user = requireUser(ctx);
  const isMember = user.role === "member";
  const found = await findRow(ctx, id, isMember ? user.id : undefined);
  if (found === null || (isMember && found.row.userId !== user.id))
    throw new AppError("not_found", "Request not found.");
  const { row, prompt } = found;
  const namer = createNamer(ctx);
  await namer.learnRows([row]);
  const trace = isMember ? withoutInternals(row.trace) : row.trace;
  const tried = [...(trace?.attempts ?? []), ...(trace?.skipped ?? [])];
  await namer.learn("channel", tried, (one) => one.channelId);
  const channels = isMember ? [] : await ctx.store.channels.all();
  return toUsageDetail(
    { row: { ...row, trace }, prompt },
    {
      names: namer.names,
      callerKey: (await ctx.store.keys.findById(row.keyId))?.display ?? null,
      keyOf: (channelId, keyId) =>
        nameOfStoredKey(channels.find((one) => one.id === channelId)?.keys ?? [], keyId),
    },
  );
}
