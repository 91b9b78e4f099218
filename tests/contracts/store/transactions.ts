import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { auditEntry, keyRecord, userRecord } from "../../support/factories";
import { concurrently, type NewTestDatabase, outcomesOf, type TestDatabase } from "./test-database";

export function transactionsContract(newDatabase: NewTestDatabase): void {
  describe("transactions", () => {
    let database: TestDatabase;
    let stores: Store[];
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
      stores = [store, await database.open()];
    });
    afterAll(() => database.remove());

    const increment = (on: Store, name: string): Promise<void> =>
      on.transaction(async (tx) => {
        const { [name]: value } = await tx.settings.all();
        await tx.settings.put(name, Number(value ?? 0) + 1);
      });

    test("read and write without losing concurrent changes, in one instance and in two", async () => {
      await Promise.all(concurrently(60, () => increment(store, "one")));
      await Promise.all(concurrently(60, (index) => increment(stores[index % 2] ?? store, "two")));
      expect(await store.settings.all()).toEqual({ one: 60, two: 60 });
    });

    test("find the audit rows that concurrent transactions have appended", async () => {
      const entry = auditEntry({ action: "key.rotate", target: "key_once" });
      const query = { limit: 1, cursor: null, q: null, target: entry.target };
      const appendOnce = (on: Store): Promise<boolean> =>
        on.transaction(async (tx) => {
          if ((await tx.audit.list(query)).items.length > 0) return false;
          await tx.audit.append(entry);
          return true;
        });
      const done = await Promise.all(concurrently(20, (index) => appendOnce(stores[index % 2] ?? store)));
      expect(done.filter((hasAppended) => hasAppended)).toHaveLength(1);
    });

    test("see their own writes, which others see only after the commit", async () => {
      const user = userRecord();
      const key = keyRecord(user.id);
      await store.transaction(async (tx) => {
        await tx.users.insert(user);
        await tx.keys.insert(key);
        expect(await tx.users.findById(user.id)).toEqual(user);
        expect((await tx.keys.list({ limit: 9, cursor: null, q: null, ownerId: user.id })).items).toEqual([
          key,
        ]);
        expect(await store.users.findById(user.id)).toBeNull();
        expect(await stores[1]?.users.findById(user.id)).toBeNull();
      });
      expect(await store.users.findById(user.id)).toEqual(user);
      expect(await stores[1]?.users.findById(user.id)).toEqual(user);
    });

    test("leave nothing behind when they fail, and block no later write", async () => {
      const user = userRecord();
      const failing = concurrently(5, () =>
        store.transaction(async (tx) => {
          await tx.users.insert(user);
          await tx.users.insert(user);
        }),
      );
      const { codes } = await outcomesOf(failing);
      expect(codes).toEqual(Array(5).fill("conflict"));
      expect(await store.users.findById(user.id)).toBeNull();
      await increment(store, "after");
      expect((await store.settings.all()).after).toBe(1);
    });

    test("return the result of their work", async () => {
      expect(await store.transaction(async () => ({ kind: "answer", value: 42 }))).toEqual({
        kind: "answer",
        value: 42,
      });
    });
  });

  test("answers a ping", async () => {
    const database = await newDatabase();
    const store = await database.open();
    await expect(store.ping()).resolves.toBeUndefined();
    await database.remove();
  });

  test("reports storage_unavailable after close, and may be closed again", async () => {
    const database = await newDatabase();
    const store = await database.open();
    await store.close();
    await store.close();
    await expect(store.settings.put("a", 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(store.setup.isSetUp()).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(store.ledger.heartbeat(1)).rejects.toMatchObject({ code: "storage_unavailable" });
    await database.remove();
  });
}
