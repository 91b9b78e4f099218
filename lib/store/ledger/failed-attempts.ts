import { type Kysely, sql } from "kysely";
import type { FailedAttempt, Ledger } from "../../ports/store";
import { storable } from "../columns";
import { pageSize } from "../page";
import type { Tables } from "../schema";
import { decodeTrace } from "./trace";

/**
 * The newest calls with a failed attempt on one channel. A failed call's entry names the channel of its last attempt;
 * of a call with several attempts, the trace names the other channels.
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
    // As the index says it, word for word.
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
    const tries = decodeTrace(trace)?.attempts ?? [];
    const failed = tries.findLast((one) => one.channelId === id && one.error !== null);
    const error = failed?.error ?? row.error;
    if (error === null) return [];
    return {
      id: row.id,
      requestId: row.request_id,
      at: row.at,
      model: row.model,
      error,
      upstreamStatus: failed?.upstreamStatus ?? null,
      status: row.status,
    };
  });
}
