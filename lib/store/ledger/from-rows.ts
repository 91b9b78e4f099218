import { type Kysely, type RawBuilder, sql } from "kysely";
import type { UsageDimension, UsageGroup, UsageSummary, UsageSummaryQuery } from "../../ports/store";
import type { Tables } from "../schema";
import { rolledConditions, rowConditions } from "./conditions";
import { toGroup, total } from "./groups";

const HOUR_MS = 3_600_000;

/** A sum off the rows reads at most so many: what an operator can wait for, whatever the books hold. */
export const MOST_ROWS_READ = 100_000;

const COLUMN = {
  key: "key_id",
  user: "user_id",
  model: "model",
  channel: "channel_id",
  operation: "operation",
  tag: "tags",
  end_user: "end_user",
} as const satisfies Record<UsageDimension, string>;

/** What a sum reads: its range and every condition. */
function conditionsOf(query: UsageSummaryQuery, from: number): RawBuilder<boolean>[] {
  return [
    sql<boolean>`state = 'settled'`,
    sql<boolean>`at >= ${from}`,
    sql<boolean>`at < ${query.to}`,
    ...rolledConditions(query),
    ...rowConditions(query),
  ];
}

/** The instant since which at most `MOST_ROWS_READ` rows stand in the range; null when the range holds no more. */
async function findCut(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<number | null> {
  let select = db.selectFrom("usage").select("at").where("at", ">=", query.from).where("at", "<", query.to);
  // Those alone that an index holds: the rest is what is read to find out.
  const { userId, keyId, endUser, requestId, outcome } = query;
  const isFailure = outcome?.kind === "failed" || outcome?.kind === "error";
  const indexed = { userId, keyId, endUser, requestId, ...(isFailure ? { outcome } : {}) };
  for (const condition of [...rolledConditions(indexed), ...rowConditions(indexed)])
    select = select.where(condition);
  const [row] = await select.orderBy("at", "desc").offset(MOST_ROWS_READ).limit(1).execute();
  return row === undefined ? null : row.at + 1;
}

/** Sums of settled calls off their rows: the newest `MOST_ROWS_READ` of the range where it holds more. */
export async function summarizeRows(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
): Promise<Pick<UsageSummary, "groups" | "readFrom">> {
  const readFrom = await findCut(db, query);
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
    ]);
  for (const condition of conditionsOf(query, readFrom ?? query.from)) select = select.where(condition);
  if (query.isByHour) select = select.select(hour.as("hour")).groupBy(hour).orderBy(hour);
  if (query.by !== null) {
    const column = sql.ref(COLUMN[query.by]);
    select = select.select(sql<string | null>`${column}`.as("name")).groupBy(column);
  }
  const rows = await select.having(sql`count(*)`, ">", 0).execute();
  const groups: UsageGroup[] = rows.map(toGroup);
  return { groups, readFrom };
}
