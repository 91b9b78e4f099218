import { type Kysely, type RawBuilder, sql } from "kysely";
import { MINUTE_MS } from "../../contracts/durations";
import type { UsageDimension, UsageGroup, UsageSummary, UsageSummaryQuery } from "../../ports/store";
import type { Tables } from "../schema";
import { rolledConditions, rowConditions } from "./conditions";
import { findCut } from "./find-cut";
import { routeName, toGroup, total } from "./groups";
import { LATENCY_BOUNDS_MS, LATENCY_COLUMNS } from "./latency";

const HOUR_MS = 3_600_000;

const COLUMN = {
  key: "key_id",
  user: "user_id",
  model: "model",
  channel: "channel_id",
  operation: "operation",
  tag: "tags",
  end_user: "end_user",
} as const satisfies Record<Exclude<UsageDimension, "route">, string>;

/** The number of labels is unbounded, and a histogram for each would be half of the work. */
function isLabel(by: UsageDimension | null): boolean {
  return by === "tag" || by === "end_user";
}

/** The number of calls in one bucket of the latency histogram. */
function inBucket(index: number): RawBuilder<number> {
  const above = LATENCY_BOUNDS_MS[index - 1] ?? -1;
  const upTo = LATENCY_BOUNDS_MS[index] ?? Number.MAX_SAFE_INTEGER;
  return sql`cast(sum(case when latency_ms > ${sql.lit(above)} and latency_ms <= ${sql.lit(upTo)}
    then 1 else 0 end) as bigint)`;
}

/** The sums, besides the histogram, that a query with `hasOnlyCallsAndCost` leaves out. */
const QUANTITY_AND_LATENCY_SUMS = [
  total("input_tokens").as("inputTokens"),
  total("output_tokens").as("outputTokens"),
  total("characters").as("characters"),
  total("audio_ms").as("audioMs"),
  total("latency_ms").as("latencySumMs"),
  sql<number>`cast(coalesce(sum(first_byte_ms), 0) as bigint)`.as("firstByteSumMs"),
  sql<number>`count(first_byte_ms)`.as("firstByteCalls"),
];

/** The range and every condition of a query. */
function conditionsOf(query: UsageSummaryQuery, from: number): RawBuilder<boolean>[] {
  return [
    sql<boolean>`state = 'settled'`,
    sql<boolean>`at >= ${from}`,
    sql<boolean>`at < ${query.to}`,
    ...rolledConditions(query),
    ...rowConditions(query),
  ];
}

/** Sums of settled entries: the newest `MAX_ROWS_READ` where the range has more. */
export async function summarizeRows(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
): Promise<Pick<UsageSummary, "groups" | "readFrom">> {
  const readFrom = await findCut(db, query, [
    sql<boolean>`at >= ${query.from}`,
    sql<boolean>`at < ${query.to}`,
  ]);
  const piece = sql<number>`at - at % ${sql.lit(query.isByMinute ? MINUTE_MS : HOUR_MS)}`;
  let select = db
    .selectFrom("usage")
    .select([
      sql<number>`count(*)`.as("calls"),
      sql<number>`cast(sum(case when error is null then 0 else 1 end) as bigint)`.as("errors"),
      total("cost_nano").as("costNano"),
      ...(query.hasOnlyCallsAndCost ? [] : QUANTITY_AND_LATENCY_SUMS),
      ...(query.hasOnlyCallsAndCost || isLabel(query.by)
        ? []
        : LATENCY_COLUMNS.map((name, index) => inBucket(index).as(name))),
    ]);
  for (const condition of conditionsOf(query, readFrom ?? query.from)) select = select.where(condition);
  if (query.isByHour || query.isByMinute)
    select = select.select(piece.as("hour")).groupBy(piece).orderBy(piece);
  if (query.by !== null) {
    const name = query.by === "route" ? routeName : sql<string | null>`${sql.ref(COLUMN[query.by])}`;
    select = select.select(name.as("name")).groupBy(name);
  }
  const rows = await select.having(sql`count(*)`, ">", 0).execute();
  const groups: UsageGroup[] = rows.map(toGroup);
  return { groups, readFrom };
}
