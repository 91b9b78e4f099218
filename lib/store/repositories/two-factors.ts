import { AppError } from "../../errors";
import { lockLeftMs } from "../../ports/lock-left";
import type { TwoFactors } from "../../ports/store";
import { TWO_FACTOR } from "../schema/accounts";
import type { Scope } from "../transactions";
import { countDeleted, findOne, hasUpdated } from "./statements";

/** The record from enrolment to removal. */
function enrolment(scope: Scope): Pick<TwoFactors, "find" | "putPending" | "enable" | "delete"> {
  return {
    find: (userId) =>
      findOne(
        scope.read.selectFrom("two_factors").selectAll().where("user_id", "=", userId),
        TWO_FACTOR.toRecord,
      ),

    putPending: (record) =>
      scope.write(async (db) => {
        const { user_id, ...rest } = TWO_FACTOR.toRow({ ...record, state: "pending" });
        const { numInsertedOrUpdatedRows } = await db
          .insertInto("two_factors")
          .values({ user_id, ...rest })
          .onConflict((conflict) =>
            conflict.column("user_id").doUpdateSet(rest).where("two_factors.state", "=", "pending"),
          )
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows !== 1n) {
          throw new AppError("conflict", "2FA is already enabled; disable it first.");
        }
      }),

    enable: (userId, enrolmentId, step) =>
      scope.write(async (db, touch) => {
        const isEnabled = await hasUpdated(
          db
            .updateTable("two_factors")
            .set({ state: "enabled", last_step: step, failures: 0, locks: 0, locked_until: null })
            .where("user_id", "=", userId)
            .where("enrolment_id", "=", enrolmentId)
            .where("state", "=", "pending"),
        );
        if (isEnabled) touch("users");
        return isEnabled;
      }),

    delete: (userId) =>
      scope.write(async (db, touch) => {
        await db.deleteFrom("backup_codes").where("user_id", "=", userId).execute();
        const isDeleted =
          (await countDeleted(db.deleteFrom("two_factors").where("user_id", "=", userId))) > 0;
        if (isDeleted) touch("users");
        return isDeleted;
      }),
  };
}

/** Codes that were used, and the lock after wrong ones. */
function attempts(scope: Scope): Pick<TwoFactors, "consumeStep" | "countAttempt" | "clearFailures"> {
  return {
    consumeStep: (userId, enrolmentId, step) =>
      scope.write((db) =>
        hasUpdated(
          db
            .updateTable("two_factors")
            .set({ last_step: step })
            .where("user_id", "=", userId)
            .where("enrolment_id", "=", enrolmentId)
            .where("state", "=", "enabled")
            .where("last_step", "<", step),
        ),
      ),

    countAttempt: (userId, now, rule) =>
      scope.write(async (db) => {
        const row = await db
          .selectFrom("two_factors")
          .select(["failures", "locks", "locked_until"])
          .where("user_id", "=", userId)
          .executeTakeFirst();
        if (!row) return { allowed: false, lockedUntil: null };
        if (lockLeftMs(row.locked_until, now, rule.maxMs) > 0) {
          return { allowed: false, lockedUntil: row.locked_until };
        }
        const isLast = row.failures + 1 >= rule.threshold;
        const lockedUntil = isLast ? now + Math.min(rule.baseMs * 2 ** row.locks, rule.maxMs) : null;
        await db
          .updateTable("two_factors")
          .set({
            failures: isLast ? 0 : row.failures + 1,
            locks: isLast ? row.locks + 1 : row.locks,
            locked_until: lockedUntil,
          })
          .where("user_id", "=", userId)
          .execute();
        return { allowed: true, lockedUntil };
      }),

    clearFailures: (userId) =>
      scope.write(async (db) => {
        await db
          .updateTable("two_factors")
          .set({ failures: 0, locks: 0, locked_until: null })
          .where("user_id", "=", userId)
          .execute();
      }),
  };
}

/** Encrypted secrets, for a rotation of the instance secret. */
function secrets(scope: Scope): Pick<TwoFactors, "listEncrypted" | "replaceEncryptedSecret"> {
  return {
    async listEncrypted(after, limit) {
      const rows = await scope.read
        .selectFrom("two_factors")
        .select(["user_id", "secret_sealed"])
        .where("user_id", ">", after)
        .orderBy("user_id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ userId: row.user_id, encryptedSecret: row.secret_sealed }));
    },

    replaceEncryptedSecret: (userId, before, after) =>
      scope.write((db) =>
        hasUpdated(
          db
            .updateTable("two_factors")
            .set({ secret_sealed: after })
            .where("user_id", "=", userId)
            .where("secret_sealed", "=", before),
        ),
      ),
  };
}

/** Backup codes, stored as digests. */
function backupCodes(
  scope: Scope,
): Pick<TwoFactors, "replaceBackupCodes" | "consumeBackupCode" | "countBackupCodes"> {
  return {
    replaceBackupCodes: (userId, digests) =>
      scope.write(async (db) => {
        await db.deleteFrom("backup_codes").where("user_id", "=", userId).execute();
        if (digests.length === 0) return;
        await db
          .insertInto("backup_codes")
          .values(digests.map((digest) => ({ user_id: userId, digest })))
          .execute();
      }),

    consumeBackupCode: (userId, digest) =>
      scope.write(async (db) => {
        const code = db.deleteFrom("backup_codes").where("user_id", "=", userId).where("digest", "=", digest);
        return (await countDeleted(code)) === 1;
      }),

    async countBackupCodes(userId) {
      const { count } = await scope.read
        .selectFrom("backup_codes")
        .select((select) => select.fn.countAll<number>().as("count"))
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

export function twoFactorsRepository(scope: Scope): TwoFactors {
  return { ...enrolment(scope), ...attempts(scope), ...secrets(scope), ...backupCodes(scope) };
}
