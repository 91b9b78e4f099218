import { type Kysely, type RawBuilder, sql } from "kysely";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../contracts/durations";
import type { UsageDimension, UsageGroup, UsageSummary, UsageSummaryQuery } from "../../ports/store";
import { PLAYGROUND_ID } from "../../ports/store/api-keys";
import { isLabel, SUMS_OF_AMOUNT } from "../../ports/store/usage-query";
import type { Tables } from "../schema";
import { isOfKey, rolledConditions, rowConditions } from "./conditions";
import { findCut } from "./find-cut";
import { largest, mergeGroups, routeName, toGroup, total } from "./groups";
import { LATENCY_BOUNDS_MS, LATENCY_COLUMNS } from "./latency";

/** The key under which calls are summed: every session has playground keys of its own, of 15 minutes each. */
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
const QUANTITY_AND_LATENCY_SUMS = [
  total("input_tokens").as("inputTokens"),
  total("output_tokens").as("outputTokens"),
  total("characters").as("characters"),
  total("audio_ms").as("audioMs"),
  total("latency_ms").as("latencySumMs"),
  sql<number>`max(latency_ms)`.as("latencyMaxMs"),
  sql<number>`cast(coalesce(sum(first_byte_ms), 0) as bigint)`.as("firstByteSumMs"),
  sql<number>`count(first_byte_ms)`.as("firstByteCalls"),
];

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
} as const;

/** The amount that a query orders its groups by. `columns`: the columns of entries, which have none of calls. */
function amountOf(query: UsageSummaryQuery, columns?: Readonly<Record<string, string>>): RawBuilder<number> {
  const sums = SUMS_OF_AMOUNT[query.order ?? "calls"].map((name) =>
    name === "calls" && columns !== undefined ? sql`count(*)` : total(columns?.[name] ?? name),
  );
  return sql<number>`${sql.join(sums, sql` + `)}`;
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
): Promise<Pick<UsageSummary, "groups" | "readFrom">> {
  const readFrom = await findCut(db, query, [
    sql<boolean>`at >= ${query.from}`,
    sql<boolean>`at < ${query.to}`,
  ]);
  const period = sql<number>`at - at % ${sql.lit(query.isByMinute ? MINUTE_MS : HOUR_MS)}`;
  let select = db.selectFrom("usage").select([
    sql<number>`count(*)`.as("calls"),
    sql<number>`cast(sum(case when error is null then 0 else 1 end) as bigint)`.as("errors"),
    total("cost_nano").as("costNano"),
    ...(query.hasOnlyCallsAndCost ? [] : QUANTITY_AND_LATENCY_SUMS),
    // The number of labels is unbounded, and a histogram for each would be half of the work.
    ...(query.hasOnlyCallsAndCost || isLabel(query.by)
      ? []
      : LATENCY_COLUMNS.map((name, index) => inBucket(index).as(name))),
  ]);
  for (const condition of conditionsOf(query, readFrom ?? query.from)) select = select.where(condition);
  if (query.isByHour || query.isByMinute)
    select = select.select(period.as("hour")).groupBy(period).orderBy(period);
  const name = query.by === null ? undefined : NAMES[query.by];
  // By its name: the same expression twice has parameters of two numbers, which PostgreSQL takes for two expressions.
  if (name !== undefined) select = select.select(name.as("name")).groupBy(sql`name`);
  if (name !== undefined && query.maxGroups !== undefined)
    select = select.orderBy(amountOf(query, SUM_COLUMNS), "desc").orderBy(sql`name`).limit(query.maxGroups);
  const rows = await select.having(sql`count(*)`, ">", 0).execute();
  const groups: UsageGroup[] = rows.map(toGroup);
  return { groups, readFrom };
}

interface Span {
  from: number;
  to: number;
}

type RollUpSpan = Span & { table: "rollups" | "daily_rollups" };

