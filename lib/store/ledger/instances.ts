import type { Kysely } from "kysely";
import type { UsageRecord } from "../../ports/store";
import type { Tables } from "../schema";
import type { Scope } from "../transactions";
import type { GroupCommit } from "./group-commit";
import { toCells, toUsage } from "./rows";
import { decodeTrace } from "./trace";

const ORPHANS_AT_ONCE = 200;

/** Other instances with a heartbeat row that `isGone` reports as ended. */
async function goneInstances(
  db: Kysely<Tables>,
  self: string,
  isGone: (instanceId: string) => boolean,
): Promise<string[]> {
  const rows = await db.selectFrom("instances").select("id").where("id", "!=", self).execute();
  return rows.map((row) => row.id).filter(isGone);
}

/** Open entries of instances that have ended, whose heartbeat is too old, or which have none; never our own. */
function orphansOf(db: Kysely<Tables>, self: string, deadBefore: number, gone: readonly string[]) {
  return db
    .selectFrom("usage")
    .leftJoin("instances", "instances.id", "usage.owner")
    .selectAll("usage")
    .where("usage.state", "=", "open")
    .where("usage.owner", "!=", self)
    .where((where) =>
      where.or([
        where("instances.heartbeat_at", "is", null),
        where("instances.heartbeat_at", "<", deadBefore),
        ...(gone.length > 0 ? [where("instances.id", "in", gone)] : []),
      ]),
    )
    .orderBy("usage.owner")
    .orderBy("usage.id")
    .limit(ORPHANS_AT_ONCE)
    .execute();
}

type Orphan = Awaited<ReturnType<typeof orphansOf>>[number];

/** Settles an orphan at its reservation; false when another instance settled it first. */
async function settleOrphan(commits: GroupCommit, row: Orphan): Promise<boolean> {
  const usage: UsageRecord = {
    ...toUsage(row),
    costNano: row.reserved_nano,
    error: "internal",
    estimated: true,
    trace: decodeTrace(row.trace),
  };
  const cells = toCells(usage, "settled", row.owner, { day: row.day, month: row.month });
  return (await commits.add({ kind: "settle", row: cells, onlyOpen: true })) === "done";
}

/** Settles the open entries of ended instances and removes their heartbeats. Returns how many entries. */
export async function settleOrphans(
  scope: Scope,
  commits: GroupCommit,
  self: string,
  deadBefore: number,
  isGone: (instanceId: string) => boolean,
): Promise<number> {
  const gone = await goneInstances(scope.scan, self, isGone);
  let settled = 0;
  for (;;) {
    const rows = await orphansOf(scope.scan, self, deadBefore, gone);
    const results = await Promise.all(rows.map((row) => settleOrphan(commits, row)));
    settled += results.filter(Boolean).length;
    if (rows.length < ORPHANS_AT_ONCE) break;
  }
  await scope.write(async (db) => {
    await db
      .deleteFrom("instances")
      .where((where) =>
        where.or([
          where("heartbeat_at", "<", deadBefore),
          ...(gone.length > 0 ? [where("id", "in", gone)] : []),
        ]),
      )
      .where("id", "!=", self)
      .execute();
  });
  return settled;
}

/** Writes this instance's heartbeat. */
export async function writeHeartbeat(db: Kysely<Tables>, self: string, now: number): Promise<void> {
  await db
    .insertInto("instances")
    .values({ id: self, heartbeat_at: now })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ heartbeat_at: now }))
    .execute();
}

export async function removeHeartbeat(db: Kysely<Tables>, self: string): Promise<void> {
  await db.deleteFrom("instances").where("id", "=", self).execute();
}

/** The other instances whose last heartbeat (ms) is at `since` or later, ordered by ID. */
export async function otherInstances(
  db: Kysely<Tables>,
  self: string,
  since: number,
): Promise<{ id: string; heartbeatAt: number }[]> {
  const rows = await db
    .selectFrom("instances")
    .select(["id", "heartbeat_at"])
    .where("heartbeat_at", ">=", since)
    .where("id", "!=", self)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ id: row.id, heartbeatAt: row.heartbeat_at }));
}
