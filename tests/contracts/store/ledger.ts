import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Reservation, Store, UsageRecord } from "../../../lib/ports/store";
import { insertKey, NO_BUDGET, NOW, PERIOD, usageRecord } from "../../support/factories";
import { allUsage, expectLedgerSumsToMatch } from "./ledger-sums";
import { concurrently, type NewTestDatabase, outcomesOf, type TestDatabase } from "./test-database";

export function ledgerContract(newDatabase: NewTestDatabase): void {
  describe("the usage ledger", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(async () => {
      await expectLedgerSumsToMatch(database);
      await database.remove();
    });

    const reservation = (row: UsageRecord, budgets: Partial<Reservation> = {}): Reservation => ({
      row,
      keyBudget: NO_BUDGET,
      userBudget: NO_BUDGET,
      ...PERIOD,
      ...budgets,
    });

    test("reserves a call's worst-case cost until it is settled at its true cost", async () => {
      const { key, user } = await insertKey(store);
      const row = usageRecord(key.id, user.id, { reservedNano: 100 });
      expect(await store.ledger.reserve(reservation(row))).toBeNull();
      expect(await allUsage(store, { keyId: key.id })).toEqual([{ ...row, state: "open" }]);
      expect(await store.keys.spent(key.id, NOW)).toEqual({
        totalNano: 100,
        dailyNano: 100,
        monthlyNano: 100,
      });
      const done: UsageRecord = {
        ...row,
        channelId: "chn_1",
        attempts: 2,
        inputTokens: 3,
        outputTokens: 4,
        characters: 5,
        audioMs: 6,
        costNano: 70,
        status: 206,
        error: "upstream_truncated",
        cached: true,
        estimated: true,
        endUser: "a caller's own",
        tags: "a,b",
        latencyMs: 1_234.4,
        firstByteMs: 55.5,
      };
      await store.ledger.settle(done, PERIOD);
      const recorded = { ...done, latencyMs: 1_234, firstByteMs: 56 };
      expect(await allUsage(store, { keyId: key.id })).toEqual([recorded]);
      expect(await store.keys.spent(key.id, NOW)).toEqual({ totalNano: 70, dailyNano: 70, monthlyNano: 70 });
      // The whole budget of other days and months remains.
      const year = 366 * 86_400_000;
      expect(await store.keys.spent(key.id, NOW + year)).toEqual({
        totalNano: 70,
        dailyNano: 0,
        monthlyNano: 0,
      });
    });

    test("settles a call once, with the values of its first settlement", async () => {
      const { key, user } = await insertKey(store);
      const row = usageRecord(key.id, user.id, { reservedNano: 100, costNano: 40 });
      await store.ledger.reserve(reservation(row));
      await Promise.all(
        concurrently(20, (index) => store.ledger.settle({ ...row, costNano: 40 + index }, PERIOD)),
      );
      await store.ledger.settle({ ...row, costNano: 99, error: "late" }, PERIOD);
      const [recorded, ...others] = await allUsage(store, { keyId: key.id });
      expect(others).toEqual([]);
      expect(recorded).toMatchObject({ state: "settled", error: null, costNano: 40 });
      expect((await store.keys.spent(key.id, NOW)).totalNano).toBe(40);
    });

    test("records a call without a reservation when it is settled, once", async () => {
      const { key, user } = await insertKey(store);
      const row = usageRecord(key.id, user.id, { costNano: 5, characters: 11 });
      await store.ledger.settle(row, PERIOD);
      await store.ledger.settle(row, PERIOD);
      expect(await allUsage(store, { keyId: key.id })).toEqual([row]);
      expect((await store.keys.spent(key.id, NOW)).totalNano).toBe(5);
    });

    test("records a new call without a look-up, and refuses an ID that exists", async () => {
      const { key, user } = await insertKey(store);
      const rows = [1, 2, 3].map((costNano) => usageRecord(key.id, user.id, { costNano }));
      await Promise.all(rows.map((row) => store.ledger.settle(row, PERIOD, undefined, true)));
      expect(await allUsage(store, { keyId: key.id })).toHaveLength(3);
      const [known = usageRecord(key.id, user.id)] = rows;
      const fresh = usageRecord(key.id, user.id, { costNano: 4 });
      const results = await Promise.allSettled(
        [known, fresh].map((row) => store.ledger.settle(row, PERIOD, undefined, true)),
      );
      expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
      expect((await store.keys.spent(key.id, NOW)).totalNano).toBe(10);
    });

    test("records a cost above its reservation in full, and flags it", async () => {
      const { key, user } = await insertKey(store);
      const budget = { totalNano: 100, dailyNano: null, monthlyNano: null };
      const row = usageRecord(key.id, user.id, { reservedNano: 60 });
      await store.ledger.reserve(reservation(row, { keyBudget: budget }));
      await store.ledger.settle({ ...row, costNano: 150 }, PERIOD);
      expect(await allUsage(store, { keyId: key.id })).toMatchObject([{ costNano: 150, overrun: true }]);
      expect((await store.keys.spent(key.id, NOW)).totalNano).toBe(150);
      const next = usageRecord(key.id, user.id, { reservedNano: 1 });
      expect(await store.ledger.reserve(reservation(next, { keyBudget: budget }))).toEqual({
        owner: "key",
        period: "total",
      });
    });

    test.each(["totalNano", "dailyNano", "monthlyNano"] as const)(
      "admits ten of 100 concurrent calls when a key's %s covers ten",
      async (period) => {
        const { key, user } = await insertKey(store);
        const keyBudget = { ...NO_BUDGET, [period]: 1_000 };
        const rows = Array.from({ length: 100 }, () => usageRecord(key.id, user.id, { reservedNano: 100 }));
        const answers = await Promise.all(
          rows.map((row) => store.ledger.reserve(reservation(row, { keyBudget }))),
        );
        expect(answers.filter((answer) => answer === null)).toHaveLength(10);
        expect(answers.filter((answer) => answer?.owner === "key")).toHaveLength(90);
        expect(await allUsage(store, { keyId: key.id })).toHaveLength(10);
        // Later calls may use the part of a reservation that its call did not cost.
        const admitted = rows.filter((_, index) => answers[index] === null);
        await Promise.all(admitted.map((row) => store.ledger.settle({ ...row, costNano: 50 }, PERIOD)));
        const more = await Promise.all(
          concurrently(20, () =>
            store.ledger.reserve(
              reservation(usageRecord(key.id, user.id, { reservedNano: 100 }), { keyBudget }),
            ),
          ),
        );
        expect(more.filter((answer) => answer === null)).toHaveLength(5);
      },
    );

    test("shares a user's budget among the user's keys", async () => {
      const { key, user } = await insertKey(store);
      const userBudget = { ...NO_BUDGET, dailyNano: 999 };
      const answers = await Promise.all(
        concurrently(50, (index) =>
          store.ledger.reserve(
            reservation(usageRecord(`${key.id}_${index % 5}`, user.id, { reservedNano: 100 }), {
              userBudget,
            }),
          ),
        ),
      );
      expect(answers.filter((answer) => answer === null)).toHaveLength(9);
      expect(answers.filter((answer) => answer?.owner === "user")).toHaveLength(41);
    });

    test("names the full budget that resets last", async () => {
      const { key, user } = await insertKey(store);
      const row = usageRecord(key.id, user.id, { reservedNano: 11 });
      const ask = (keyBudget: object, userBudget: object = {}) =>
        store.ledger.reserve(
          reservation(row, {
            keyBudget: { ...NO_BUDGET, ...keyBudget },
            userBudget: { ...NO_BUDGET, ...userBudget },
          }),
        );
      const full = { dailyNano: 10, monthlyNano: 10 };
      expect(await ask({ dailyNano: 10, monthlyNano: 11 })).toEqual({ owner: "key", period: "daily" });
      expect(await ask(full)).toEqual({ owner: "key", period: "monthly" });
      expect(await ask({ ...full, totalNano: 10 })).toEqual({ owner: "key", period: "total" });
      expect(await ask({}, full)).toEqual({ owner: "user", period: "monthly" });
      // If budgets of the key and of the user are full, the one that resets last is named as well.
      expect(await ask({ dailyNano: 10 }, full)).toEqual({ owner: "user", period: "monthly" });
      expect(await ask(full, full)).toEqual({ owner: "key", period: "monthly" });
    });

    test("admits a free call at a full and at an overdrawn budget, and refuses one that exceeds it by one", async () => {
      const { key, user } = await insertKey(store);
      const keyBudget = { ...NO_BUDGET, totalNano: 10 };
      const ask = (reservedNano: number) =>
        store.ledger.reserve(reservation(usageRecord(key.id, user.id, { reservedNano }), { keyBudget }));
      expect(await ask(11)).toEqual({ owner: "key", period: "total" });
      expect(await ask(10)).toBeNull();
      expect(await ask(0)).toBeNull();
      expect(await ask(1)).toEqual({ owner: "key", period: "total" });
      await store.ledger.settle(usageRecord(key.id, user.id, { costNano: 5 }), PERIOD);
      expect(await ask(0)).toBeNull();
      expect(await ask(1)).toEqual({ owner: "key", period: "total" });
    });

    test("commits the valid rows of a group that has invalid ones", async () => {
      const { key, user } = await insertKey(store);
      const existing = usageRecord(key.id, user.id, { reservedNano: 5 });
      await store.ledger.reserve(reservation(existing));
      const good = Array.from({ length: 10 }, () => usageRecord(key.id, user.id, { costNano: 1 }));
      const { values, codes } = await outcomesOf<unknown>([
        ...good.slice(0, 5).map((row) => store.ledger.settle(row, PERIOD)),
        store.ledger.settle(usageRecord(key.id, user.id, { costNano: Number.NaN }), PERIOD),
        store.ledger.settle(usageRecord(key.id, user.id, { audioMs: Number.POSITIVE_INFINITY }), PERIOD),
        // This ID exists already.
        store.ledger.reserve(reservation({ ...existing, reservedNano: 7 })),
        ...good.slice(5).map((row) => store.ledger.settle(row, PERIOD)),
      ]);
      expect(values).toHaveLength(10);
      expect(codes).toHaveLength(3);
      expect(codes.slice(0, 2)).toEqual(["internal", "internal"]);
      expect(await allUsage(store, { keyId: key.id })).toHaveLength(11);
      expect((await store.keys.spent(key.id, NOW)).totalNano).toBe(15);
    });

    test("filters and searches lists, newest first", async () => {
      const { key, user } = await insertKey(store);
      const rows = Array.from({ length: 30 }, (_, index) =>
        usageRecord(key.id, user.id, {
          at: NOW + 1_000 + Math.floor(index / 3),
          model: index % 2 === 0 ? "tts" : "embed",
          channelId: index % 3 === 0 ? "chn_a" : "chn_b",
          tags: index === 4 ? "team_a,100%" : null,
          error: index === 6 ? "upstream_error" : null,
          endUser: index === 8 ? "Caller_8" : null,
        }),
      );
      await Promise.all(rows.map((row) => store.ledger.settle(row, PERIOD)));
      const listed = await allUsage(store, { keyId: key.id });
      expect(listed.map((row) => row.id).sort()).toEqual(rows.map((row) => row.id).sort());
      expect(listed.map((row) => row.at)).toEqual(rows.map((row) => row.at).reverse());
      const count = async (query: Partial<Parameters<Store["ledger"]["list"]>[0]>): Promise<number> =>
        (await store.ledger.list({ limit: 100, cursor: null, q: null, userId: user.id, ...query })).items
          .length;
      expect(await count({})).toBe(30);
      expect(await count({ userId: "usr_nobody" })).toBe(0);
      expect(await count({ model: "tts" })).toBe(15);
      expect(await count({ channelId: "chn_a", model: "tts" })).toBe(5);
      expect(await count({ from: NOW + 1_001, to: NOW + 1_003 })).toBe(6);
      expect(await count({ q: "m_a,100%" })).toBe(1);
      expect(await count({ q: "upstream_error" })).toBe(1);
      expect(await count({ q: "caller_8" })).toBe(1);
      expect(await count({ q: rows[3]?.requestId ?? "" })).toBe(1);
      expect(await count({ q: "%%" })).toBe(0);
    });

    test("stores a caller's own texts with any characters", async () => {
      const { key, user } = await insertKey(store);
      const row = usageRecord(key.id, user.id, {
        requestId: "req\0end",
        endUser: "a\0b 😀 \u202e 'quoted' \ud800",
        tags: "?, $1, %s, \\",
      });
      await store.ledger.settle(row, PERIOD);
      const [recorded] = await allUsage(store, { keyId: key.id });
      expect(recorded?.requestId).toBe("req\ufffdend");
      expect(recorded?.endUser).toMatch(/^a\ufffdb 😀 \u202e 'quoted' \ufffd$/);
      expect(recorded?.tags).toBe("?, $1, %s, \\");
    });

    test("has equal sums in entries, roll-ups and balances after any mixture of calls", async () => {
      const subjects = await Promise.all(concurrently(4, () => insertKey(store)));
      const calls = concurrently(300, async (index) => {
        const { key, user } = subjects[index % 4] ?? (await insertKey(store));
        const at = NOW + index * 60_000;
        const period = index % 2 === 0 ? PERIOD : { day: "2026-10-01", month: "2026-10" };
        const row = usageRecord(key.id, user.id, {
          at,
          model: `model-${index % 3}`,
          reservedNano: (index * 37) % 500,
          latencyMs: (index * index) % 40_000,
        });
        const done = {
          ...row,
          costNano: (index * 53) % 600,
          audioMs: index,
          firstByteMs: index % 2 ? index : null,
        };
        if (index % 5 !== 0) {
          const keyBudget = { ...NO_BUDGET, totalNano: 20_000 };
          const full = await store.ledger.reserve({ ...reservation(row, { keyBudget }), ...period });
          if (full !== null) return;
        }
        if (index % 7 !== 0) await store.ledger.settle(done, period);
        if (index % 3 === 0) await store.ledger.settle(done, period);
      });
      await Promise.all(calls);
      expect(
        await database.raw("select count(*) from usage where state = 'open' and reserved_nano > 0"),
      ).not.toEqual([[0]]);
      await expectLedgerSumsToMatch(database);
    });
  });
}
