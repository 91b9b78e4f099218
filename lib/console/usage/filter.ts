import type { UsageFilters } from "../../contracts/console/usage";
import type { UsageFilter, UsageOutcome } from "../../ports/store";
import { requireUser } from "../access/guards";
import type { ReadContext } from "../context";

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
    model: asked.model,
    channelId: asked.channel_id,
    operation: asked.operation,
    tag: asked.tag,
    endUser: asked.end_user,
    requestId: asked.request_id,
  };
  if (asked.status !== undefined) filter.outcome = outcomeOf(asked.status);
  if (asked.from !== undefined) filter.from = Date.parse(asked.from);
  if (asked.to !== undefined) filter.to = Date.parse(asked.to);
  return filter;
}
