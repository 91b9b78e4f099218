import { AppError } from "../../errors";
import type { CallTrace, ChannelRecord, UsageRecord } from "../../ports/store";
import { requireUser } from "../access/guards";
import { nameOfKey } from "../channels/stored-keys";
import type { ConsoleContext } from "../context";
import { createNamer, type UsageNames } from "./names";

/** One call with all its details. */
export interface UsageDetail {
  row: UsageRecord;
  names: UsageNames;
  /** `****wxyz` of a channel's key; null: no key, a deleted key, or not visible to the caller. */
  keyDisplay(channelId: string, keyId: string | null): string | null;
  /** Display form of the key the call was made with; null: deleted. */
  callerKey: string | null;
  prompt: string | null;
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

function keyNameOf(channels: readonly ChannelRecord[], channelId: string, keyId: string | null) {
  const keys = channels.find((channel) => channel.id === channelId)?.keys ?? [];
  const key = keys.find((one) => one.id === keyId);
  return key === undefined ? null : nameOfKey(key);
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
  await namer.learn(
    "channel",
    [...(trace?.attempts ?? []), ...(trace?.skipped ?? [])].map((one) => one.channelId),
  );
  const channels = isMember ? [] : await ctx.store.channels.all();
  return {
    row: { ...row, trace },
    names: namer.names,
    keyDisplay: (channelId, keyId) => keyNameOf(channels, channelId, keyId),
    callerKey: (await ctx.store.keys.findById(row.keyId))?.display ?? null,
    prompt,
  };
}
