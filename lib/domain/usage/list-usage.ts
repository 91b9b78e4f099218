import { AppError } from "../../errors";
import type { Page, PageQuery, UsageFilter, UsageRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";

/**
 * Calls, newest first: all of them for owners and admins, one's own for members. Asking for another's rows as a member
 * finds none. Throws `unauthenticated`.
 */
export async function listUsage(
  ctx: ConsoleContext,
  query: PageQuery & UsageFilter,
): Promise<Page<UsageRecord>> {
  if (ctx.caller.kind === "anonymous") throw new AppError("unauthenticated", "Sign in first.");
  const { id, role } = ctx.caller.user;
  if (role !== "member") return ctx.store.ledger.list(query);
  if (query.userId !== undefined && query.userId !== id) return { items: [], nextCursor: null };
  return ctx.store.ledger.list({ ...query, userId: id });
}
