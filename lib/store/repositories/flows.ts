import type { FlowRecord, Flows } from "../../ports/store";
import type { FlowTable } from "../schema";
import type { Scope } from "../transactions";

function columns(flow: FlowRecord): FlowTable {
  return {
    digest: flow.digest,
    // Older versions stored another kind of flow here.
    kind: "second-step",
    user_id: flow.userId,
    password_version: flow.passwordVersion,
    enrolment_id: flow.enrolmentId,
    attempts_left: flow.attemptsLeft,
    expires_at: flow.expiresAt,
  };
}

function toFlow(row: FlowTable): FlowRecord {
  return {
    digest: row.digest,
    userId: row.user_id,
    passwordVersion: row.password_version,
    enrolmentId: row.enrolment_id,
    attemptsLeft: row.attempts_left,
    expiresAt: row.expires_at,
  };
}

export function flowsRepository(scope: Scope): Flows {
  return {
    insert: (flow) =>
      scope.write(async (db) => {
        await db.insertInto("flows").values(columns(flow)).execute();
      }),

    async find(digest) {
      const row = await scope.read
        .selectFrom("flows")
        .selectAll()
        .where("digest", "=", digest)
        .executeTakeFirst();
      return row ? toFlow(row) : null;
    },

    takeAttempt: (digest, now) =>
      scope.write(async (db) => {
        const row = await db
          .updateTable("flows")
          .set((column) => ({ attempts_left: column("attempts_left", "-", 1) }))
          .where("digest", "=", digest)
          .where("expires_at", ">", now)
          .where("attempts_left", ">", 0)
          .returningAll()
          .executeTakeFirst();
        return row ? toFlow(row) : null;
      }),

    // The attempt that was just counted may still succeed, so consuming accepts a flow without attempts left.
    consume: (digest, now) =>
      scope.write(async (db) => {
        const row = await db
          .deleteFrom("flows")
          .where("digest", "=", digest)
          .where("expires_at", ">", now)
          .returningAll()
          .executeTakeFirst();
        return row ? toFlow(row) : null;
      }),

    deleteByUser: (userId) =>
      scope.write(async (db) => {
        await db.deleteFrom("flows").where("user_id", "=", userId).execute();
      }),

    deleteExpired: (now) =>
      scope.write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("flows")
          .where("expires_at", "<=", now)
          .executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      }),
  };
}
