import type { SignInThrottles } from "../../ports/store";
import type { Scope } from "../transactions";

/** More doublings would exceed any `maxMs`, and the safe integers. */
const MAX_DOUBLINGS = 40;

export function signInThrottlesRepository(scope: Scope): SignInThrottles {
  return {
    async find(nameDigest) {
      const row = await scope.read
        .selectFrom("login_throttles")
        .select(["failures", "delayed_until"])
        .where("name_digest", "=", nameDigest)
        .executeTakeFirst();
      return row ? { failures: row.failures, delayedUntil: row.delayed_until } : null;
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

    deleteOlderThan: (at) =>
      scope.write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("login_throttles")
          .where("updated_at", "<", at)
          .executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      }),
  };
}
