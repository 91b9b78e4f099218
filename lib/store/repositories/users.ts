import type { BillingPeriod } from "../../ports/billing-period";
import type { UserRecord, UserStatus, Users } from "../../ports/store";
import { budgetColumns, toBudget } from "../columns";
import { orConflict } from "../errors";
import { readSpentOf } from "../ledger/balances";
import { matches, newestFirst } from "../page";
import { USER, type UserTable } from "../schema/accounts";
import { deleteById, type Scope } from "../transactions";
import { changeOne, findOne } from "./statements";

const TAKEN = "This username or e-mail address is already taken.";

function toUser(row: UserTable): UserRecord {
  return { ...USER.toRecord(row), budget: toBudget(row) };
}

async function readStatuses(
  scope: Scope,
  ids: readonly string[],
  periods: BillingPeriod,
): Promise<Map<string, UserStatus>> {
  if (ids.length === 0) return new Map();
  const [rows, spent] = await Promise.all([
    scope.read
      .selectFrom("users")
      .leftJoin("two_factors", "two_factors.user_id", "users.id")
      .select(["users.id", "users.last_seen_at", "two_factors.state", "two_factors.locked_until"])
      .where("users.id", "in", ids)
      .execute(),
    readSpentOf(scope.read, "user", ids, periods),
  ]);
  return new Map(
    rows.map((row): [string, UserStatus] => [
      row.id,
      {
        hasTwoFactor: row.state === "enabled",
        lockedUntil: row.locked_until,
        lastSeenAt: row.last_seen_at,
        spent: spent.get(row.id) ?? { totalNano: 0, dailyNano: 0, monthlyNano: 0 },
      },
    ]),
  );
}

/** `periodsAt` returns day and month of a time in the instance's time zone. */
export function usersRepository(scope: Scope, periodsAt: (now: number) => BillingPeriod): Users {
  return {
    findById: (id) => findOne(scope.read.selectFrom("users").selectAll().where("id", "=", id), toUser),

    async findByNameOrEmail(loginKey) {
      const rows = await scope.read
        .selectFrom("users")
        .selectAll()
        .where((where) => where.or([where("username_key", "=", loginKey), where("email_key", "=", loginKey)]))
        .execute();
      // One user's name may equal another's e-mail address; the user name has precedence.
      const row = rows.find((one) => one.username_key === loginKey) ?? rows[0];
      return row ? toUser(row) : null;
    },

    async list(query) {
      // A search reads all users, which on this thread's connection (SQLite) would block the event loop.
      const db = query.q === null ? scope.read : scope.scan;
      let select = db.selectFrom("users").selectAll();
      if (query.q !== null) {
        select = select.where(matches(query.q, ["username", "username_key", "display_name", "email"]));
      }
      return newestFirst(select, query, "created_at", toUser);
    },

    async findMany(ids) {
      if (ids.length === 0) return new Map();
      const rows = await scope.read.selectFrom("users").selectAll().where("id", "in", ids).execute();
      return new Map(rows.map((row) => [row.id, toUser(row)]));
    },

    statuses: (ids, now) => readStatuses(scope, ids, periodsAt(now)),

    insert: (user) =>
      scope.write(async (db, touch) => {
        await orConflict(
          TAKEN,
          db
            .insertInto("users")
            .values({ ...USER.toRow(user), ...budgetColumns(user.budget) })
            .execute(),
        );
        touch("users");
      }),

    update: (at, patch) =>
      orConflict(
        TAKEN,
        changeOne(scope, "users", toUser, (db) =>
          db
            .updateTable("users")
            .set({ ...USER.toRow(patch), ...budgetColumns(patch.budget), version: at.version + 1 })
            .where("id", "=", at.id)
            .where("version", "=", at.version)
            .returningAll(),
        ),
      ),

    delete: (id) => deleteById(scope, "users", id, ["users", "sessions", "keys"]),
  };
}
