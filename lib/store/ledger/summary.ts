import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../contracts/durations";
import type { UsageDimension, UsageGroup, UsageSummary, UsageSummaryQuery } from "../../ports/store";
import { PLAYGROUND_ID } from "../../ports/store/api-keys";
import { isLabel, SUMS_OF_AMOUNT } from "../../ports/store/usage-query";
import type { Tables } from "../schema";
import { isOfKey, rolledConditions, rowConditions } from "./conditions";
import { findCut } from "./find-cut";
import { largest, mergeGroups, routeName, toGroup, total } from "./groups";
import { LATENCY_BOUNDS_MS, LATENCY_COLUMNS } from "./latency";

/** The key under which calls are summed. All playground keys count as one: they are many, each valid for 15 minutes. */
const summedKey = sql<string>`case when ${isOfKey(PLAYGROUND_ID)} then ${sql.lit(PLAYGROUND_ID)} else key_id end`;

/** The name under which a row is summed. */
const NAMES: Readonly<Record<UsageDimension, RawBuilder<string | null>>> = {
  key: summedKey,
  user: sql`user_id`,
  model: sql`model`,
  channel: sql`channel_id`,
  operation: sql`operation`,
  route: routeName,
  tag: sql`tags`,
  end_user: sql`end_user`,
};

/** The number of calls in one bucket of the latency histogram. */
function inBucket(index: number): RawBuilder<number> {
  const above = LATENCY_BOUNDS_MS[index - 1] ?? -1;
  const upTo = LATENCY_BOUNDS_MS[index] ?? Number.MAX_SAFE_INTEGER;
  return sql`cast(sum(case when latency_ms > ${sql.lit(above)} and latency_ms <= ${sql.lit(upTo)}
    then 1 else 0 end) as bigint)`;
}

/** The sums, besides the histogram, that a query with `hasOnlyCallsAndCost` leaves out. */
const QUANTITY_AND_LATENCY_SUMS = {
  inputTokens: total("input_tokens"),
  outputTokens: total("output_tokens"),
  characters: total("characters"),
  audioMs: total("audio_ms"),
  latencySumMs: total("latency_ms"),
  latencyMaxMs: sql<number>`max(latency_ms)`,
  firstByteSumMs: sql<number>`cast(coalesce(sum(first_byte_ms), 0) as bigint)`,
  firstByteCalls: sql<number>`count(first_byte_ms)`,
};

const HISTOGRAM_SUMS = Object.fromEntries(LATENCY_COLUMNS.map((name, index) => [name, inBucket(index)]));

const CALL_AND_COST_COLUMNS = { calls: "calls", errors: "errors", costNano: "cost_nano" } as const;

const SUM_COLUMNS = {
  ...CALL_AND_COST_COLUMNS,
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  characters: "characters",
  audioMs: "audio_ms",
  latencySumMs: "latency_sum_ms",
  firstByteSumMs: "first_byte_sum_ms",
  firstByteCalls: "first_byte_calls",
  ...Object.fromEntries(LATENCY_COLUMNS.map((name) => [name, name])),
} as const;

type Grouped = Pick<UsageSummary, "groups" | "total">;

/**
 * Reads the groups of a statement; with `maxGroups` only the largest, and the sums of all. `names`: the statement's
 * columns with sums.
 */
