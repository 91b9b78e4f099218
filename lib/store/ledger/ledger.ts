import type { Kysely } from "kysely";
import type { Ledger, UsageRecord } from "../../ports/store";
import { storable } from "../columns";
import { behind, matches, rowsToRead, toPage } from "../page";
import type { Tables } from "../schema";
import type { Scope } from "../transaction-scope";
import { listConditions } from "./conditions";
import { failedAttempts } from "./failed-attempts";
import type { GroupCommit } from "./group-commit";
import { namesOf } from "./names";
import { LISTED_COLUMNS, toCells, toUsage } from "./rows";
import { summarize } from "./summary";
import { sweep } from "./sweep";
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

/** The usage ledger on one scope and one group commit; `instanceId` owns the entries it opens. */
export function createLedger(scope: Scope, commits: GroupCommit, instanceId: string): Ledger {
  return {
    async reserve({ row, keyBudget, userBudget, day, month }) {
      const cells = toCells(row, "open", instanceId, { day, month });
      const outcome = await commits.add({ kind: "reserve", row: cells, keyBudget, userBudget });
      return { refused: outcome === "key" || outcome === "user" ? outcome : null };
    },

    async settle(row, period, prompt) {
      const cells = toCells(row, "settled", instanceId, period);
      const kept = prompt === undefined ? {} : { prompt: storable(prompt) };
      await commits.add({ kind: "settle", row: cells, onlyOpen: false, ...kept });
    },

    async settleOrphans(_now, deadBefore, isGone = () => false) {
      const gone = await goneInstances(scope.scan, instanceId, isGone);
      let settled = 0;
      for (;;) {
        const rows = await orphansOf(scope.scan, instanceId, deadBefore, gone);
        const outcomes = await Promise.all(
          rows.map((row) => {
            const usage: UsageRecord = {
              ...toUsage(row),
              costNano: row.reserved_nano,
              error: "internal",
              estimated: true,
              trace: decodeTrace(row.trace),
            };
            const cells = toCells(usage, "settled", row.owner, { day: row.day, month: row.month });
            return commits.add({ kind: "settle", row: cells, onlyOpen: true });
          }),
        );
        settled += outcomes.filter((outcome) => outcome === "done").length;
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
          .where("id", "!=", instanceId)
          .execute();
      });
      return settled;
    },

    heartbeat: (now) =>
      scope.write(async (db) => {
        await db
          .insertInto("instances")
          .values({ id: instanceId, heartbeat_at: now })
          .onConflict((conflict) => conflict.column("id").doUpdateSet({ heartbeat_at: now }))
          .execute();
      }),

    leave: () =>
      scope.write(async (db) => {
        await db.deleteFrom("instances").where("id", "=", instanceId).execute();
      }),

    async otherInstances(since) {
      const rows = await scope.scan
        .selectFrom("instances")
        .select(["id", "heartbeat_at"])
        .where("heartbeat_at", ">=", since)
        .where("id", "!=", instanceId)
        .orderBy("id")
        .execute();
      return rows.map((row) => ({ id: row.id, heartbeatAt: row.heartbeat_at }));
    },

    failedAttempts: (query) => failedAttempts(scope.scan, query),

    summarize: (query) => summarize(scope.scan, query),

    async find(id) {
      const row = await scope.read
        .selectFrom("usage")
        .leftJoin("prompts", "prompts.usage_id", "usage.id")
        .selectAll("usage")
        .select("prompts.input as prompt")
        .where("usage.id", "=", id)
        .executeTakeFirst();
      return row ? { row: { ...toUsage(row), trace: decodeTrace(row.trace) }, prompt: row.prompt } : null;
    },

    async findByRequest(requestId, userId) {
      let select = scope.read.selectFrom("usage").select("id").where("request_id", "=", storable(requestId));
      if (userId !== undefined) select = select.where("user_id", "=", userId);
      const row = await select.orderBy("at", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
      return row?.id ?? null;
    },

    names: (kind, ids) => namesOf(scope.scan, kind, ids),

    sweep: (what, before, limit) => scope.write((db) => sweep(db, what, before, limit)),

    async list(query) {
      let select = scope.scan.selectFrom("usage").select(LISTED_COLUMNS);
      for (const condition of listConditions(query)) select = select.where(condition);
      if (query.q !== null) {
        select = select.where(matches(query.q, ["request_id", "model", "error", "end_user", "tags"]));
      }
      if (query.cursor !== null) select = select.where(behind(query.cursor, "at", "id"));
      const rows = await select
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .limit(rowsToRead(query))
        .execute();
      return toPage(query, rows, (row) => ({ at: row.at, id: row.id }), toUsage);
    },
  };
}
