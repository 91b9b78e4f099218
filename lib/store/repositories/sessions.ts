import type { Sessions } from "../../ports/store";
import { SESSION } from "../schema/accounts";
import type { Scope } from "../transactions";
import { countDeleted, findOne } from "./statements";

/** Deletes sessions and their playground keys. */
function deleteSessions(
  scope: Scope,
  ids: (db: Scope["read"]) => Promise<{ id: string }[]>,
): Promise<number> {
  return scope.write(async (db, touch) => {
    const chosen = (await ids(db)).map((row) => row.id);
    if (chosen.length === 0) return 0;
    for (let start = 0; start < chosen.length; start += 500) {
      const some = chosen.slice(start, start + 500);
      if ((await countDeleted(db.deleteFrom("keys").where("session_id", "in", some))) > 0) touch("keys");
      await db.deleteFrom("sessions").where("id", "in", some).execute();
    }
    touch("sessions");
    return chosen.length;
  });
}

/** Records the last use in the user's row too: the list of users shows it, also after the session has been deleted. */
async function markSeen(db: Scope["read"], at: number, userId: string): Promise<void> {
  await db
    .updateTable("users")
    .set({ last_seen_at: at })
    .where("id", "=", userId)
    .where((where) => where.or([where("last_seen_at", "is", null), where("last_seen_at", "<", at)]))
    .execute();
}

export function sessionsRepository(scope: Scope): Sessions {
  return {
    insert: (session) =>
      scope.write(async (db, touch) => {
        await db.insertInto("sessions").values(SESSION.toRow(session)).execute();
        await markSeen(db, session.lastSeenAt, session.userId);
        touch("sessions");
      }),

    find: (id) =>
      findOne(scope.read.selectFrom("sessions").selectAll().where("id", "=", id), SESSION.toRecord),

    touch: (id, lastSeenAt) =>
      scope.write(async (db) => {
        const row = await db
          .updateTable("sessions")
          .set({ last_seen_at: lastSeenAt })
          .where("id", "=", id)
          .returning("user_id")
          .executeTakeFirst();
        if (row) await markSeen(db, lastSeenAt, row.user_id);
      }),

    async listByUser(userId) {
      const rows = await scope.read
        .selectFrom("sessions")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("authenticated_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map((row) => SESSION.toRecord(row));
    },

    async delete(id) {
      const count = await deleteSessions(scope, (db) =>
        db.selectFrom("sessions").select("id").where("id", "=", id).execute(),
      );
      return count === 1;
    },

    deleteByUser: (userId, exceptId) =>
      deleteSessions(scope, (db) => {
        const select = db.selectFrom("sessions").select("id").where("user_id", "=", userId);
        return (exceptId === undefined ? select : select.where("id", "!=", exceptId)).execute();
      }),

    deleteExpired: (now, limit = Number.MAX_SAFE_INTEGER) =>
      deleteSessions(scope, (db) =>
        db.selectFrom("sessions").select("id").where("expires_at", "<=", now).limit(limit).execute(),
      ),
  };
}