async function readGroups(
  db: Kysely<Tables>,
  { by, maxGroups, order = "calls" }: UsageSummaryQuery,
  names: readonly string[],
  statement: Expression<unknown> & { execute(): Promise<Record<string, unknown>[]> },
): Promise<Grouped> {
  if (by === null || maxGroups === undefined) return { groups: (await statement.execute()).map(toGroup) };
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const totals = sql.join(
    names.map((name) => (name === "latencyMaxMs" ? sql`max(${sql.ref(name)})` : total(name))),
  );
  const amount = sql.join(
    SUMS_OF_AMOUNT[order].map((name) => sql.ref(name)),
    sql` + `,
  );
  const { rows } = await sql<Record<string, unknown>>`with sums as ${statement}, ranked as (
      select 0 as "isTotal", name, ${columns} from sums
      union all select 1, null, ${totals} from sums having count(*) > 0)
    select * from ranked order by "isTotal" desc, ${amount} desc, name limit ${maxGroups + 1}`.execute(db);
  const [all, ...groups] = rows.map(({ isTotal: _isTotal, ...row }) => toGroup(row));
  return { groups, total: all };
}

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
async function summarizeRows(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
): Promise<Grouped & Pick<UsageSummary, "readFrom">> {
  const readFrom = await findCut(db, query, [
    sql<boolean>`at >= ${query.from}`,
    sql<boolean>`at < ${query.to}`,
  ]);
  const period = sql<number>`at - at % ${sql.lit(query.isByMinute ? MINUTE_MS : HOUR_MS)}`;
  const sums: Record<string, RawBuilder<number>> = {
    calls: sql`count(*)`,
    errors: sql`cast(sum(case when error is null then 0 else 1 end) as bigint)`,
    costNano: total("cost_nano"),
    ...(query.hasOnlyCallsAndCost ? {} : QUANTITY_AND_LATENCY_SUMS),
    // The number of labels is unbounded, and a histogram for each would be half of the work.
    ...(query.hasOnlyCallsAndCost || isLabel(query.by) ? {} : HISTOGRAM_SUMS),
  };
  let select = db.selectFrom("usage").select(Object.entries(sums).map(([alias, sum]) => sum.as(alias)));
  for (const condition of conditionsOf(query, readFrom ?? query.from)) select = select.where(condition);
  if (query.isByHour || query.isByMinute)
    select = select.select(period.as("hour")).groupBy(period).orderBy(period);
  const name = query.by === null ? undefined : NAMES[query.by];
  // Groups by the alias: if the expression were repeated, its parameters would have other numbers, and PostgreSQL would
  // take it for another expression.
  if (name !== undefined) select = select.select(name.as("name")).groupBy(sql`name`);
  const groups = await readGroups(db, query, Object.keys(sums), select.having(sql`count(*)`, ">", 0));
  return { ...groups, readFrom };
}

interface Span {
  from: number;
  to: number;
}

type RollUpSpan = Span & { table: "rollups" | "daily_rollups" };

/**
 * Sums the roll-ups whose hour (or day) begins in one of the spans, which do not overlap; with `isByHour` there is one
 * span. Each span is summed before the spans are merged: a sum over their union would make SQLite copy every row.
 */
async function sumRollUps(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
  spans: readonly RollUpSpan[],
): Promise<Grouped> {
  const columns = query.hasOnlyCallsAndCost ? CALL_AND_COST_COLUMNS : SUM_COLUMNS;
  const name = query.by === null ? undefined : NAMES[query.by];
  const [first, ...others] = spans
    .filter(({ from, to }) => from < to)
    .map(({ table, from, to }) => {
      let rows = db
        .selectFrom(table)
        .select(Object.entries(columns).map(([alias, column]) => total(column).as(alias)))
        .where("hour", ">=", from)
        .where("hour", "<", to);
      if (query.isByHour) rows = rows.select("hour").groupBy("hour").orderBy("hour");
      if (name !== undefined) rows = rows.select(name.as("name")).groupBy(sql`name`);
      for (const condition of rolledConditions(query)) rows = rows.where(condition);
      return rows;
    });
  if (first === undefined) return { groups: [] };
  const names = Object.keys(columns);
  // A roll-up counts no calls when all its entries were replaced by entries of another channel.
  if (others.length === 0) return readGroups(db, query, names, first.having(total("calls"), ">", 0));
  let select = db
    .selectFrom(others.reduce((all, rows) => all.unionAll(rows), first).as("spans"))
    .select(names.map((alias) => total(alias).as(alias)));
  if (name !== undefined) select = select.select(sql`name`.as("name")).groupBy(sql`name`);
  return readGroups(db, query, names, select.having(total("calls"), ">", 0));
}

/** When the first or last settled entry arrived; undefined: there is none. */
async function edgeOfEntries(db: Kysely<Tables>, order: "asc" | "desc"): Promise<number | undefined> {
  const [entry] = await db
    .selectFrom("usage")
    .select("at")
    .where("state", "=", "settled")
    .orderBy("at", order)
    .limit(1)
    .execute();
  return entry === undefined ? undefined : Number(entry.at);
}

/**
 * The time from which a range has all its entries, if the retention has deleted earlier ones; null: none were deleted.
 * Hourly sums are never deleted, and show that there were earlier entries.
 */
async function keptFrom(db: Kysely<Tables>, { from, to }: Span): Promise<number | null> {
  const oldest = await edgeOfEntries(db, "asc");
  if (oldest !== undefined && oldest <= from) return null;
  const kept = Math.min(oldest ?? to, to);
  const [deleted] = await db
    .selectFrom("rollups")
    .select("hour")
    .where("hour", ">=", from - (from % HOUR_MS))
    .where("hour", "<", kept - (kept % HOUR_MS))
    .limit(1)
    .execute();
  return deleted === undefined ? null : kept;
}

