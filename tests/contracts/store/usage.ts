import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store, UsageFilter, UsageRecord, UsageSummaryQuery } from "../../../lib/ports/store";
import { type NewPlace, NOW, type Place } from "./place";
import { insertKey, PERIOD, usageRecord } from "./records";

const HOUR = 3_600_000;

/** What is asked of usage rows besides keeping them: by which marks they are found, alone and in sums. */
export function usageContract(newPlace: NewPlace): void {
  describe("usage rows by their marks", () => {
    let place: Place;
    let store: Store;
    let ids: { key: string; user: string };
    const start = NOW - (NOW % HOUR);
    const marks: Record<string, Partial<UsageRecord>> = {
      spoken: { operation: "speech", model: "tts", tags: "blue, night", user: "anna", requestId: "req_same" },
      vector: { operation: "embeddings", model: "embed", tags: "bluebell", user: "anna" },
      broken: { status: 504, error: "upstream_timeout", tags: "a,blue", user: "Anna", costNano: 7 },
      refused: { status: 502, error: "upstream_error", requestId: "req_same", channelId: "chn_9" },
    };
    const names = new Map<string, string>();

    beforeAll(async () => {
      place = await newPlace();
      store = await place.open();
      const { key, user } = await insertKey(store);
      ids = { key: key.id, user: user.id };
      for (const [index, [name, fields]] of Object.entries(marks).entries()) {
        const row = usageRecord(key.id, user.id, { at: start + index, ...fields });
        names.set(row.id, name);
        await store.ledger.settle(row, PERIOD);
      }
      const open = usageRecord(key.id, user.id, { at: start + 90, state: "open", status: 0 });
      names.set(open.id, "running");
      const budgets = { totalNano: null, dailyNano: null, monthlyNano: null };
      await store.ledger.reserve({ row: open, keyBudget: budgets, userBudget: budgets, ...PERIOD });
    });
    afterAll(() => place.remove());

    const found = async (filter: UsageFilter) => {
      const page = await store.ledger.list({ limit: 100, cursor: null, q: null, ...filter });
      return page.items.map((row) => names.get(row.id)).reverse();
    };
    const summed = async (filter: Partial<UsageSummaryQuery>) => {
      const query = { from: start, to: start + HOUR, by: null, isByHour: false, ...filter };
      return store.ledger.summarize(query);
    };

    test.each<[string, UsageFilter, string[]]>([
      ["operation", { operation: "embeddings" }, ["vector"]],
      ["what went well", { outcome: { kind: "ok" } }, ["spoken", "vector"]],
      ["what failed", { outcome: { kind: "failed" } }, ["broken", "refused"]],
      ["an error's code", { outcome: { kind: "error", code: "upstream_error" } }, ["refused"]],
      ["a status", { outcome: { kind: "status", status: 504 } }, ["broken"]],
      ["one tag of several", { tag: "blue" }, ["spoken", "broken"]],
      ["a tag with a space before it", { tag: "night" }, ["spoken"]],
      ["no part of a tag", { tag: "lue" }, []],
      ["the caller's own user, letter for letter", { endUser: "anna" }, ["spoken", "vector"]],
      ["a request id that repeats", { requestId: "req_same" }, ["spoken", "refused"]],
      ["two marks together", { requestId: "req_same", outcome: { kind: "failed" } }, ["refused"]],
    ])("a list keeps to %s", async (_mark, filter, expected) => {
      expect(await found(filter)).toEqual(expected);
    });

    test("sums keep to marks that the roll-ups do not hold, and leave out what still runs", async () => {
      expect((await summed({ outcome: { kind: "failed" } })).groups).toMatchObject([
        { calls: 2, errors: 2, costNano: 7 },
      ]);
      expect((await summed({ tag: "blue" })).groups).toMatchObject([{ calls: 2, errors: 1 }]);
      expect((await summed({ endUser: "anna", by: "model" })).groups.map(({ name }) => name).sort()).toEqual([
        "embed",
        "tts",
      ]);
      expect((await summed({ endUser: "nobody" })).groups).toEqual([]);
      expect((await summed({ operation: "embeddings" })).groups).toMatchObject([{ calls: 1 }]);
      expect((await summed({ tag: "blue" })).readFrom).toBeNull();
    });

    test("marks of another user's calls find nothing", async () => {
      expect(await found({ userId: "usr_other", requestId: "req_same" })).toEqual([]);
      expect((await summed({ userId: "usr_other", tag: "blue" })).groups).toEqual([]);
      expect(await found({ userId: ids.user, keyId: ids.key, tag: "night" })).toEqual(["spoken"]);
    });
  });
}
