import { firstUsageId, USAGE_ID_PREFIX } from "../../ports/store/ledger";

/**
 * The usage ledger on PostgreSQL, partitioned by the month (UTC) of its IDs. An ID stays unique over all partitions,
 * because it is the partition key.
 *
 * - `usage_earlier`: the table of versions that made random IDs, which an instance of such a version still writes to;
 * - `usage_2026_11`: a month;
 * - `usage_other`: IDs of months without a partition. Empty, unless clocks were wrong.
 */

const PARTITIONED_SINCE = 9;
const EARLIER = "usage_earlier";
const OTHER = "usage_other";
/** Proves to PostgreSQL that `usage_earlier` has no ID of a month, so that attaching it reads no row. */
const EARLIER_IDS = "usage_earlier_ids";
/** This month and the next ones have a partition. */
const MONTHS_AHEAD = 3;

/**
 * With PostgreSQL's default thresholds (20 % of the rows for vacuum), a month of millions of calls would be vacuumed
 * and analysed too seldom. Dead rows come from entries that were open: each is updated once.
 */
const VACUUM = [
  "autovacuum_vacuum_scale_factor = 0.02",
  "autovacuum_vacuum_insert_scale_factor = 0.05",
  "autovacuum_analyze_scale_factor = 0.05",
].join(", ");

/** Indexes of the ledger when it was partitioned: name, and what follows `on usage`. */
const INDEXES: readonly (readonly [string, string])[] = [
  ["usage_by_age", "(at, id)"],
  ["usage_by_user", "(user_id, at, id)"],
  ["usage_by_key", "(key_id, at, id)"],
  ["usage_open", "(owner) where state = 'open'"],
  ["usage_failed", "(at, id) where error is not null"],
  ["usage_troubled", "(at, id) where error is not null or attempts > 1"],
  ["usage_by_request", "(request_id)"],
  ["usage_by_end_user", "(end_user, at, id) where end_user is not null"],
  ["usage_tagged", "(at, id, tags) where tags is not null"],
];

/** The migration to partitions; keeps the table as the first of them, and copies nothing. */
export const PARTITION_USAGE: readonly string[] = [
  `alter table usage rename to ${EARLIER}`,
  ...["usage_pkey", ...INDEXES.map(([name]) => name)].map(
    (name) => `alter index ${name} rename to ${name.replace("usage", EARLIER)}`,
  ),
  `create table usage (like ${EARLIER}, primary key (id)) partition by range (id)`,
  ...INDEXES.map(([name, rest]) => `create index ${name} on usage ${rest}`),
  `alter table usage attach partition ${EARLIER} for values from (minvalue) to ('${USAGE_ID_PREFIX}')`,
  `alter table ${EARLIER} drop constraint if exists ${EARLIER_IDS}`,
  `create table ${OTHER} partition of usage default`,
];

export type Query = (text: string, parameters?: unknown[]) => Promise<Record<string, unknown>[]>;

/** True for a schema version whose ledger is one table with rows. */
export function isUnpartitioned(version: number): boolean {
  return version > 0 && version < PARTITIONED_SINCE;
}

/** The first step to partitions, in a transaction of its own. Returns true when `proveEarlierIds` must follow. */
export async function declareEarlierIds(query: Query): Promise<boolean> {
  const [found] = await query("select convalidated as proved from pg_constraint where conname = $1", [
    EARLIER_IDS,
  ]);
  if (found === undefined)
    await query(
      `alter table usage add constraint ${EARLIER_IDS} check (id < '${USAGE_ID_PREFIX}') not valid`,
    );
  return found?.proved !== true;
}

/**
 * Follows `declareEarlierIds`. Reads the whole table, while instances of the earlier version still read and write it.
 */
export async function proveEarlierIds(query: Query): Promise<void> {
  await query(`alter table usage validate constraint ${EARLIER_IDS}`);
}

interface Month {
  name: string;
  /** IDs; `to` is not included. */
  from: string;
  to: string;
}

function monthAt(year: number, month: number): Month {
  const first = new Date(Date.UTC(year, month));
  return {
    name: `usage_${first.toISOString().slice(0, 7).replace("-", "_")}`,
    from: firstUsageId(first.getTime()),
    to: firstUsageId(Date.UTC(year, month + 1)),
  };
}

/** The months from that of `from` to that of `to` (ms since 1970), both included. */
function monthsBetween(from: number, to: number): Month[] {
  const months: Month[] = [];
  const last = new Date(to);
  for (let next = new Date(from); ; ) {
    const [year, month] = [next.getUTCFullYear(), next.getUTCMonth()];
    months.push(monthAt(year, month));
    if (year === last.getUTCFullYear() && month === last.getUTCMonth()) return months;
    next = new Date(Date.UTC(year, month + 1));
    if (next > last) return months;
  }
}

async function partitionNames(query: Query): Promise<Set<string>> {
  const rows = await query(
    "select relid::regclass::text as name from pg_partition_tree('usage') where level = 1",
  );
  return new Set(rows.map(({ name }) => String(name)));
}

/**
 * Creates and attaches a partition. Attaching locks only the default partition and the new one, so that calls continue.
 */
async function addMonth(query: Query, { name, from, to }: Month): Promise<void> {
  await query(`create table ${name} (like usage including all) with (${VACUUM})`);
  await query(
    `with moved as (delete from ${OTHER} where id >= '${from}' and id < '${to}' returning *)
     insert into ${name} select * from moved`,
  );
  await query(`alter table usage attach partition ${name} for values from ('${from}') to ('${to}')`);
}

/**
 * Creates missing partitions from the month of `since` to some months after that of `now`, in the caller's transaction,
 * which only one instance may run at a time.
 */
export async function addMonths(query: Query, now: number, since = now): Promise<void> {
  const names = await partitionNames(query);
  const date = new Date(now);
  const last = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + MONTHS_AHEAD);
  for (const month of monthsBetween(Math.min(since, now), last))
    if (!names.has(month.name)) await addMonth(query, month);
}

/** Drops the partitions whose entries are all settled and older than `before` (ms since 1970). */
export async function dropMonths(query: Query, before: number): Promise<void> {
  const current = monthsBetween(before, before)[0]?.name ?? "";
  for (const name of await partitionNames(query)) {
    const isPast = name === EARLIER || (/^usage_\d{4}_\d{2}$/.test(name) && name < current);
    if (!isPast) continue;
    const [kept] = await query(
      `select 1 where exists (select 1 from ${name} where at >= $1)
         or exists (select 1 from ${name} where state = 'open')`,
      [before],
    );
    if (kept === undefined) await query(`drop table ${name}`);
  }
}
