import type { Rejection, RejectionQuery } from "../../contracts/console/rejections";
import { toTimestamp } from "../../contracts/timestamp";
import type { Page, RejectionFilter, RejectionRecord } from "../../ports/store";
import type { ConsoleContext, ReadContext } from "../context";
import { usageFilter } from "./entries";
import { createNamer, type UsageNames } from "./names";

function showRejection(record: RejectionRecord & { id: string }, names: UsageNames): Rejection {
  return {
    id: record.id,
    calls: record.calls,
    minute: toTimestamp(record.minute),
    key_id: record.keyId,
    key_name: record.keyId === null ? null : names.key(record.keyId),
    user_id: record.userId,
    user_name: record.userId === null ? null : names.user(record.userId),
    model: record.model,
    error: record.error,
    limit: record.limit,
    at: toTimestamp(record.at),
    request_id: record.requestId,
    status: record.status,
    message: record.message,
    retry_after: record.retryAfterS,
    address: record.address,
  };
}

/**
 * The names under which requests for a model may have been rejected: its name and its aliases, since a rejected request
 * is stored with the name that its caller sent. For any other `name`, such as an alias, only that name.
 */
export async function sentNames({ store }: ReadContext, name: string): Promise<string[]> {
  const model = (await store.models.all()).find((one) => one.name === name);
  return [name, ...(model?.aliases ?? [])];
}

/**
 * Rejected requests, latest first: all for owners and admins, those of their own keys for members. A member who asks
 * for another user's requests gets an empty list. Throws `unauthenticated`, `invalid` (cursor, search).
 */
export async function listRejections(
  ctx: ConsoleContext,
  { limit, cursor, ...asked }: RejectionQuery,
): Promise<Page<Rejection>> {
  const filter = usageFilter(ctx, asked);
  if (filter === null || filter.outcome?.kind === "ok") return { items: [], nextCursor: null };
  const { userId, keyId, model, requestId, from, to, outcome } = filter;
  const models = model === undefined ? undefined : await sentNames(ctx, model);
  const own: RejectionFilter = { userId, keyId, models, requestId, from, to };
  if (outcome !== undefined && outcome.kind !== "failed") own.outcome = outcome;
  const page = await ctx.store.rejections.list({ ...own, limit, cursor: cursor ?? null, q: asked.q ?? null });
  const namer = createNamer(ctx);
  await namer.learn("key", page.items, (one) => one.keyId);
  await namer.learn("user", page.items, (one) => one.userId);
  return { items: page.items.map((one) => showRejection(one, namer.names)), nextCursor: page.nextCursor };
}