/** Sums of the roll-ups whose hour (or day) begins in one of the spans, which do not overlap. */
async function sumRollUps(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
  spans: readonly RollUpSpan[],
): Promise<UsageGroup[]> {
  const histogram = Object.fromEntries(LATENCY_COLUMNS.map((name) => [name, name]));
  const columns = Object.entries(
    query.hasOnlyCallsAndCost ? CALL_AND_COST_COLUMNS : { ...SUM_COLUMNS, ...histogram },
  );
  const name = query.by === null ? undefined : NAMES[query.by];
  const [first, ...others] = spans
    .filter(({ from, to }) => from < to)
    .map(({ table, from, to }) => {
      let rows = db
        .selectFrom(table)
        .select(["hour", ...columns.map(([alias, column]) => sql<number>`${sql.ref(column)}`.as(alias))])
        .where("hour", ">=", from)
        .where("hour", "<", to);
      if (name !== undefined) rows = rows.select(name.as("name"));
      for (const condition of rolledConditions(query)) rows = rows.where(condition);
      return rows;
    });
  if (first === undefined) return [];
  let select = db
    .selectFrom(others.reduce((all, rows) => all.unionAll(rows), first).as("spans"))
    .select(columns.map(([alias]) => total(alias).as(alias)));
  if (query.isByHour) select = select.select("hour").groupBy("hour").orderBy("hour");
  if (name !== undefined) select = select.select(sql`name`.as("name")).groupBy(sql`name`);
  if (name !== undefined && query.maxGroups !== undefined)
    select = select.orderBy(amountOf(query), "desc").orderBy(sql`name`).limit(query.maxGroups);
  // Sums are zero where the only entries were replaced by entries of another channel.
  const rows = await select.having(total("calls"), ">", 0).execute();
  return rows.map(toGroup);
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
 * From when on a range has all its entries, where the retention has deleted those of earlier hours; null: it has not. The
 * hourly sums stay, and show that there were more.
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
 * Whole hours of an exact range come from the hourly sums, both ends from the entries: the newest `MAX_ROWS_READ` where
 * an end has more, from which on all calls are counted. The hour of the newest entry needs no end.
 */
async function fromExactRange(
  db: Kysely<Tables>,
  query: UsageSummaryQuery,
): Promise<Pick<UsageSummary, "groups" | "readFrom">> {
  const first = Math.ceil(query.from / HOUR_MS) * HOUR_MS;
  const newest = (await edgeOfEntries(db, "desc")) ?? 0;
  const last = newest < query.to ? Math.ceil(query.to / HOUR_MS) * HOUR_MS : query.to - (query.to % HOUR_MS);
  if (first > last) return summarizeRows(db, query);
  const { maxGroups: _maxGroups, ...all } = query;
  const end = await summarizeRows(db, { ...all, from: last });
  if (end.readFrom !== null) return { ...end, groups: largest(end.groups, query) };
  const begin = await summarizeRows(db, { ...all, to: first });
  const hours = await sumRollUps(db, all, [{ table: "rollups", from: first, to: last }]);
  const parts = [...begin.groups, ...hours, ...end.groups];
  const groups = query.isByHour ? parts : largest(mergeGroups(parts), query);
  return { groups, readFrom: begin.readFrom };
}

/**
 * Whole days of a long range come from the daily sums, both ends from the hourly ones: about a thirtieth of the rows.
 */
async function fromRollUps(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<UsageGroup[]> {
  const from = query.from - (query.from % HOUR_MS);
  const days = { from: Math.ceil(from / DAY_MS) * DAY_MS, to: query.to - (query.to % DAY_MS) };
  if (query.isByHour || days.from >= days.to)
    return sumRollUps(db, query, [{ table: "rollups", from, to: query.to }]);
  const spans: RollUpSpan[] = [
    { table: "rollups", from, to: days.from },
    { table: "daily_rollups", ...days },
    { table: "rollups", from: days.to, to: query.to },
  ];
  // The largest groups are known only over all spans; a statement for each takes two thirds of the time.
  if (query.maxGroups !== undefined) return sumRollUps(db, query, spans);
  const parts: UsageGroup[] = [];
  for (const span of spans) parts.push(...(await sumRollUps(db, query, [span])));
  return mergeGroups(parts);
}

/**
 * One group per day instead of per hour: a tenth of the groups. Days that are whole UTC days come from one statement over
 * the daily sums, others each from its own.
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
  // Where a zone's offset changes, there are other days between them.
  const wanted = new Set<number | null>(whole.map(({ from }) => from));
  const daily = await sumRollUps(db, { ...query, isByHour: true }, [{ table: "daily_rollups", ...span }]);
  const groups = daily.filter(({ hour }) => wanted.has(hour));
  for (const part of spans.filter((one) => !isWhole(one))) {
    const sums = await fromRollUps(db, { ...query, isByHour: false, ...part });
    for (const group of sums) groups.push({ ...group, hour: part.from });
  }
  return groups.sort((a, b) => (a.hour ?? 0) - (b.hour ?? 0));
}

/** Sums of settled calls in groups: from the roll-ups where they have the dimension, else from the newest entries. */
export async function summarize(db: Kysely<Tables>, query: UsageSummaryQuery): Promise<UsageSummary> {
  const { by } = query;
  // The roll-ups have no labels.
  const areRolled = !query.isByMinute && !isLabel(by) && rowConditions(query).length === 0;
  if (!areRolled) {
    const { groups, readFrom } = await summarizeRows(db, query);
    return { groups, readFrom: readFrom ?? (await keptFrom(db, query)), latencyBoundsMs: LATENCY_BOUNDS_MS };
  }
  if (query.isExact && (await keptFrom(db, query)) === null)
    return { ...(await fromExactRange(db, query)), latencyBoundsMs: LATENCY_BOUNDS_MS };
  const groups =
    query.isByHour && query.dayStarts !== undefined
      ? await fromRollUpsByDay(db, query, query.dayStarts)
      : await fromRollUps(db, query);
  return { groups, readFrom: null, latencyBoundsMs: LATENCY_BOUNDS_MS };
}
