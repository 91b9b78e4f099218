import { type Kysely, sql } from "kysely";
import type { UsageDimension, UsageGroup, UsageSummary, UsageSummaryQuery } from "../../ports/store";
import type { Tables } from "../schema";
import { LATENCY_BOUNDS_MS, LATENCY_COLUMNS } from "./latency";

const HOUR_MS = 3_600_000;

const SUMMED = {
  calls: "calls",
  errors: "errors",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  characters: "characters",
  audioMs: "audio_ms",
  costNano: "cost_nano",
  latencySumMs: "latency_sum_ms",
  firstByteSumMs: "first_byte_sum_ms",
  firstByteCalls: "first_byte_calls",
} as const;

type Sums = Record<keyof typeof SUMMED, number>;

/** Dimensions that the roll-ups hold; the others are read off the rows themselves. */
const ROLLED = {
  key: "key_id",
  user: "user_id",
  model: "model",
  channel: "channel_id",
  operation: "operation",
} as const satisfies Partial<Record<UsageDimension, string>>;
const UNROLLED = { tag: "tags", end_user: "end_user" } as const;

/** A sum as a whole number on both databases: PostgreSQL's own type for one is `numeric`. */
const total = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;

function isRolled(by: UsageDimension): by is keyof typeof ROLLED {
  return Object.hasOwn(ROLLED, by);
}

function toGroup(row: Record<string, unknown>): UsageGroup {
  // The columns are those selected below: numbers, but for the group's name.
  const read = row as unknown as Sums & Record<string, number> & { hour?: number; name?: string | null };
  const { hour, name, calls, errors, inputTokens, outputTokens, characters } = read;
  const { audioMs, costNano, latencySumMs, firstByteSumMs, firstByteCalls } = read;
  return {
    hour: hour === undefined ? null : Number(hour),
    name: name === undefined || name === "" ? null : name,
    calls,
    errors,
    inputTokens,
    outputTokens,
    characters,
    audioMs,
    costNano,
    latencySumMs,
    firstByteSumMs,
    firstByteCalls,
    latency: LATENCY_COLUMNS.map((column) => Number(read[column] ?? 0)),
  };
}

async function fromRollUps(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<UsageGroup[]> {
  const column = query.by !== null && isRolled(query.by) ? ROLLED[query.by] : null;
  let select = db
    .selectFrom("rollups")
    .select([
      ...Object.entries(SUMMED).map(([alias, name]) => total(name).as(alias)),
      ...LATENCY_COLUMNS.map((name) => total(name).as(name)),
    ])
    // A roll-up belongs to the range when its hour begins in it.
    .where("hour", ">=", query.from - (query.from % HOUR_MS))
    .where("hour", "<", query.to);
  if (query.userId !== undefined) select = select.where("user_id", "=", query.userId);
  if (query.keyId !== undefined) select = select.where("key_id", "=", query.keyId);
  if (query.model !== undefined) select = select.where("model", "=", query.model);
  if (query.channelId !== undefined) select = select.where("channel_id", "=", query.channelId);
  if (query.isByHour) select = select.select("hour").groupBy("hour").orderBy("hour");
  if (column !== null)
    select = select.select(sql<string>`${sql.ref(column)}`.as("name")).groupBy(sql.ref(column));
  const rows = await select.having(sql`count(*)`, ">", 0).execute();
  return rows.map(toGroup);
}

async function fromRows(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
  by: keyof typeof UNROLLED,
): Promise<UsageGroup[]> {
  const hour = sql<number>`at - at % ${sql.lit(HOUR_MS)}`;
  let select = db
    .selectFrom("usage")
    .select([
      sql<number>`count(*)`.as("calls"),
      sql<number>`cast(sum(case when error is null then 0 else 1 end) as bigint)`.as("errors"),
      total("input_tokens").as("inputTokens"),
      total("output_tokens").as("outputTokens"),
      total("characters").as("characters"),
      total("audio_ms").as("audioMs"),
      total("cost_nano").as("costNano"),
      total("latency_ms").as("latencySumMs"),
      sql<number>`cast(coalesce(sum(first_byte_ms), 0) as bigint)`.as("firstByteSumMs"),
      sql<number>`count(first_byte_ms)`.as("firstByteCalls"),
      sql<string | null>`${sql.ref(UNROLLED[by])}`.as("name"),
    ])
    .where("state", "=", "settled")
    .where("at", ">=", query.from)
    .where("at", "<", query.to)
    .groupBy(sql.ref(UNROLLED[by]));
  if (query.userId !== undefined) select = select.where("user_id", "=", query.userId);
  if (query.keyId !== undefined) select = select.where("key_id", "=", query.keyId);
  if (query.model !== undefined) select = select.where("model", "=", query.model);
  if (query.channelId !== undefined) select = select.where("channel_id", "=", query.channelId);
  if (query.isByHour) select = select.select(hour.as("hour")).groupBy(hour).orderBy(hour);
  return (await select.execute()).map(toGroup);
}

/** Sums of settled calls in groups; tags and end users are read off the rows, all else off the hourly roll-ups. */
export async function summarize(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<UsageSummary> {
  const { by } = query;
  const groups = by === null || isRolled(by) ? fromRollUps(db, query) : fromRows(db, query, by);
  return { groups: await groups, latencyBoundsMs: LATENCY_BOUNDS_MS };
}
