import { requireUser } from "../../../console/access/guards";
import type { ConsoleContext } from "../../../console/context";
import { exportUsage, listUsage } from "../../../console/usage/list-usage";
import { createNamer, type UsageNames } from "../../../console/usage/names";
import { readOverview } from "../../../console/usage/overview";
import { type UsageDetail as Detail, showUsage } from "../../../console/usage/read-usage";
import { summarizeUsage } from "../../../console/usage/summarize";
import { Overview, OverviewQuery } from "../../../contracts/console/overview";
import { UsageDetail, UsageList, UsageQuery, type UsageRow } from "../../../contracts/console/usage";
import { UsageSummary, UsageSummaryQuery } from "../../../contracts/console/usage-summary";
import { nanoToUsd } from "../../../contracts/money";
import { toTimestamp } from "../../../contracts/timestamp";
import type { UsageRecord } from "../../../ports/store";
import { UsageCsv, usageCsv } from "../../console/usage-csv";
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
    user: row.user,
    tags: row.tags,
    latency_ms: row.latencyMs,
    first_byte_ms: row.firstByteMs,
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

function usageDetail({ row, names, keyDisplay, callerKey, prompt }: Detail): UsageDetail {
  const { trace = null } = row;
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
      })),
    },
    prompt,
  };
}

export const USAGE_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/usage",
    auth: "manage",
    query: UsageQuery,
    data: UsageList,
    summary: "List calls, newest first; members see their own",
    async handle(ctx, { query }) {
      // The route pipeline has parsed the query with the schema above; its declared type is that of every route.
      const { limit, cursor = null, q = null, ...filters } = query as UsageQuery;
      const page = await listUsage(ctx, filters, { limit, cursor, q });
      const namer = createNamer(ctx);
      await namer.learnRows(page.items);
      const items = page.items.map((row) => usageRow(row, namer.names));
      return { data: { items, next_cursor: page.nextCursor } };
    },
  }),
  consoleRoute({
    method: "GET",
    path: "/api/usage/summary",
    auth: "manage",
    query: UsageSummaryQuery,
    data: UsageSummary,
    summary: "Sum calls over a range by hour, day, key, model, channel, user, tag; members see their own",
    handle: async (ctx, { query }) => ({ data: await summarizeUsage(ctx, query as UsageSummaryQuery) }),
  }),
  consoleRoute({
    method: "GET",
    path: "/api/usage/export",
    auth: "manage",
    query: UsageQuery.omit({ limit: true, cursor: true }),
    content: { "text/csv": UsageCsv },
    summary: "Download calls as CSV, newest first; members get their own",
    async handle(ctx, { query }) {
      requireUser(ctx);
      const { q = null, ...filters } = query as Omit<UsageQuery, "limit" | "cursor">;
      const pages = exportUsage(ctx, filters, q);
      return {
        data: null,
        download: {
          contentType: "text/csv; charset=utf-8",
          name: "usage.csv",
          body: usageCsv(rowPages(ctx, pages)),
        },
      };
    },
  }),
  consoleRoute({
    method: "GET",
    path: "/api/usage/{id}",
    auth: "manage",
    data: UsageDetail,
    summary:
      "Show one call with its timeline, by its ID or the newest of a request ID; members see their own",
    handle: async (ctx, { params }) => ({ data: usageDetail(await showUsage(ctx, params.id ?? "")) }),
  }),
];

export const OVERVIEW_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/overview",
    auth: "manage",
    query: OverviewQuery,
    data: Overview,
    summary: "Figures of a range and of the time before it: over time, by model, channel, key and route",
    handle: async (ctx, { query }) => ({
      // The route pipeline has parsed the query with the schema above; its declared type is that of every route.
      data: await readOverview(ctx, query as OverviewQuery),
    }),
  }),
];
