import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { auditEntry, NOW, userRecord } from "../../support/factories";
import { concurrently, type NewTestDatabase, outcomesOf, type TestDatabase } from "./test-database";

export function setupContract(newDatabase: NewTestDatabase): void {
  describe("initial setup", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(() => database.remove());

    test("lets one of 50 concurrent setups win and leaves one owner and one audit row", async () => {
      expect(await store.setup.isSetUp()).toBe(false);
      const setups = concurrently(50, () =>
        store.transaction(async (tx) => {
          const owner = userRecord({ role: "owner" });
          await tx.setup.recordOwner({ setUpAt: NOW, ownerId: owner.id });
          await tx.users.insert(owner);
          await tx.audit.append(auditEntry({ action: "setup.claim", target: owner.id }));
          return owner.id;
        }),
      );
      const { values, codes } = await outcomesOf(setups);
      expect(values).toHaveLength(1);
      expect(codes).toEqual(Array(49).fill("conflict"));
      expect(await database.raw("select id, role from users")).toEqual([[values[0], "owner"]]);
      expect(await database.raw("select target from audit")).toEqual([[values[0]]]);
      expect(await store.setup.isSetUp()).toBe(true);
    });

    test("stays closed when the singleton row is lost but an administrator exists", async () => {
      await database.raw("delete from setup");
      expect(await store.setup.isSetUp()).toBe(true);
      await database.raw("update users set role = 'member'");
      expect(await store.setup.isSetUp()).toBe(false);
    });
  });

  test("lets one of two instances win a concurrent setup", async () => {
    const database = await newDatabase();
    const stores = [await database.open(), await database.open()];
    const { values, codes } = await outcomesOf(
      concurrently(20, async (index) => {
        const owner = { setUpAt: NOW, ownerId: `usr_${index}` };
        await stores[index % 2]?.transaction((tx) => tx.setup.recordOwner(owner));
      }),
    );
    expect(values).toHaveLength(1);
    expect(codes).toEqual(Array(19).fill("conflict"));
    await database.remove();
  });
}
