import { nanoToUsd } from "../../contracts/money";
import { toTimestamp } from "../../contracts/timestamp";
import { UsageList, UsageQuery, type UsageRow } from "../../contracts/usage";
import { UsageSummary, UsageSummaryQuery } from "../../contracts/usage-summary";
import { requireUser } from "../../domain/auth/guards";
import { exportUsage } from "../../domain/usage/export";
import { listUsage } from "../../domain/usage/list-usage";
import { summarizeUsage } from "../../domain/usage/summarize";
import type { UsageRecord } from "../../ports/store";
import { consoleRoute } from "../route";
import { usageCsv } from "../usage-csv";

function usageRow(row: UsageRecord): UsageRow {
  return {
    id: row.id,
    request_id: row.requestId,
    at: toTimestamp(row.at),
    state: row.state,
    key_id: row.keyId,
    user_id: row.userId,
    model: row.model,
    channel_id: row.channelId,
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

async function* rowPages(pages: AsyncIterable<UsageRecord[]>): AsyncGenerator<UsageRow[]> {
  for await (const page of pages) yield page.map(usageRow);
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
      // The door has read it by the schema above; its declared type is the loose one of every route.
      const { limit, cursor = null, q = null, ...filters } = query as UsageQuery;
      const page = await listUsage(ctx, filters, { limit, cursor, q });
      return { data: { items: page.items.map(usageRow), next_cursor: page.nextCursor } };
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
          body: usageCsv(rowPages(pages)),
        },
      };
    },
  }),
];
