import { type Kysely, type RawBuilder, sql } from "kysely";
import { MINUTE_MS } from "../../contracts/durations";
import type { FailedAttempt, Failover, Ledger, UsagePage } from "../../ports/store";
import { storable } from "../columns";
import { decodeCursor, encodeCursor, olderThanCursor, pageSize, rowsToRead, toPage } from "../page";
import type { Tables } from "../schema";
import { USAGE } from "../schema/ledger";
import { rolledConditions, rowConditions } from "./conditions";
import { findCut } from "./find-cut";
import { total } from "./groups";
import { LISTED_COLUMNS } from "./rows";
import { decodeTrace } from "./trace";

type ListQuery = Parameters<Ledger["list"]>[0];

/**
 * The upper bound of a page, as one condition: of two, SQLite may choose the wider one for the index. The cursor of a
 * query with another range may be later than the end of this range.
 */
function upperBound({ cursor, to }: Pick<ListQuery, "cursor" | "to">): RawBuilder<boolean>[] {
  const isAfterEnd = cursor !== null && to !== undefined && decodeCursor(cursor).at >= to;
  if (cursor !== null && !isAfterEnd) return [olderThanCursor(cursor, "at", "id")];
  return to === undefined ? [] : [sql<boolean>`at < ${to}`];
}

const since = (from: number | undefined): RawBuilder<boolean>[] =>
  from === undefined ? [] : [sql<boolean>`at >= ${from}`];

/** See `Ledger.list`; without traces. */
export async function listEntries(db: Kysely<Tables>, query: ListQuery): Promise<UsagePage> {
  const upper = upperBound(query);
  const conditions = [...rolledConditions(query), ...rowConditions(query)];
  const cut = conditions.length === 0 ? null : await findCut(db, query, [...upper, ...since(query.from)]);
  let select = db.selectFrom("usage").select(LISTED_COLUMNS);
  for (const condition of [...conditions, ...upper, ...since(cut ?? query.from)])
    select = select.where(condition);
  const rows = await select.orderBy("at", "desc").orderBy("id", "desc").limit(rowsToRead(query)).execute();
  const page = toPage(query, rows, (row) => ({ at: row.at, id: row.id }), USAGE.toRecord);
  if (cut === null || page.nextCursor !== null) return { ...page, searchedFrom: null };
  // No ID is below the empty one: the next page begins with the entries before the cut.
  return { ...page, nextCursor: encodeCursor({ at: cut, id: "" }), searchedFrom: cut };
}

/** One entry with its trace and its stored input text; null: no such entry. */
export async function findEntry(db: Kysely<Tables>, id: string): ReturnType<Ledger["find"]> {
  const row = await db
    .selectFrom("usage")
    .leftJoin("prompts", "prompts.usage_id", "usage.id")
    .selectAll("usage")
    .select("prompts.input as prompt")
    .where("usage.id", "=", id)
    .executeTakeFirst();
  return row ? { row: { ...USAGE.toRecord(row), trace: decodeTrace(row.trace) }, prompt: row.prompt } : null;
}

/** The ID of the newest entry of that request ID, of that user if given; null: none. */
export async function findEntryByRequest(
  db: Kysely<Tables>,
  requestId: string,
  userId?: string,
): Promise<string | null> {
  let select = db.selectFrom("usage").select("id").where("request_id", "=", storable(requestId));
  if (userId !== undefined) select = select.where("user_id", "=", userId);
  const row = await select.orderBy("at", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
  return row?.id ?? null;
}

/**
 * The newest calls with a failed attempt on one channel. The entry of a call names the channel of its last attempt; the
 * channels of earlier attempts are in its trace only.
 */
export async function failedAttempts(
  db: Kysely<Tables>,
  { channelId, from, to, limit }: Parameters<Ledger["failedAttempts"]>[0],
): Promise<FailedAttempt[]> {
  const id = storable(channelId);
  const named = `%"${id}"%`;
  const rows = await db
    .selectFrom("usage")
    .select(["id", "request_id", "at", "model", "status", "error", "trace"])
    // The condition of the partial index `usage_troubled`, written as there, so that the index is used.
    .where(sql<boolean>`(error is not null or attempts > 1)`)
    .where(
      sql<boolean>`((channel_id = ${id} and error is not null)
        or (trace like ${named} and (channel_id is null or channel_id <> ${id}))
        or (channel_id = ${id} and trace like ${`${named}"${id}"%`}))`,
    )
    .where("at", ">=", from)
    .where("at", "<", to)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(pageSize({ limit }))
    .execute();
  return rows.flatMap(({ trace, ...row }) => {
    const attempts = decodeTrace(trace)?.attempts ?? [];
    const failed = attempts.findLast((one) => one.channelId === id && one.error !== null);
    const error = failed?.error ?? row.error;
    if (error === null) return [];
    return {
      id: row.id,
      requestId: row.request_id,
      at: row.at,
      model: row.model,
      keyId: failed?.keyId ?? null,
      error,
      upstreamStatus: failed?.upstreamStatus ?? null,
      message: failed?.message ?? null,
      status: row.status,
    };
  });
}

/** See `Ledger.failovers`. */
export async function failovers(
  db: Kysely<Tables>,
  { from, to }: Parameters<Ledger["failovers"]>[0],
): Promise<Failover[]> {
  const rows = await db
    .selectFrom("failovers")
    .select(["model", "channel_id", total("attempts").as("attempts")])
    .where("minute", ">=", from - (from % MINUTE_MS))
    .where("minute", "<", to)
    .groupBy(["model", "channel_id"])
    .having(total("attempts"), ">", 0)
    .execute();
  return rows.map(({ model, channel_id, attempts }) => ({ model, channelId: channel_id, attempts }));
}
