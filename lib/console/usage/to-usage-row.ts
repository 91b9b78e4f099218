import type { UsageDetail, UsageRow } from "../../contracts/console/usage";
import { nanoToUsd } from "../../contracts/money";
import { timestampOrNull, toTimestamp } from "../../contracts/timestamp";
import type { UsageRecord } from "../../ports/store";
import type { UsageNames } from "./names";

/** A call as lists and exports show it. */
export function toUsageRow(row: UsageRecord, names: UsageNames): UsageRow {
  return {
    id: row.id,
    request_id: row.requestId,
    at: toTimestamp(row.at),
    state: row.state,
    key_id: row.keyId,
    key_name: names.key(row.keyId),
    user_id: row.userId,
    user_name: names.user(row.userId),
    model: row.model,
    channel_id: row.channelId,
    channel_name: names.channel(row.channelId),
    operation: row.operation,
    attempts: row.attempts,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    characters: row.characters,
    audio_ms: row.audioMs,
    cost_usd: nanoToUsd(row.costNano),
    status: row.status,
    error: row.error,
    cached: row.cached,
    estimated: row.estimated,
    user: row.endUser,
    tags: row.tags,
    latency_ms: row.latencyMs,
    first_byte_ms: row.firstByteMs,
    overrun: row.overrun,
  };
}

interface DetailNames {
  names: UsageNames;
  /** Display form of the key the call was made with; null: deleted. */
  callerKey: string | null;
  /** Label of a channel's key, else `****wxyz`; null: no key, a deleted key, or not visible to the caller. */
  keyOf(channelId: string, keyId: string | null): string | null;
}

/** A call with its timeline, as one reply shows it. */
export function toUsageDetail(
  { row, prompt }: { row: UsageRecord; prompt: string | null },
  { names, callerKey, keyOf }: DetailNames,
): UsageDetail {
  const { trace = null } = row;
  const { voices, language, speed, dimensions, inputs } = trace?.parameters ?? {};
  return {
    ...toUsageRow(row, names),
    key_display: callerKey,
    trace: trace && {
      admitted_ms: trace.admittedMs,
      settled_ms: trace.settledMs,
      attempts: trace.attempts.map((one) => ({
        channel_id: one.channelId,
        channel_name: names.channel(one.channelId),
        key: keyOf(one.channelId, one.keyId),
        started_ms: one.startedMs,
        first_byte_ms: one.firstByteMs,
        ended_ms: one.endedMs,
        error: one.error,
        upstream_status: one.upstreamStatus,
        upstream_refusal: one.upstreamRefusal ?? null,
        message: one.message,
      })),
      skipped: (trace.skipped ?? []).map((one) => ({
        channel_id: one.channelId,
        channel_name: names.channel(one.channelId),
        reason: one.reason,
        circuit_reason: one.openReason,
        since: timestampOrNull(one.openedAt),
      })),
    },
    parameters: {
      voices: voices ?? null,
      language: language ?? null,
      speed: speed ?? null,
      dimensions: dimensions ?? null,
      inputs: inputs ?? null,
    },
    prompt,
  };
}
