import { sql } from "kysely";
import type { BillingPeriod } from "../../ports/billing-period";
import type { KeyRecord, Keys, KeyWithOwner } from "../../ports/store";
import { budgetColumns, toBudget } from "../columns";
import { orConflict } from "../errors";
import { copySpent, readSpent } from "../ledger/balances";
import { matches, newestFirst } from "../page";
import { KEY, type KeyTable } from "../schema/accounts";
import { deleteById, type Scope } from "../transactions";
import { changeOne, countDeleted, findOne } from "./statements";

const TAKEN = "A key with that ID or digest already exists.";
/** Two parameters per row, well below either database's limit for one statement. */
const TOUCH_CHUNK = 500;

function toKey(row: KeyTable): KeyRecord {
  return { ...KEY.toRecord(row), budget: toBudget(row) };
}

async function findWithOwner(scope: Scope, digest: string): Promise<KeyWithOwner | null> {
  const row = await scope.read
    .selectFrom("keys")
    .innerJoin("users", "users.id", "keys.owner_id")
    .selectAll("keys")
    .select([
      "users.role as owner_role",
      "users.enabled as owner_enabled",
      "users.rpm as owner_rpm",
      "users.tpm as owner_tpm",
      "users.concurrency as owner_concurrency",
      "users.budget_total as owner_total",
      "users.budget_daily as owner_daily",
      "users.budget_monthly as owner_monthly",
    ])
    .where("keys.digest", "=", digest)
    .executeTakeFirst();
  if (!row) return null;
  return {
    key: toKey(row),
    owner: {
      id: row.owner_id,
      role: row.owner_role,
      enabled: row.owner_enabled === 1,
      rpm: row.owner_rpm,
      tpm: row.owner_tpm,
      concurrency: row.owner_concurrency,
      budget: {
        totalNano: row.owner_total,
        dailyNano: row.owner_daily,
        monthlyNano: row.owner_monthly,
      },
    },
  };
}

/** Finds, lists and counts; `periodsAt` names the budget periods of a time. */
function reading(
  scope: Scope,
  periodsAt: (now: number) => BillingPeriod,
): Pick<Keys, "findByDigest" | "findById" | "list" | "countUnexpired" | "spent"> {
  return {
    findByDigest: (digest) => findWithOwner(scope, digest),

    findById: (id) => findOne(scope.read.selectFrom("keys").selectAll().where("id", "=", id), toKey),

    async list(query) {
      // A search reads all keys, which on this thread's connection (SQLite) would block the event loop.
      const db = query.q === null ? scope.read : scope.scan;
      let select = db.selectFrom("keys").selectAll().where("kind", "=", "api");
      if (query.ownerId !== null) select = select.where("owner_id", "=", query.ownerId);
      if (query.q !== null) select = select.where(matches(query.q, ["name", "display"]));
      return newestFirst(select, query, "created_at", toKey);
    },

    async countUnexpired(ownerId, now) {
      const { count } = await scope.read
        .selectFrom("keys")
        .select(sql<number>`count(*)`.as("count"))
        .where("owner_id", "=", ownerId)
        .where("kind", "=", "api")
        .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)]))
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    spent: (id, now) => readSpent(scope.read, "key", id, periodsAt(now)),
  };
}

/** Changes of a key; `periodsAt` names the budget periods of a time. */
function writing(
  scope: Scope,
  periodsAt: (now: number) => BillingPeriod,
): Pick<Keys, "insert" | "update" | "delete" | "copySpent" | "touchLastUsed"> {
  return {
    insert: (key) =>
      scope.write(async (db, touch) => {
        await orConflict(
          TAKEN,
          db
            .insertInto("keys")
            .values({ ...KEY.toRow(key), ...budgetColumns(key.budget) })
            .execute(),
        );
        touch("keys");
      }),

    update: (at, patch) =>
      changeOne(scope, "keys", toKey, (db) =>
        db
          .updateTable("keys")
          .set({ ...KEY.toRow(patch), ...budgetColumns(patch.budget), version: at.version + 1 })
          .where("id", "=", at.id)
          .where("version", "=", at.version)
          .returningAll(),
      ),

    delete: (id) => deleteById(scope, "keys", id, ["keys"]),

    copySpent: (from, to, now) => scope.write((db) => copySpent(db, "key", { from, to }, periodsAt(now))),

    async touchLastUsed(used) {
      const rows = [...used];
      for (let start = 0; start < rows.length; start += TOUCH_CHUNK) {
        const values = rows
          .slice(start, start + TOUCH_CHUNK)
          .map(([id, at]) => sql`(cast(${id} as text), cast(${at} as bigint))`);
        await scope.writeOne(async (db) => {
          await sql`with used (id, at) as (values ${sql.join(values)})
            update keys set last_used_at = used.at from used
            where keys.id = used.id and (keys.last_used_at is null or keys.last_used_at < used.at)`.execute(
            db,
          );
        });
      }
    },
  };
}

/** Keys of the playground, which end with their session. */
function playgroundKeys(scope: Scope): Pick<Keys, "trimPlayground" | "deleteExpiredPlayground"> {
  return {
    trimPlayground: (sessionId, keep) =>
      scope.write(async (db, touch) => {
        const newest = db
          .selectFrom("keys")
          .select("id")
          .where("session_id", "=", sessionId)
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .limit(keep);
        const count = await countDeleted(
          db
            .deleteFrom("keys")
            .where("kind", "=", "playground")
            .where("session_id", "=", sessionId)
            .where("id", "not in", newest),
        );
        if (count > 0) touch("keys");
        return count;
      }),

    deleteExpiredPlayground: (now, limit = Number.MAX_SAFE_INTEGER) =>
      scope.write(async (db, touch) => {
        const expired = db
          .selectFrom("keys")
          .select("id")
          .where("kind", "=", "playground")
          .where("expires_at", "<=", now)
          .limit(limit);
        const count = await countDeleted(db.deleteFrom("keys").where("id", "in", expired));
        if (count > 0) touch("keys");
        return count;
      }),
  };
}

/** `periodsAt` returns day and month of a time in the instance's time zone. */
export function keysRepository(scope: Scope, periodsAt: (now: number) => BillingPeriod): Keys {
  return { ...reading(scope, periodsAt), ...writing(scope, periodsAt), ...playgroundKeys(scope) };
}
