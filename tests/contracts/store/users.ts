import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireFreeNames } from "../../../lib/console/users/new-user";
import type { Store, UserRecord } from "../../../lib/ports/store";
import {
  flowRecord,
  keyRecord,
  NOW,
  PERIOD,
  sessionRecord,
  twoFactorRecord,
  unique,
  usageRecord,
  userRecord,
} from "../../support/factories";
import { concurrently, type NewTestDatabase, outcomesOf, type TestDatabase } from "./test-database";

const ALL = { limit: 100, cursor: null, q: null };

export function usersContract(newDatabase: NewTestDatabase): void {
  describe("users", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(() => database.remove());

    const insert = async (fields: Partial<UserRecord> = {}): Promise<UserRecord> => {
      const user = userRecord(fields);
      await store.users.insert(user);
      return user;
    };

    test("returns a user unchanged, by ID, name and e-mail address", async () => {
      const user = await insert({
        email: "Ada@Example.org",
        emailKey: "ada@example.org",
        role: "admin",
        enabled: false,
        locale: "zh",
        rpm: 1,
        tpm: 2,
        concurrency: 3,
        budget: { totalNano: 2 ** 53 - 1, dailyNano: 0, monthlyNano: null },
      });
      expect(await store.users.findById(user.id)).toEqual(user);
      expect(await store.users.findByNameOrEmail(user.usernameKey)).toEqual(user);
      expect(await store.users.findByNameOrEmail("ada@example.org")).toEqual(user);
      expect(await store.users.findById("usr_nobody")).toBeNull();
      expect(await store.users.findByNameOrEmail("nobody")).toBeNull();
    });

    test("prefers the user name when it equals another user's address", async () => {
      const address = `${unique("address")}@example.org`;
      await insert({ email: address, emailKey: address });
      const named = await insert({ usernameKey: address });
      expect((await store.users.findByNameOrEmail(address))?.id).toBe(named.id);
    });

    test("accepts one of concurrent users in two instances whose name equals another's address", async () => {
      const stores = [store, await database.open()];
      for (let round = 0; round < 5; round++) {
        const login = `${unique("both")}@example.org`;
        const added = concurrently(12, async (index) => {
          const user = userRecord(
            index % 2 === 0 ? { usernameKey: login } : { email: login, emailKey: login },
          );
          const keys = { username: user.usernameKey, email: user.emailKey };
          await stores[index % 2]?.transaction(async (tx) => {
            await requireFreeNames(tx, keys, null);
            await tx.users.insert(user);
          });
        });
        const { values, codes } = await outcomesOf(added);
        expect([values.length, codes]).toEqual([1, Array(11).fill("conflict")]);
        const { items } = await store.users.list(ALL);
        expect(items.filter((one) => [one.usernameKey, one.emailKey].includes(login))).toHaveLength(1);
      }
    });

    test("refuses a taken name or address", async () => {
      const user = await insert({ email: "taken@example.org", emailKey: "taken@example.org" });
      const sameName = userRecord({ usernameKey: user.usernameKey });
      await expect(store.users.insert(sameName)).rejects.toMatchObject({ code: "conflict" });
      const sameAddress = userRecord({ email: "taken@example.org", emailKey: "taken@example.org" });
      await expect(store.users.insert(sameAddress)).rejects.toMatchObject({ code: "conflict" });
      const other = await insert();
      await expect(
        store.users.update({ id: other.id, version: 1 }, { usernameKey: user.usernameKey }),
      ).rejects.toMatchObject({ code: "conflict" });
      expect(await store.users.findById(other.id)).toEqual(other);
    });

    test("changes the named fields and raises the version; a stale patch changes nothing", async () => {
      const user = await insert({ displayName: "Before", locale: "en" });
      const patched = await store.users.update(
        { id: user.id, version: 1 },
        { displayName: "After", locale: null },
      );
      expect(patched).toEqual({ ...user, displayName: "After", locale: null, version: 2 });
      expect(await store.users.update({ id: user.id, version: 1 }, { displayName: "Late" })).toBeNull();
      expect(await store.users.update({ id: "usr_nobody", version: 1 }, { displayName: "Late" })).toBeNull();
      expect(await store.users.findById(user.id)).toEqual(patched);
    });

    test("accepts one of ten patches of one version", async () => {
      const user = await insert();
      const { values } = await outcomesOf(
        concurrently(10, (index) =>
          store.users.update({ id: user.id, version: 1 }, { displayName: `No. ${index}` }),
        ),
      );
      expect(values.filter((value) => value !== null)).toHaveLength(1);
      expect((await store.users.findById(user.id))?.version).toBe(2);
    });

    test("pages from the newest to the oldest without gaps or duplicates, also among equal ages", async () => {
      const paged = await newDatabase();
      const own = await paged.open();
      // IDs that are sorted differently by bytes and by the rules of a language.
      const ids = ["a", "B", "ä", "_", "Z", "-", "é", "0", "aa", "AB", "ß", "z"];
      for (const [index, id] of ids.entries()) {
        await own.users.insert(userRecord({ id, createdAt: NOW - Math.floor(index / 4) }));
      }
      const seen: UserRecord[] = [];
      let cursor: string | null = null;
      do {
        const page = await own.users.list({ limit: 5, cursor, q: null });
        expect(page.items.length).toBeLessThanOrEqual(5);
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen.map((user) => user.id).sort()).toEqual([...ids].sort());
      expect(seen.map((user) => user.createdAt)).toEqual(
        [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2].map((age) => NOW - age),
      );
      await paged.remove();
    });

    test("has no page after a full last one, and refuses a foreign cursor", async () => {
      const { items } = await store.users.list(ALL);
      expect((await store.users.list({ ...ALL, limit: items.length })).nextCursor).toBeNull();
      const encoded = ['["a","b"]', "[1,2]"].map((text) => Buffer.from(text).toString("base64url"));
      for (const cursor of ["x", "", "WzFd", ...encoded]) {
        await expect(store.users.list({ ...ALL, cursor })).rejects.toMatchObject({ code: "invalid" });
      }
    });

    test.each([
      ["%_%", ["odd 100%_% odd"]],
      ["100%", ["odd 100%_% odd"]],
      ["__", ["odd a__b odd"]],
      ["c\\d", ["odd c\\d odd"]],
      ["\\%", []],
      ["ODD A_", ["odd a__b odd"]],
      ["' or ''='", []],
    ])("searches for %s literally", async (q, found) => {
      for (const displayName of ["odd 100%_% odd", "odd a__b odd", "odd c\\d odd", "odd axxb odd"]) {
        const id = `usr_${Buffer.from(displayName).toString("hex")}`;
        if ((await store.users.findById(id)) === null) await insert({ id, displayName });
      }
      const { items } = await store.users.list({ ...ALL, q });
      expect(items.map((user) => user.displayName)).toEqual(found);
    });

    test("refuses a search of one character, but not of two wide characters", async () => {
      await expect(store.users.list({ ...ALL, q: "a" })).rejects.toMatchObject({ code: "invalid" });
      await expect(store.users.list({ ...ALL, q: "😀" })).rejects.toMatchObject({ code: "invalid" });
      const user = await insert({ displayName: "语音 路由" });
      expect((await store.users.list({ ...ALL, q: "语音" })).items).toEqual([user]);
    });

    test("finds many users by their IDs, and leaves out unknown ones", async () => {
      const [a, b] = [await insert(), await insert()];
      const found = await store.users.findMany([a.id, "usr_nobody", b.id]);
      expect([...found].sort()).toEqual([
        [a.id, a],
        [b.id, b],
      ]);
      expect(await store.users.findMany([])).toEqual(new Map());
    });

    test("reports 2FA, lock, last use and spending, and nothing for an unknown user", async () => {
      const [quiet, busy] = [await insert(), await insert()];
      const factor = twoFactorRecord(busy.id);
      await store.twoFactors.putPending(factor);
      await store.twoFactors.enable(busy.id, factor.enrolmentId, 1);
      await store.twoFactors.countAttempt(busy.id, NOW, { threshold: 1, baseMs: 7, maxMs: 7 });
      const session = sessionRecord(busy.id, { lastSeenAt: NOW - 50 });
      await store.sessions.insert(session);
      await store.sessions.touch(session.id, NOW + 50);
      await store.sessions.insert(sessionRecord(busy.id, { lastSeenAt: NOW + 20 }));
      await store.sessions.deleteByUser(busy.id);
      const row = usageRecord("key_any", busy.id, { costNano: 40, state: "settled" });
      await store.ledger.settle(row, PERIOD);
      const nothing = { totalNano: 0, dailyNano: 0, monthlyNano: 0 };
      const statuses = await store.users.statuses([quiet.id, busy.id, "usr_nobody"], NOW);
      expect(Object.fromEntries(statuses)).toEqual({
        [quiet.id]: { hasTwoFactor: false, lockedUntil: null, lastSeenAt: null, spent: nothing },
        [busy.id]: {
          hasTwoFactor: true,
          lockedUntil: NOW + 7,
          lastSeenAt: NOW + 50,
          spent: { totalNano: 40, dailyNano: 40, monthlyNano: 40 },
        },
      });
      expect(await store.users.statuses([], NOW)).toEqual(new Map());
    });

    test("deletes everything of a user with the user", async () => {
      const user = await insert();
      const session = sessionRecord(user.id);
      const flow = flowRecord(user.id);
      const key = keyRecord(user.id);
      await store.sessions.insert(session);
      await store.flows.insert(flow);
      await store.keys.insert(key);
      await store.twoFactors.putPending(twoFactorRecord(user.id));
      await store.twoFactors.replaceBackupCodes(user.id, ["one", "two"]);
      expect(await store.users.delete(user.id)).toBe(true);
      expect(await store.users.delete(user.id)).toBe(false);
      expect(await store.users.findById(user.id)).toBeNull();
      expect(await store.sessions.find(session.id)).toBeNull();
      expect(await store.flows.find(flow.digest)).toBeNull();
      expect(await store.keys.findById(key.id)).toBeNull();
      expect(await store.twoFactors.find(user.id)).toBeNull();
      expect(await store.twoFactors.countBackupCodes(user.id)).toBe(0);
    });
  });
}
