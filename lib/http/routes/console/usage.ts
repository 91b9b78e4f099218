import { requireUser } from "../../../console/access/guards";
import type { ConsoleContext } from "../../../console/context";
import { exportPages, type FoundCall, listUsage, showUsage } from "../../../console/usage/entries";
import { listRejections } from "../../../console/usage/list-rejections";
import { createNamer, type UsageNames } from "../../../console/usage/names";
import { readOverview } from "../../../console/usage/overview";
import { summarizeUsage } from "../../../console/usage/summarize";
import { REJECTION_COLUMNS } from "../../../contracts/console/rejections";
import { USAGE_EXPORT_COLUMNS, type UsageDetail, type UsageRow } from "../../../contracts/console/usage";
import { nanoToUsd } from "../../../contracts/money";
import { toTimestamp } from "../../../contracts/timestamp";
import type { UsageRecord } from "../../../ports/store";
import { exportFile } from "../../console/export-file";
import { consoleRoute } from "../../core/route";

function usageRow(row: UsageRecord, names: UsageNames): UsageRow {
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

async function* rowPages(
  ctx: ConsoleContext,
  pages: AsyncIterable<UsageRecord[]>,
): AsyncGenerator<UsageRow[]> {
  const namer = createNamer(ctx);
  for await (const page of pages) {
    await namer.learnRows(page);
    yield page.map((row) => usageRow(row, namer.names));
  }
}

function usageDetail({ row, names, keyDisplay, callerKey, prompt }: FoundCall): UsageDetail {
  const { trace = null } = row;
  const { voices, language, speed, dimensions, inputs } = trace?.parameters ?? {};
  return {
    ...usageRow(row, names),
    key_display: callerKey,
    trace: trace && {
      admitted_ms: trace.admittedMs,
      settled_ms: trace.settledMs,
      attempts: trace.attempts.map((one) => ({
        channel_id: one.channelId,
        channel_name: names.channel(one.channelId),
        key: keyDisplay(one.channelId, one.keyId),
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
        since: one.openedAt === null ? null : toTimestamp(one.openedAt),
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

export const USAGE_ROUTES = [
  consoleRoute("GET /api/usage", {
    auth: "sessionOrManageKey",
    summary: "List calls, newest first; members see their own",
    async handle(ctx, { query }) {
      const page = await listUsage(ctx, query);
      const namer = createNamer(ctx);
      await namer.learnRows(page.items);
      const items = page.items.map((row) => usageRow(row, namer.names));
      const searchedFrom = page.searchedFrom === null ? null : toTimestamp(page.searchedFrom);
      return { data: { items, next_cursor: page.nextCursor, searched_from: searchedFrom } };
    },
  }),
  consoleRoute("GET /api/usage/summary", {
    auth: "sessionOrManageKey",
    summary:
      "Sum calls over a range by minute, hour or day, and by key, user, model, channel, operation, tag or end user; " +
      "members see their own",
    handle: async (ctx, { query }) => ({ data: await summarizeUsage(ctx, query) }),
  }),
  consoleRoute("GET /api/usage/rejected", {
    auth: "sessionOrManageKey",
    summary:
      "List requests that were refused before a channel was asked, by minute, key, model and error; members see " +
      "those of their own keys",
    async handle(ctx, { query }) {
      const { items, nextCursor } = await listRejections(ctx, query);
      return { data: { items, next_cursor: nextCursor } };
    },
  }),
  consoleRoute("GET /api/usage/rejected/export", {
    auth: "sessionOrManageKey",
    summary:
      "Download rejected requests as CSV or JSON lines, latest first; members get those of their own keys",
    async handle(ctx, { query: { format, ...filters } }) {
      requireUser(ctx);
      const pages = exportPages(ctx, (now, page) => listRejections(now, { ...filters, ...page }));
      const file = exportFile("rejected", format, REJECTION_COLUMNS, pages, ctx.caller);
      return { data: null, download: file };
    },
  }),
  consoleRoute("GET /api/usage/export", {
    auth: "sessionOrManageKey",
    summary: "Download calls as CSV or JSON lines, newest first; members get their own",
    async handle(ctx, { query: { format, ...filters } }) {
      requireUser(ctx);
      const pages = exportPages(ctx, (now, page) => listUsage(now, { ...filters, ...page }));
      const file = exportFile("usage", format, USAGE_EXPORT_COLUMNS, rowPages(ctx, pages), ctx.caller);
      return { data: null, download: file };
    },
  }),
  consoleRoute("GET /api/usage/{id}", {
    auth: "sessionOrManageKey",
    summary:
      "Show one call with its timeline, by its ID or the newest of a request ID; members see their own",
    handle: async (ctx, { params }) => ({ data: usageDetail(await showUsage(ctx, params.id)) }),
  }),
];

export const OVERVIEW_ROUTES = [
  consoleRoute("GET /api/overview", {
    auth: "sessionOrManageKey",
    summary: "Figures of a range and of the time before it: over time, by model, channel, key and route",
    handle: async (ctx, { query }) => ({ data: await readOverview(ctx, query) }),
  }),
];
