import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RejectionRecord, Store } from "../../../lib/ports/store";
import { insertKey, NOW, unique } from "../../support/factories";
import { concurrently, type NewTestDatabase, type TestDatabase } from "./test-database";

const MINUTE = 60_000;
const START = NOW - (NOW % MINUTE);

function rejection(fields: Partial<RejectionRecord> = {}): RejectionRecord {
  return {
    minute: START,
    keyId: "key_1",
    userId: "usr_1",
    model: "tts",
    error: "rate_limited",
    limit: "key_rpm",
    calls: 1,
    at: START + 5,
    requestId: unique("req"),
    status: 429,
    message: "This key is limited to 60 requests per minute.",
    retryAfterS: 12,
    address: "10.0.0.7",
    ...fields,
  };
}

export function rejectionsContract(newDatabase: NewTestDatabase): void {
  describe("rejected requests", () => {
    let database: TestDatabase;
    let stores: Store[];
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
      stores = [store, await database.open()];
    });
    afterAll(() => database.remove());

    const page = { limit: 50, cursor: null, q: null };

    test("adds up the counts of two instances in one row and keeps the latest example", async () => {
      const keyId = unique("key");
      await Promise.all(
        concurrently(20, (index) => {
          const fields = {
            keyId,
            calls: 3,
            at: START + index,
            requestId: `req_${index}`,
            retryAfterS: index,
          };
          return stores[index % 2]?.rejections.add([rejection(fields)]) ?? Promise.resolve(false);
        }),
      );
      const { items } = await store.rejections.list({ ...page, keyId });
      expect(items).toEqual([
        {
          ...rejection({ keyId, calls: 60, at: START + 19, requestId: "req_19", retryAfterS: 19 }),
          id: expect.stringMatching(/^rej_[\w-]{22}$/),
        },
      ]);
    });

    test("counts by minute, key, model, error and limit, including requests without a key", async () => {
      const userId = unique("usr");
      const none = { keyId: null, userId: null, model: null, limit: null, retryAfterS: null, address: null };
      const requestId = unique("same");
      const same = { requestId, userId };
      await store.rejections.add([
        rejection({ ...same, keyId: "key_a" }),
        rejection({ ...same, keyId: "key_b", calls: 2 }),
        rejection({ ...same, keyId: "key_a", model: "other", calls: 4 }),
        rejection({ ...same, keyId: "key_a", error: "forbidden", status: 403, limit: null, calls: 8 }),
        rejection({ ...same, keyId: "key_a", limit: "user_rpm", calls: 16 }),
        rejection({ ...same, keyId: "key_a", minute: START + MINUTE, at: START + MINUTE, calls: 32 }),
        rejection({ ...none, requestId, error: "unauthenticated", status: 401, calls: 64 }),
      ]);
      const count = (filter: object) => store.rejections.count({ requestId, ...filter });
      expect(await count({})).toBe(127);
      expect(await count({ userId })).toBe(63);
      expect(await count({ keyId: "key_a" })).toBe(61);
      expect(await count({ models: ["other", "x"] })).toBe(4);
      expect(await count({ outcome: { kind: "error", code: "forbidden" } })).toBe(8);
      expect(await count({ outcome: { kind: "status", status: 401 } })).toBe(64);
      // A range includes every minute that it touches as a whole.
      expect(await count({ from: START + MINUTE + 59_999 })).toBe(32);
      expect(await count({ to: START + MINUTE + 1 })).toBe(127);
      expect(await count({ to: START + MINUTE })).toBe(95);
      const withoutUser = await store.rejections.list({
        ...page,
        requestId,
        outcome: { kind: "status", status: 401 },
      });
      expect(withoutUser.items).toMatchObject([
        { keyId: null, userId: null, model: null, limit: null, address: null },
      ]);
    });

    test("lists the latest rejection first, in pages, and searches the message", async () => {
      const userId = unique("usr");
      const records = concurrently(5, (index) =>
        Promise.resolve(
          rejection({ userId, keyId: unique("key"), at: START + index, message: `Denied 100%_${index}` }),
        ),
      );
      await store.rejections.add(await Promise.all(records));
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const next = await store.rejections.list({ limit: 2, cursor, q: null, userId });
        seen.push(...next.items.map((one) => one.at - START));
        cursor = next.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual([4, 3, 2, 1, 0]);
      const found = await store.rejections.list({ ...page, userId, q: "100%_3" });
      expect(found.items.map((one) => one.at - START)).toEqual([3]);
      expect(await store.rejections.count({ userId, q: "100%_3" })).toBe(1);
    });

    test("searches the current name of the key", async () => {
      const { key, user } = await insertKey(store, { name: "Garden_gate" });
      await store.rejections.add([
        rejection({ keyId: key.id, userId: user.id }),
        rejection({ userId: user.id }),
      ]);
      const found = async (q: string) =>
        (await store.rejections.list({ ...page, userId: user.id, q })).items.map((one) => one.keyId);
      expect(await found("garden_GATE")).toEqual([key.id]);
      expect(await found("gardenXgate")).toEqual([]);
    });

    test("finds the latest rejection of each key", async () => {
      const [one, two] = [unique("key"), unique("key")];
      await store.rejections.add([
        rejection({ keyId: one, at: START + 1 }),
        rejection({ keyId: one, at: START + 9, error: "insufficient_quota", limit: "key_budget" }),
        rejection({ keyId: two, at: START + 4 }),
      ]);
      const latest = await store.rejections.latest([one, two, "key_none"]);
      expect([...latest.keys()].sort()).toEqual([one, two].sort());
      expect(latest.get(one)).toMatchObject({ at: START + 9, limit: "key_budget" });
    });

    test("removes rejections of old minutes, and the oldest above the row limit", async () => {
      const own = await newDatabase();
      const { rejections } = await own.open();
      const minutes = [0, 1, 2, 3, 4, 5].map((index) => START + index * MINUTE);
      await rejections.add(minutes.map((minute) => rejection({ minute, at: minute })));
      const left = async () =>
        (await rejections.list(page)).items.map((one) => (one.minute - START) / MINUTE).sort();
      expect(await rejections.sweep(START + 2 * MINUTE, 100, 1)).toBe(1);
      expect(await rejections.sweep(START + 2 * MINUTE, 100, 10)).toBe(1);
      expect(await left()).toEqual([2, 3, 4, 5]);
      expect(await rejections.sweep(0, 3, 10)).toBe(1);
      expect(await left()).toEqual([3, 4, 5]);
      expect(await rejections.sweep(0, 3, 10)).toBe(0);
      await own.remove();
    });
  });
}
