import type { Flows, SignInThrottles } from "../../ports/store";
import { FLOW } from "../schema/accounts";
import type { Scope } from "../transactions";
import { countDeleted, findOne } from "./statements";

export function flowsRepository(scope: Scope): Flows {
  return {
    insert: (flow) =>
      scope.write(async (db) => {
        // The column separates these flows from another kind that older versions stored here.
        await db
          .insertInto("flows")
          .values({ ...FLOW.toRow(flow), kind: "second-step" })
          .execute();
      }),

    find: (digest) =>
      findOne(scope.read.selectFrom("flows").selectAll().where("digest", "=", digest), FLOW.toRecord),

    takeAttempt: (digest, now) =>
      scope.write((db) => {
        const taken = db
          .updateTable("flows")
          .set((column) => ({ attempts_left: column("attempts_left", "-", 1) }))
          .where("digest", "=", digest)
          .where("expires_at", ">", now)
          .where("attempts_left", ">", 0);
        return findOne(taken.returningAll(), FLOW.toRecord);
      }),

    // The attempt that was just counted may still succeed, so consuming accepts a flow without attempts left.
    consume: (digest, now) =>
      scope.write((db) => {
        const consumed = db.deleteFrom("flows").where("digest", "=", digest).where("expires_at", ">", now);
        return findOne(consumed.returningAll(), FLOW.toRecord);
      }),

    deleteByUser: (userId) =>
      scope.write(async (db) => {
        await db.deleteFrom("flows").where("user_id", "=", userId).execute();
      }),

    deleteExpired: (now) =>
      scope.write((db) => countDeleted(db.deleteFrom("flows").where("expires_at", "<=", now))),
  };
}

/** More doublings would exceed any `maxMs`, and the safe integers. */
const MAX_DOUBLINGS = 40;

export function signInThrottlesRepository(scope: Scope): SignInThrottles {
  return {
    async find(nameDigest) {
      const row = await scope.read
        .selectFrom("login_throttles")
        .select(["failures", "delayed_until as delayedUntil"])
        .where("name_digest", "=", nameDigest)
        .executeTakeFirst();
      return row ?? null;
    },

    async delayed(nameDigests, now) {
      if (nameDigests.length === 0) return new Map();
      const rows = await scope.read
        .selectFrom("login_throttles")
        .select(["name_digest", "delayed_until"])
        .where("name_digest", "in", nameDigests)
        .where("delayed_until", ">", now)
        .execute();
      return new Map(rows.map((row) => [row.name_digest, row.delayed_until ?? now]));
    },

    fail: (nameDigest, now, rule) =>
      scope.write(async (db) => {
        const before = await db
          .selectFrom("login_throttles")
          .select("failures")
          .where("name_digest", "=", nameDigest)
          .executeTakeFirst();
        const failures = (before?.failures ?? 0) + 1;
        const doublings = Math.min(failures - rule.threshold, MAX_DOUBLINGS);
        const delayedUntil = doublings < 0 ? null : now + Math.min(rule.baseMs * 2 ** doublings, rule.maxMs);
        const values = { failures, delayed_until: delayedUntil, updated_at: now };
        await db
          .insertInto("login_throttles")
          .values({ name_digest: nameDigest, ...values })
          .onConflict((conflict) => conflict.column("name_digest").doUpdateSet(values))
          .execute();
        return { failures, delayedUntil };
      }),

    clear: (nameDigest) =>
      scope.write(async (db) => {
        await db.deleteFrom("login_throttles").where("name_digest", "=", nameDigest).execute();
      }),

    deleteUnchanged: (now, retentionMs) =>
      scope.write((db) =>
        countDeleted(
          db
            .deleteFrom("login_throttles")
            .where((where) =>
              where.or([
                where("updated_at", "<", now - retentionMs),
                where("updated_at", ">", now + retentionMs),
              ]),
            ),
        ),
      ),
  };
}
