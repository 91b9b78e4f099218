import { type Kysely, type RawBuilder, sql } from "kysely";
import type { UsageDimension, UsageGroup, UsageSummary, UsageSummaryQuery } from "../../ports/store";
import type { Tables } from "../schema";
import { rolledConditions, rowConditions } from "./conditions";
import { summarizeRows } from "./from-rows";
import { routeName, toGroup, total } from "./groups";
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

/** Dimensions that the roll-ups hold. */
const ROLLED = {
  key: "key_id",
  user: "user_id",
  model: "model",
  channel: "channel_id",
  operation: "operation",
} as const satisfies Partial<Record<UsageDimension, string>>;

function isRolled(by: UsageDimension): by is keyof typeof ROLLED | "route" {
  return by === "route" || Object.hasOwn(ROLLED, by);
}

function nameOf(by: UsageDimension | null): RawBuilder<string | null> | null {
  if (by === null || !isRolled(by)) return null;
  return by === "route" ? routeName : sql<string>`${sql.ref(ROLLED[by])}`;
}

async function fromRollUps(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<UsageGroup[]> {
  let select = db
    .selectFrom("rollups")
    .select([
      ...Object.entries(SUMMED).map(([alias, name]) => total(name).as(alias)),
      ...LATENCY_COLUMNS.map((name) => total(name).as(name)),
    ])
    // A roll-up belongs to the range when its hour begins in it.
    .where("hour", ">=", query.from - (query.from % HOUR_MS))
    .where("hour", "<", query.to);
  for (const condition of rolledConditions(query)) select = select.where(condition);
  if (query.isByHour) select = select.select("hour").groupBy("hour").orderBy("hour");
  const name = nameOf(query.by);
  if (name !== null) select = select.select(name.as("name")).groupBy(name);
  const rows = await select.having(sql`count(*)`, ">", 0).execute();
  return rows.map(toGroup);
}

/** Sums of settled calls in groups: off the hourly roll-ups where those can tell, off the newest rows else. */
export async function summarize(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<UsageSummary> {
  const { by } = query;
  const areRolled = !query.isByMinute && (by === null || isRolled(by)) && rowConditions(query).length === 0;
  if (!areRolled) return { ...(await summarizeRows(db, query)), latencyBoundsMs: LATENCY_BOUNDS_MS };
  return { groups: await fromRollUps(db, query), readFrom: null, latencyBoundsMs: LATENCY_BOUNDS_MS };
}
