import type { Role, UserRecord, Users } from "../../ports/store";
import { budgetColumns, flag, toBudget } from "../columns";
import { orConflict } from "../errors";
import { behind, matches, rowsToRead, toPage } from "../page";
import type { UserTable } from "../schema";
import type { Scope } from "../scope";

const TAKEN = "That user name or e-mail address is taken.";

function columns(user: UserRecord): UserTable;
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
    ...budgetColumns(user.budget),
    created_at: user.createdAt,
    version: user.version,
  };
}

export function toUser(row: UserTable): UserRecord {
  return {
    id: row.id,
    username: row.username,
    usernameKey: row.username_key,
    displayName: row.display_name,
    email: row.email,
    emailKey: row.email_key,
    // Written from a Role alone.
    role: row.role as Role,
    enabled: row.enabled === 1,
    passwordHash: row.password_hash,
    passwordVersion: row.password_version,
    locale: row.locale,
    budget: toBudget(row),
    createdAt: row.created_at,
    version: row.version,
  };
}

export function usersRepository(scope: Scope): Users {
  return {
    insert: (user) =>
      scope.write(async (db, touch) => {
        await orConflict(TAKEN, db.insertInto("users").values(columns(user)).execute());
        touch("users");
      }),

    async findById(id) {
      const row = await scope.read.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
      return row ? toUser(row) : null;
    },

    async findByLogin(loginKey) {
      const rows = await scope.read
        .selectFrom("users")
        .selectAll()
        .where((where) => where.or([where("username_key", "=", loginKey), where("email_key", "=", loginKey)]))
        .execute();
      // Somebody may be named like another's address; the name has the right of way.
      const row = rows.find((one) => one.username_key === loginKey) ?? rows[0];
      return row ? toUser(row) : null;
    },

    update: (at, patch) =>
      scope.write(async (db, touch) => {
        const row = await orConflict(
          TAKEN,
          db
            .updateTable("users")
            .set({ ...columns(patch), version: at.version + 1 })
            .where("id", "=", at.id)
            .where("version", "=", at.version)
            .returningAll()
            .executeTakeFirst(),
        );
        if (!row) return null;
        touch("users");
        return toUser(row);
      }),

    async list(query) {
      let select = scope.read.selectFrom("users").selectAll();
      if (query.q !== null) {
        select = select.where(matches(query.q, ["username", "username_key", "display_name", "email"]));
      }
      if (query.cursor !== null) select = select.where(behind(query.cursor, "created_at", "id"));
      const rows = await select
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(rowsToRead(query))
        .execute();
      return toPage(query, rows, (row) => ({ at: row.created_at, id: row.id }), toUser);
    },

    delete: (id) =>
      scope.write(async (db, touch) => {
        const { numDeletedRows } = await db
          .deleteFrom("users")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        touch("users");
        touch("sessions");
        touch("keys");
        return true;
      }),
  };
}
