import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KeyRecord, Store } from "../../../lib/ports/store";
import {
  insertKey,
  keyRecord,
  NO_BUDGET,
  NOW,
  PERIOD,
  sessionRecord,
  usageRecord,
  userRecord,
} from "../../support/factories";
import type { NewTestDatabase, TestDatabase } from "./test-database";

const ALL = { limit: 100, cursor: null, q: null, ownerId: null };

export function keysContract(newDatabase: NewTestDatabase): void {
  describe("API keys", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(() => database.remove());

    test("refuses a key whose owner or session was deleted meanwhile", async () => {
      const owner = userRecord();
      await expect(store.keys.insert(keyRecord(owner.id))).rejects.toMatchObject({ code: "not_found" });
      await store.users.insert(owner);
      const session = sessionRecord(owner.id);
      await store.sessions.insert(session);
      await store.sessions.delete(session.id);
      const key = keyRecord(owner.id, { kind: "playground", sessionId: session.id });
      const inserted = store.transaction((tx) => tx.keys.insert(key));
      await expect(inserted).rejects.toMatchObject({ code: "not_found" });
    });

    test("returns a key unchanged, by its digest with its owner's state", async () => {
      const owner = userRecord({
        role: "owner",
        enabled: false,
        rpm: 7,
        tpm: 8,
        concurrency: 9,
        budget: { totalNano: 1, dailyNano: 2, monthlyNano: 3 },
      });
      await store.users.insert(owner);
      const key = keyRecord(owner.id, {
        enabled: false,
        expiresAt: NOW + 1,
        lastUsedAt: NOW,
        operations: ["manage"],
        allowedModels: ["a", 'b"c'],
        allowedAddresses: ["10.0.0.0/8", "::1"],
        rpm: 1,
        tpm: 2,
        concurrency: 3,
        budget: { totalNano: 4, dailyNano: null, monthlyNano: 6 },
        limitsSetBy: { rpm: "admin", "budget.total_usd": "owner" },
      });
      await store.keys.insert(key);
      expect(await store.keys.findById(key.id)).toEqual(key);
      expect(await store.keys.findByDigest(key.digest)).toEqual({
        key,
        owner: {
          id: owner.id,
          role: "owner",
          enabled: false,
          rpm: 7,
          tpm: 8,
          concurrency: 9,
          budget: owner.budget,
        },
      });
      expect(await store.keys.findByDigest("nothing")).toBeNull();
    });

    test("refuses a second key with the same digest", async () => {
      const { user, key } = await insertKey(store);
      const twin = keyRecord(user.id, { digest: key.digest });
      await expect(store.keys.insert(twin)).rejects.toMatchObject({ code: "conflict" });
      expect(await store.keys.findById(twin.id)).toBeNull();
    });

    test("lists the API keys of one owner or of all, newest first", async () => {
      const { user, key: oldest } = await insertKey(store, { createdAt: NOW - 10 });
      const session = sessionRecord(user.id);
      await store.sessions.insert(session);
      await store.keys.insert(keyRecord(user.id, { kind: "playground", sessionId: session.id }));
      const newest = keyRecord(user.id, { createdAt: NOW + 10, name: "The_newest" });
      await store.keys.insert(newest);
      await insertKey(store);
      const own = { ...ALL, ownerId: user.id };
      expect((await store.keys.list(own)).items).toEqual([newest, oldest]);
      const first = await store.keys.list({ ...own, limit: 1 });
      expect(first.items).toEqual([newest]);
      expect(await store.keys.list({ ...own, limit: 1, cursor: first.nextCursor })).toEqual({
        items: [oldest],
        nextCursor: null,
      });
      expect((await store.keys.list({ ...own, q: "e_n" })).items).toEqual([newest]);
      const all = (await store.keys.list(ALL)).items;
      expect(new Set(all.map((one) => one.ownerId)).size).toBeGreaterThan(1);
      expect(all.every((one) => one.kind === "api")).toBe(true);
    });

    test("counts an owner's unexpired keys, enabled or not, without playground keys", async () => {
      const { user } = await insertKey(store, { enabled: false });
      await insertKey(store);
      const session = sessionRecord(user.id);
      await store.sessions.insert(session);
      await store.keys.insert(keyRecord(user.id, { kind: "playground", sessionId: session.id }));
      await store.keys.insert(keyRecord(user.id, { expiresAt: NOW }));
      await store.keys.insert(keyRecord(user.id, { expiresAt: NOW + 1 }));
      expect(await store.keys.countUnexpired(user.id, NOW)).toBe(2);
      expect(await store.keys.countUnexpired(user.id, NOW + 1)).toBe(1);
      expect(await store.keys.countUnexpired("usr_nobody", NOW)).toBe(0);
    });

    test("applies a patch of the current version and notifies listeners", async () => {
      const { key } = await insertKey(store);
      const notified: string[] = [];
      const stop = store.onChange((topics) => notified.push(...topics));
      const patch: Partial<KeyRecord> = {
        enabled: false,
        budget: { totalNano: 9, dailyNano: 8, monthlyNano: 7 },
        limitsSetBy: { enabled: "admin" },
      };
      const patched = await store.keys.update({ id: key.id, version: 1 }, patch);
      expect(patched).toEqual({ ...key, ...patch, version: 2 });
      expect(await store.keys.update({ id: key.id, version: 1 }, { enabled: true })).toBeNull();
      expect(await store.keys.delete(key.id)).toBe(true);
      expect(await store.keys.delete(key.id)).toBe(false);
      stop();
      expect(notified).toEqual(["keys", "keys"]);
    });

    test("records last use in batches, never moves it back, and notifies no listener", async () => {
      const { user, key: first } = await insertKey(store);
      const keys = [first, ...Array.from({ length: 700 }, () => keyRecord(user.id))];
      await store.transaction(async (tx) => {
        for (const key of keys.slice(1)) await tx.keys.insert(key);
      });
      const notified: string[] = [];
      const stop = store.onChange((topics) => notified.push(...topics));
      await store.keys.touchLastUsed(new Map(keys.map((key, index) => [key.id, NOW + index])));
      await store.keys.touchLastUsed(
        new Map([
          [keys[5]?.id ?? "", NOW],
          [keys[6]?.id ?? "", NOW + 10_000],
          ["key_nobody", NOW],
        ]),
      );
      await store.keys.touchLastUsed(new Map());
      stop();
      const at = async (index: number) => (await store.keys.findById(keys[index]?.id ?? ""))?.lastUsedAt;
      expect([await at(0), await at(5), await at(6), await at(700)]).toEqual([
        NOW,
        NOW + 5,
        NOW + 10_000,
        NOW + 700,
      ]);
      expect(notified).toEqual([]);
    });

    test("removes expired playground keys and keeps API keys", async () => {
      const { user, key: api } = await insertKey(store, { expiresAt: NOW - 1 });
      const session = sessionRecord(user.id);
      await store.sessions.insert(session);
      const playground = { kind: "playground", sessionId: session.id } as const;
      const old = keyRecord(user.id, { ...playground, expiresAt: NOW });
      const live = keyRecord(user.id, { ...playground, expiresAt: NOW + 1 });
      const older = keyRecord(user.id, { ...playground, expiresAt: NOW - 1 });
      for (const one of [old, older, live]) await store.keys.insert(one);
      expect(await store.keys.deleteExpiredPlayground(NOW, 1)).toBe(1);
      expect(await store.keys.deleteExpiredPlayground(NOW)).toBe(1);
      expect(await store.keys.findById(older.id)).toBeNull();
      expect(await store.keys.findById(old.id)).toBeNull();
      expect(await store.keys.findById(live.id)).toEqual(live);
      expect(await store.keys.findById(api.id)).toEqual(api);
    });

    test("copies what a key has spent to a new key, without reservations and past periods", async () => {
      const { user, key: old } = await insertKey(store);
      const fresh = keyRecord(user.id);
      await store.keys.insert(fresh);
      const spend = async (costNano: number, periods: typeof PERIOD) => {
        const row = usageRecord(old.id, user.id, { reservedNano: costNano, costNano });
        await store.ledger.reserve({ row, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...periods });
        return () => store.ledger.settle(row, periods);
      };
      await (await spend(3, { day: "2020-01-31", month: "2020-01" }))();
      await (await spend(4, PERIOD))();
      const settleLast = await spend(50, PERIOD);
      await store.transaction((tx) => tx.keys.copySpent([old.id], fresh.id, NOW));
      expect(await store.keys.spent(fresh.id, NOW)).toEqual({ totalNano: 7, dailyNano: 4, monthlyNano: 4 });
      expect(await store.keys.spent(old.id, NOW)).toEqual({ totalNano: 57, dailyNano: 54, monthlyNano: 54 });
      expect(await store.keys.spent(fresh.id, Date.UTC(2020, 0, 31))).toMatchObject({ dailyNano: 0 });
      await settleLast();
      expect((await store.keys.spent(fresh.id, NOW)).totalNano).toBe(7);
      await store.keys.copySpent(["key_nobody"], keyRecord(user.id).id, NOW);
    });

    test("copies the greatest amount that several keys have spent in each period, also of deleted keys", async () => {
      const { user, key: old } = await insertKey(store);
      const [deleted, fresh] = [keyRecord(user.id), keyRecord(user.id)];
      for (const key of [deleted, fresh]) await store.keys.insert(key);
      const spend = async (keyId: string, costNano: number, periods: typeof PERIOD) => {
        const row = usageRecord(keyId, user.id, { reservedNano: costNano, costNano });
        await store.ledger.reserve({ row, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...periods });
        await store.ledger.settle(row, periods);
      };
      await spend(old.id, 100, { day: "2020-01-31", month: "2020-01" });
      await spend(old.id, 4, PERIOD);
      await spend(deleted.id, 9, PERIOD);
      await store.keys.delete(deleted.id);
      await store.keys.copySpent([old.id, deleted.id], fresh.id, NOW);
      expect(await store.keys.spent(fresh.id, NOW)).toEqual({ totalNano: 104, dailyNano: 9, monthlyNano: 9 });
    });

    test("reports no spending for a key without calls", async () => {
      const nothing = { totalNano: 0, dailyNano: 0, monthlyNano: 0 };
      expect(await store.keys.spent("key_nobody", NOW)).toEqual(nothing);
    });
  });
}
