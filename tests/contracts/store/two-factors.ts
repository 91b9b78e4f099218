import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { NOW, twoFactorRecord, userRecord } from "../../support/factories";
import { concurrently, type NewTestDatabase, type TestDatabase } from "./test-database";

const RULE = { threshold: 5, baseMs: 1_000, maxMs: 3_000 };

export function twoFactorsContract(newDatabase: NewTestDatabase): void {
  describe("two-factor", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(() => database.remove());

    const enrolled = async (step = 100): Promise<{ userId: string; enrolmentId: string }> => {
      const user = userRecord();
      await store.users.insert(user);
      const { enrolmentId, ...rest } = twoFactorRecord(user.id);
      await store.twoFactors.putPending({ enrolmentId, ...rest });
      expect(await store.twoFactors.enable(user.id, enrolmentId, step)).toBe(true);
      return { userId: user.id, enrolmentId };
    };

    test("replaces a pending enrolment by the next, but not an enabled one", async () => {
      const user = userRecord();
      await store.users.insert(user);
      const first = twoFactorRecord(user.id);
      const second = twoFactorRecord(user.id, { encryptedSecret: "v1.00000000.bm9uY2U.b3RoZXI" });
      await store.twoFactors.putPending(first);
      await store.twoFactors.putPending(second);
      expect(await store.twoFactors.find(user.id)).toEqual(second);
      expect(await store.twoFactors.enable(user.id, first.enrolmentId, 7)).toBe(false);
      expect(await store.twoFactors.enable(user.id, second.enrolmentId, 7)).toBe(true);
      expect(await store.twoFactors.enable(user.id, second.enrolmentId, 8)).toBe(false);
      const enabled = { ...second, state: "enabled", lastStep: 7 };
      expect(await store.twoFactors.find(user.id)).toEqual(enabled);
      await expect(store.twoFactors.putPending(first)).rejects.toMatchObject({ code: "conflict" });
      expect(await store.twoFactors.find(user.id)).toEqual(enabled);
    });

    test("accepts one of 50 concurrent uses of a step, and no older step after it", async () => {
      const { userId, enrolmentId } = await enrolled(100);
      const taken = await Promise.all(
        concurrently(50, () => store.twoFactors.consumeStep(userId, enrolmentId, 101)),
      );
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await store.twoFactors.consumeStep(userId, enrolmentId, 100)).toBe(false);
      expect(await store.twoFactors.consumeStep(userId, enrolmentId, 101)).toBe(false);
      expect(await store.twoFactors.consumeStep(userId, "enr_other", 102)).toBe(false);
      expect(await store.twoFactors.consumeStep(userId, enrolmentId, 102)).toBe(true);
      expect((await store.twoFactors.find(userId))?.lastStep).toBe(102);
    });

    test("refuses a step of a pending enrolment", async () => {
      const user = userRecord();
      await store.users.insert(user);
      const pending = twoFactorRecord(user.id);
      await store.twoFactors.putPending(pending);
      expect(await store.twoFactors.consumeStep(user.id, pending.enrolmentId, 5)).toBe(false);
    });

    test("checks five of 50 concurrent attempts, then locks, each time twice as long up to the maximum", async () => {
      const { userId } = await enrolled();
      const waits: (number | null)[] = [];
      let now = NOW;
      for (let lock = 0; lock < 4; lock++) {
        const answers = await Promise.all(
          concurrently(50, () => store.twoFactors.countAttempt(userId, now, RULE)),
        );
        expect(answers.filter((answer) => answer.allowed)).toHaveLength(5);
        const lockedUntil = (await store.twoFactors.find(userId))?.lockedUntil ?? 0;
        expect(
          answers.filter((answer) => !answer.allowed).every((one) => one.lockedUntil === lockedUntil),
        ).toBe(true);
        waits.push(lockedUntil - now);
        now = lockedUntil;
      }
      expect(waits).toEqual([1_000, 2_000, 3_000, 3_000]);
    });

    test("ends a lock of a clock that was ahead and has been set back", async () => {
      const { userId } = await enrolled();
      const ahead = NOW + 86_400_000;
      for (let attempt = 0; attempt < 5; attempt++) await store.twoFactors.countAttempt(userId, ahead, RULE);
      expect((await store.twoFactors.countAttempt(userId, ahead, RULE)).allowed).toBe(false);
      expect((await store.twoFactors.countAttempt(userId, NOW, RULE)).allowed).toBe(true);
    });

    test("clears failures and locks after a success and does not count attempts of an unknown user", async () => {
      const { userId } = await enrolled();
      for (let attempt = 0; attempt < 5; attempt++) await store.twoFactors.countAttempt(userId, NOW, RULE);
      await store.twoFactors.clearFailures(userId);
      expect(await store.twoFactors.find(userId)).toMatchObject({ failures: 0, locks: 0, lockedUntil: null });
      expect(await store.twoFactors.countAttempt(userId, NOW, RULE)).toEqual({
        allowed: true,
        lockedUntil: null,
      });
      expect(await store.twoFactors.countAttempt("usr_nobody", NOW, RULE)).toEqual({
        allowed: false,
        lockedUntil: null,
      });
    });

    test("accepts a backup code once, from its owner", async () => {
      const { userId } = await enrolled();
      const other = await enrolled();
      await store.twoFactors.replaceBackupCodes(userId, ["old"]);
      await store.twoFactors.replaceBackupCodes(userId, ["a", "b", "c"]);
      expect(await store.twoFactors.countBackupCodes(userId)).toBe(3);
      expect(await store.twoFactors.consumeBackupCode(userId, "old")).toBe(false);
      expect(await store.twoFactors.consumeBackupCode(other.userId, "a")).toBe(false);
      const taken = await Promise.all(
        concurrently(50, () => store.twoFactors.consumeBackupCode(userId, "a")),
      );
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await store.twoFactors.countBackupCodes(userId)).toBe(2);
      await store.twoFactors.replaceBackupCodes(userId, []);
      expect(await store.twoFactors.countBackupCodes(userId)).toBe(0);
    });

    test("pages through all encrypted secrets and replaces one only when it is unchanged", async () => {
      const own = await newDatabase();
      const rotating = await own.open();
      const ids = ["usr_b", "usr_A", "usr_a", "usr_ä", "usr_Z"];
      for (const id of ids) {
        await rotating.users.insert(userRecord({ id }));
        await rotating.twoFactors.putPending(twoFactorRecord(id, { encryptedSecret: `secret ${id}` }));
      }
      const seen: string[] = [];
      for (let after = ""; ; ) {
        const some = await rotating.twoFactors.listEncrypted(after, 2);
        seen.push(...some.map((one) => `${one.userId}: ${one.encryptedSecret}`));
        const last = some.at(-1);
        if (!last) break;
        after = last.userId;
      }
      expect(seen.sort()).toEqual(ids.map((id) => `${id}: secret ${id}`).sort());
      expect(await rotating.twoFactors.replaceEncryptedSecret("usr_a", "secret usr_a", "new")).toBe(true);
      expect(await rotating.twoFactors.replaceEncryptedSecret("usr_a", "secret usr_a", "late")).toBe(false);
      expect((await rotating.twoFactors.find("usr_a"))?.encryptedSecret).toBe("new");
      expect((await rotating.twoFactors.find("usr_A"))?.encryptedSecret).toBe("secret usr_A");
      await own.remove();
    });

    test("deletes the backup codes when 2FA is disabled", async () => {
      const { userId } = await enrolled();
      await store.twoFactors.replaceBackupCodes(userId, ["a"]);
      expect(await store.twoFactors.delete(userId)).toBe(true);
      expect(await store.twoFactors.delete(userId)).toBe(false);
      expect(await store.twoFactors.find(userId)).toBeNull();
      expect(await store.twoFactors.countBackupCodes(userId)).toBe(0);
    });
  });
}
