import type { BillingPeriod } from "../../ports/billing-period";
import type { Role, UserRecord, UserStatus, Users } from "../../ports/store";
import { budgetColumns, flag, toBudget } from "../columns";
import { orConflict } from "../errors";
import { readSpentOf } from "../ledger/balances";
import { matches, newestFirst } from "../page";
import type { UserTable } from "../schema";
import { deleteById, type Scope } from "../transactions";
import { changeOne, findOne } from "./statements";

const TAKEN = "This username or e-mail address is already taken.";

function columns(user: UserRecord): Omit<UserTable, "last_seen_at">;
function columns(user: Partial<UserRecord>): Partial<UserTable>;
function columns(user: Partial<UserRecord>): Partial<UserTable> {
  return {
    id: user.id,
    username: user.username,
    username_key: user.usernameKey,
    display_name: user.displayName,
    email: user.email,
    email_key: user.emailKey,
    role: user.role,
    enabled: flag(user.enabled),
    password_hash: user.passwordHash,
    password_version: user.passwordVersion,
    locale: user.locale,
    rpm: user.rpm,
    tpm: user.tpm,
    concurrency: user.concurrency,
    ...budgetColumns(user.budget),
    created_at: user.createdAt,
    version: user.version,
  };
}

function toUser(row: UserTable): UserRecord {
  return {
    id: row.id,
    username: row.username,
    usernameKey: row.username_key,
    displayName: row.display_name,
    email: row.email,
    emailKey: row.email_key,
    // The column is written from a Role only.
    role: row.role as Role,
    enabled: row.enabled === 1,
    passwordHash: row.password_hash,
    passwordVersion: row.password_version,
    locale: row.locale,
    rpm: row.rpm,
    tpm: row.tpm,
    concurrency: row.concurrency,
    budget: toBudget(row),
    createdAt: row.created_at,
    version: row.version,
  };
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

/** Finds, lists and counts; `periodsAt` names the budget periods of a time. */
function reading(
  scope: Scope,
  periodsAt: (now: number) => BillingPeriod,
): Pick<Users, "findById" | "findByNameOrEmail" | "list" | "findMany" | "statuses"> {
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
      // A search reads all of them, which would block the event loop.
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
  };
}

function writing(scope: Scope): Pick<Users, "insert" | "update" | "delete"> {
  return {
    insert: (user) =>
      scope.write(async (db, touch) => {
        await orConflict(TAKEN, db.insertInto("users").values(columns(user)).execute());
        touch("users");
      }),

    update: (at, patch) =>
      orConflict(
        TAKEN,
        changeOne(scope, "users", toUser, (db) =>
          db
            .updateTable("users")
            .set({ ...columns(patch), version: at.version + 1 })
            .where("id", "=", at.id)
            .where("version", "=", at.version)
            .returningAll(),
        ),
      ),

    delete: (id) => deleteById(scope, "users", id, ["users", "sessions", "keys"]),
  };
}

/** `periodsAt` returns day and month of a time in the instance's time zone. */
export function usersRepository(scope: Scope, periodsAt: (now: number) => BillingPeriod): Users {
  return { ...reading(scope, periodsAt), ...writing(scope) };
}