/**
 * Sums an exact range: its whole hours from the hourly sums, the parts of hours at both ends from the entries. Where an
 * end has more than `MAX_ROWS_READ` entries, only the newest are read, and `readFrom` is the time from which all calls
 * are counted. When no entry is later than the range, its last hour comes from the hourly sums too.
 */
async function fromExactRange(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
): Promise<Grouped & Pick<UsageSummary, "readFrom">> {
  const first = Math.ceil(query.from / HOUR_MS) * HOUR_MS;
  const newest = (await edgeOfEntries(db, "desc")) ?? 0;
  const last = newest < query.to ? Math.ceil(query.to / HOUR_MS) * HOUR_MS : query.to - (query.to % HOUR_MS);
  if (first > last) return summarizeRows(db, query);
  const { maxGroups: _maxGroups, ...all } = query;
  const end = await summarizeRows(db, { ...all, from: last });
  if (end.readFrom !== null) return { ...end, ...largest(end.groups, query) };
  const begin = await summarizeRows(db, { ...all, to: first });
  const hours = await sumRollUps(db, all, [{ table: "rollups", from: first, to: last }]);
  const parts = [...begin.groups, ...hours.groups, ...end.groups];
  const groups = query.isByHour ? { groups: parts } : largest(mergeGroups(parts), query);
  return { ...groups, readFrom: begin.readFrom };
}

/**
 * Whole days of a long range come from the daily sums, both ends from the hourly ones: about a thirtieth of the rows.
 */
async function fromRollUps(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<Grouped> {
  const from = query.from - (query.from % HOUR_MS);
  const days = { from: Math.ceil(from / DAY_MS) * DAY_MS, to: query.to - (query.to % DAY_MS) };
  if (query.isByHour || days.from >= days.to)
    return sumRollUps(db, query, [{ table: "rollups", from, to: query.to }]);
  return sumRollUps(db, query, [
    { table: "rollups", from, to: days.from },
    { table: "daily_rollups", ...days },
    { table: "rollups", from: days.to, to: query.to },
  ]);
}

/**
 * One group per day instead of per hour: a tenth of the groups. Days that are whole UTC days come from one statement
 * over the daily sums; each other day needs statements of its own.
 */
async function fromRollUpsByDay(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
  starts: readonly number[],
): Promise<UsageGroup[]> {
  const spans = starts.map((from, index) => ({ from, to: starts[index + 1] ?? query.to }));
  const isWhole = ({ from, to }: Span) => from % DAY_MS === 0 && to === from + DAY_MS;
  const whole = spans.filter(isWhole);
  const span = { from: whole[0]?.from ?? 0, to: whole.at(-1)?.to ?? 0 };
  // Where the time zone's offset changes, the span includes UTC days that are not among the days of the query.
  const wanted = new Set<number | null>(whole.map(({ from }) => from));
  const daily = await sumRollUps(db, { ...query, isByHour: true }, [{ table: "daily_rollups", ...span }]);
  const groups = daily.groups.filter(({ hour }) => wanted.has(hour));
  for (const part of spans.filter((one) => !isWhole(one))) {
    const sums = await fromRollUps(db, { ...query, isByHour: false, ...part });
    for (const group of sums.groups) groups.push({ ...group, hour: part.from });
  }
  return groups.sort((a, b) => (a.hour ?? 0) - (b.hour ?? 0));
}

/** Sums of settled calls in groups: from the roll-ups where they have the dimension, else from the newest entries. */
export async function summarize(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<UsageSummary> {
  const { by } = query;
  // The roll-ups have no labels.
  const areRolled = !query.isByMinute && !isLabel(by) && rowConditions(query).length === 0;
  if (!areRolled) {
    const { readFrom, ...groups } = await summarizeRows(db, query);
    return {
      ...groups,
      readFrom: readFrom ?? (await keptFrom(db, query)),
      latencyBoundsMs: LATENCY_BOUNDS_MS,
    };
  }
  if (query.isExact && (await keptFrom(db, query)) === null)
    return { ...(await fromExactRange(db, query)), latencyBoundsMs: LATENCY_BOUNDS_MS };
  const groups =
    query.isByHour && query.dayStarts !== undefined
      ? { groups: await fromRollUpsByDay(db, query, query.dayStarts) }
      : await fromRollUps(db, query);
  return { ...groups, readFrom: null, latencyBoundsMs: LATENCY_BOUNDS_MS };
}
