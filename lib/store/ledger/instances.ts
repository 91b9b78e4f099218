import type { Kysely } from "kysely";
import type { InstanceRecord, InstanceReport, UsageRecord } from "../../ports/store";
import type { InstanceTable, Tables } from "../schema";
import { USAGE } from "../schema/ledger";
import type { Scope } from "../transactions";
import type { GroupCommit } from "./group-commit";
import { orphanEstimate } from "./operations";
import { toCells } from "./rows";
import { decodeTrace } from "./trace";

const ORPHAN_BATCH_ROWS = 200;

/** Other instances with a heartbeat row that `isGone` reports as ended. */
async function goneInstances(
  db: Kysely<Tables>,
  self: string,
  isGone: (instanceId: string) => boolean,
): Promise<string[]> {
  const rows = await db.selectFrom("instances").select("id").where("id", "!=", self).execute();
  return rows.map((row) => row.id).filter(isGone);
}

/** Open entries of other instances that have ended, whose heartbeat is too old, or that have no heartbeat. */
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
    .limit(ORPHAN_BATCH_ROWS)
    .execute();
}

type Orphan = Awaited<ReturnType<typeof orphansOf>>[number];

/** Settles an orphan at its reservation; false when another instance settled it first. */
async function settleOrphan(commits: GroupCommit, row: Orphan): Promise<boolean> {
  const usage: UsageRecord = {
    ...USAGE.toRecord(row),
    ...orphanEstimate(row.reserved_nano),
    trace: decodeTrace(row.trace),
  };
  const cells = toCells(usage, "settled", row.owner, { day: row.day, month: row.month });
  return (await commits.add({ kind: "settle", row: cells, onlyOpen: true })) === "done";
}

/** Settles orphans of one batch. Returns how many. */
async function settleBatch(commits: GroupCommit, rows: readonly Orphan[]): Promise<number> {
  const results = await Promise.all(rows.map((row) => settleOrphan(commits, row)));
  return results.filter(Boolean).length;
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
    settled += await settleBatch(commits, rows);
    if (rows.length < ORPHAN_BATCH_ROWS) break;
  }
  await scope.writeOne(async (db) => {
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

/**
 * Settles our own open entries whose calls have ended: their settlement failed, or a failover of the database lost it.
 * `running`: IDs of the entries of calls that have not ended, each added before the entry is written. Returns how many
 * were settled.
 */
export async function settleEnded(
  { scan }: Scope,
  commits: GroupCommit,
  self: string,
  running: ReadonlySet<string>,
): Promise<number> {
  const own = scan.selectFrom("usage").where("state", "=", "open").where("owner", "=", self);
  const ids = (await own.select("id").execute()).map(({ id }) => id).filter((id) => !running.has(id));
  let settled = 0;
  for (let start = 0; start < ids.length; start += ORPHAN_BATCH_ROWS) {
    const batch = ids.slice(start, start + ORPHAN_BATCH_ROWS);
    settled += await settleBatch(commits, await own.selectAll().where("id", "in", batch).execute());
  }
  return settled;
}

/** The columns of a report. */
function cellsOf(report: InstanceReport) {
  return {
    server: report.server,
    host: report.host,
    address: report.address,
    version: report.version,
    pid: report.pid,
    started_at: report.startedAt,
    draining: report.isDraining ? (1 as const) : (0 as const),
    in_flight: report.inFlight,
    requests_per_minute: Math.round(report.requestsPerMinute),
    cpu_percent: Math.round(report.cpuPercent),
    memory_bytes: Math.round(report.memoryBytes),
    change_lag_ms: Math.round(report.changeLagMs),
  };
}

/** Writes this instance's heartbeat and, when given, its report. */
export async function writeHeartbeat(
  db: Kysely<Tables>,
  self: string,
  now: number,
  report?: InstanceReport,
): Promise<void> {
  const cells = { heartbeat_at: now, ...(report ? cellsOf(report) : {}) };
  await db
    .insertInto("instances")
    .values({ id: self, ...cells })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(cells))
    .execute();
}

export async function removeHeartbeat(db: Kysely<Tables>, self: string): Promise<void> {
  await db.deleteFrom("instances").where("id", "=", self).execute();
}

function reportOf(row: InstanceTable): InstanceReport | null {
  // A report writes all columns together.
  if (row.version === null) return null;
  return {
    server: row.server ?? row.id,
    host: row.host ?? "",
    address: row.address ?? "",
    version: row.version,
    pid: row.pid ?? 0,
    startedAt: row.started_at ?? 0,
    isDraining: row.draining === 1,
    inFlight: row.in_flight ?? 0,
    requestsPerMinute: row.requests_per_minute ?? 0,
    cpuPercent: row.cpu_percent ?? 0,
    memoryBytes: row.memory_bytes ?? 0,
    changeLagMs: row.change_lag_ms ?? 0,
  };
}

/** The instances whose last heartbeat (ms) is at `since` or later, ordered by start and ID. */
export async function listInstances(
  db: Kysely<Tables>,
  self: string,
  since: number,
): Promise<InstanceRecord[]> {
  const rows = await db
    .selectFrom("instances")
    .selectAll()
    .where("heartbeat_at", ">=", since)
    .orderBy("started_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    heartbeatAt: row.heartbeat_at,
    isSelf: row.id === self,
    report: reportOf(row),
  }));
}
