import { describe, expect, test } from "vitest";
import type { InstanceReport, Store, UsageRecord } from "../../../lib/ports/store";
import { insertKey, NO_BUDGET, NOW, PERIOD, unique, usageRecord } from "../../support/factories";
import { allUsage, expectLedgerSumsToMatch } from "./ledger-sums";
import { concurrently, type NewTestDatabase } from "./test-database";

/** The usage ledger with several instances, and after their ends. */
export function instancesContract(newDatabase: NewTestDatabase): void {
  const open = async (store: Store, keyId: string, userId: string): Promise<UsageRecord> => {
    const row = usageRecord(keyId, userId, { reservedNano: 30 });
    await store.ledger.reserve({ row, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD });
    return row;
  };

  /** Two instances on one store, with a key. */
  const openTwo = async (otherId: string) => {
    const database = await newDatabase();
    const other = await database.open({ instanceId: otherId });
    const self = await database.open({ instanceId: "self" });
    return { database, other, self, ...(await insertKey(self)) };
  };

  describe("calls of ended instances", () => {
    test("are settled once, at their reservations and as estimates, while those of a running instance stay open", async () => {
      const database = await newDatabase();
      const clock = { now: () => NOW, monotonic: () => performance.now() };
      const [dead, living, self] = [
        await database.open({ instanceId: "dead", clock }),
        await database.open({ instanceId: "living", clock }),
        await database.open({ instanceId: "self", clock }),
      ];
      const { key, user } = await insertKey(self);
      const lost = await Promise.all(concurrently(250, () => open(dead, key.id, user.id)));
      const kept = [await open(living, key.id, user.id), await open(self, key.id, user.id)];
      await living.ledger.heartbeat(NOW + 30_000);
      expect(await self.ledger.settleOrphans(NOW)).toBe(0);
      expect(await self.ledger.settleOrphans(NOW + 1_000)).toBe(250);
      expect(await self.ledger.settleOrphans(NOW + 1_000)).toBe(0);
      const rows = await allUsage(self);
      const settled = rows.filter((row) => row.state === "settled");
      expect(settled.map((row) => row.id).sort()).toEqual(lost.map((row) => row.id).sort());
      for (const row of settled)
        expect(row).toMatchObject({ costNano: 30, estimated: true, error: "internal" });
      expect(
        rows
          .filter((row) => row.state === "open")
          .map((row) => row.id)
          .sort(),
      ).toEqual(kept.map((row) => row.id).sort());
      expect((await self.keys.spent(key.id, NOW)).totalNano).toBe(252 * 30);
      await expectLedgerSumsToMatch(database);
      await database.remove();
    });

    test("get their owner's true settlement in place of the estimate, once, when the owner was alive", async () => {
      const database = await newDatabase();
      const clock = { now: () => NOW, monotonic: () => performance.now() };
      const [owner, self] = [
        await database.open({ instanceId: "owner", clock }),
        await database.open({ instanceId: "self", clock }),
      ];
      const { key, user } = await insertKey(self);
      const rows = await Promise.all(concurrently(3, () => open(owner, key.id, user.id)));
      const budget = { ...NO_BUDGET, totalNano: 115 };
      const next = usageRecord(key.id, user.id, { reservedNano: 80 });
      const reserveNext = () =>
        self.ledger.reserve({ row: next, keyBudget: budget, userBudget: NO_BUDGET, ...PERIOD });
      expect(await self.ledger.settleOrphans(NOW + 1_000)).toBe(3);
      expect((await self.keys.spent(key.id, NOW)).totalNano).toBe(90);
      expect(await reserveNext()).toEqual({ owner: "key", period: "total" });
      const attempt = { keyId: null, startedMs: 0, firstByteMs: null, endedMs: 1, upstreamStatus: null };
      const attempts = [
        { ...attempt, channelId: "chn_a", error: "upstream_error" as const, message: "failed" },
        { ...attempt, channelId: "chn_b", error: null, message: null },
      ];
      const settlements: UsageRecord[] = rows.map((row, index) => ({
        ...row,
        channelId: "chn_b",
        attempts: 2,
        characters: 11,
        audioMs: 1_500,
        costNano: [4, 0, 31][index] ?? 0,
        error: index === 1 ? "caller_left" : null,
        latencyMs: 40_000,
        trace: { admittedMs: 0, settledMs: 2, attempts },
      }));
      for (const done of settlements) await owner.ledger.settle(done, PERIOD, "its input");
      // Neither a repeated settlement nor a later sweep changes them.
      await Promise.all(
        settlements.map((done) => owner.ledger.settle({ ...done, costNano: 99, error: "late" }, PERIOD)),
      );
      expect(await self.ledger.settleOrphans(NOW + 31_000)).toBe(0);
      expect((await allUsage(self)).map(({ id, ...row }) => [id, row]).sort()).toEqual(
        settlements.map(({ id, trace: _, ...row }, index) => [id, { ...row, overrun: index === 2 }]).sort(),
      );
      expect(await self.keys.spent(key.id, NOW)).toEqual({ totalNano: 35, dailyNano: 35, monthlyNano: 35 });
      const [first] = settlements;
      expect(await self.ledger.find(first?.id ?? "")).toMatchObject({
        prompt: "its input",
        row: { trace: { attempts } },
      });
      const { groups } = await self.ledger.summarize({
        from: NOW,
        to: NOW + 1,
        by: "channel",
        isByHour: false,
      });
      expect(groups).toMatchObject([
        { name: "chn_b", calls: 3, errors: 1, audioMs: 4_500, costNano: 35, latencySumMs: 120_000 },
      ]);
      expect(await reserveNext()).toBeNull();
      await expectLedgerSumsToMatch(database);
      await database.remove();
    });

    test("keep the estimate when the owner settles the call with the same values", async () => {
      const { database, other: owner, self, key, user } = await openTwo("owner");
      const row = await open(owner, key.id, user.id);
      await self.ledger.settleOrphans(0, (id) => id === "owner");
      // The last settlement, of another call, changes the same sums.
      await Promise.all([
        owner.ledger.settle({ ...row, costNano: 30, error: "internal", estimated: true }, PERIOD),
        owner.ledger.settle({ ...row, costNano: 30, error: "internal", estimated: true }, PERIOD),
        owner.ledger.settle(usageRecord(key.id, user.id, { costNano: 7 }), PERIOD),
      ]);
      expect((await self.keys.spent(key.id, NOW)).totalNano).toBe(37);
      await expectLedgerSumsToMatch(database);
      await database.remove();
    });

    test("are settled at once when the instance is known to have ended", async () => {
      const { database, other: gone, self, key, user } = await openTwo("gone");
      await open(gone, key.id, user.id);
      await open(self, key.id, user.id);
      expect(await self.ledger.settleOrphans(0, (id) => id === "gone")).toBe(1);
      expect(await database.raw("select id from instances order by id")).toEqual([["self"]]);
      await database.remove();
    });

    test("are settled by one of several concurrent sweeps", async () => {
      const database = await newDatabase();
      const dead = await database.open({ instanceId: "dead" });
      const sweepers = [await database.open(), await database.open(), await database.open()];
      const { key, user } = await insertKey(dead);
      await Promise.all(concurrently(120, () => open(dead, key.id, user.id)));
      const counts = await Promise.all(
        sweepers.map((one) => one.ledger.settleOrphans(0, (id) => id === "dead")),
      );
      expect(counts.reduce((sum, count) => sum + count)).toBe(120);
      await expectLedgerSumsToMatch(database);
      await database.remove();
    });
  });

  describe("ended calls of a running instance", () => {
    test("are settled as orphans when a failover lost their settlements", async () => {
      const { database, other, self, key, user } = await openTwo("other");
      const tables = ["usage", "balances", "rollups", "daily_rollups"];
      const lost = await Promise.all(concurrently(250, () => open(self, key.id, user.id)));
      for (const table of tables)
        await database.raw(`create table copy_of_${table} as select * from ${table}`);
      for (const row of lost) await self.ledger.settle({ ...row, costNano: 1 }, PERIOD);
      // The standby that takes over has the reservations only.
      for (const table of tables) {
        await database.raw(`delete from ${table}`);
        await database.raw(`insert into ${table} select * from copy_of_${table}`);
      }
      const running = await open(self, key.id, user.id);
      expect(await other.ledger.settleOrphans(0)).toBe(0);
      expect(await self.ledger.settleOrphans(0)).toBe(250);
      const states = await database.raw("select id from usage where state = 'open'");
      expect(states).toEqual([[running.id]]);
      await expectLedgerSumsToMatch(database);
      await self.ledger.settle({ ...running, costNano: 7 }, PERIOD);
      expect((await self.keys.spent(key.id, NOW)).totalNano).toBe(250 * 30 + 7);
      expect(await self.ledger.settleOrphans(0)).toBe(0);
      await expectLedgerSumsToMatch(database);
      await database.remove();
    });

    test("are settled as orphans when the store rejected their settlements", async () => {
      const { database, self, key, user } = await openTwo("other");
      const row = await open(self, key.id, user.id);
      await expect(self.ledger.settle({ ...row, costNano: Number.NaN }, PERIOD)).rejects.toThrow();
      expect(await self.ledger.settleOrphans(0)).toBe(1);
      expect(await self.ledger.find(row.id)).toMatchObject({ row: { state: "settled", estimated: true } });
      await expectLedgerSumsToMatch(database);
      await database.remove();
    });
  });

  test("lists instances by their heartbeats, with what each reported last", async () => {
    const database = await newDatabase();
    const clock = { now: () => NOW, monotonic: () => performance.now() };
    const self = await database.open({ instanceId: "self", clock });
    const other = await database.open({ instanceId: "other", clock });
    const silent = { heartbeatAt: NOW, report: null };
    const listed = await self.ledger.instances(NOW);
    expect(listed.sort((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: "other", isSelf: false, ...silent },
      { id: "self", isSelf: true, ...silent },
    ]);
    expect(await self.ledger.instances(NOW + 1)).toEqual([]);
    const report: InstanceReport = {
      server: "other",
      host: "kitchen",
      address: "192.0.2.7:3000",
      version: "1.2.3",
      pid: 4711,
      startedAt: NOW - 1_000,
      isDraining: true,
      inFlight: 3,
      requestsPerMinute: 90,
      cpuPercent: 120,
      memoryBytes: 300_000_000,
      changeLagMs: 7,
    };
    await other.ledger.heartbeat(NOW + 4_000, { ...report, inFlight: 0, isDraining: false });
    await other.ledger.heartbeat(NOW + 5_000, report);
    // A heartbeat without a report keeps the last report.
    await other.ledger.heartbeat(NOW + 6_000);
    expect(await self.ledger.instances(NOW + 5_000)).toEqual([
      { id: "other", heartbeatAt: NOW + 6_000, isSelf: false, report },
    ]);
    await database.remove();
  });

  test("admits no more calls than a budget allows in two instances together", async () => {
    const database = await newDatabase();
    const stores = [await database.open(), await database.open()];
    const first = stores[0];
    if (!first) throw new Error("no store was opened");
    const { key, user } = await insertKey(first);
    const keyBudget = { ...NO_BUDGET, monthlyNano: 1_000 };
    const answers = await Promise.all(
      concurrently(100, (index) => {
        const row = usageRecord(key.id, user.id, { id: unique("use"), reservedNano: 100 });
        const store = stores[index % 2] ?? first;
        return store.ledger.reserve({ row, keyBudget, userBudget: NO_BUDGET, ...PERIOD });
      }),
    );
    expect(answers.filter((answer) => answer === null)).toHaveLength(10);
    await expectLedgerSumsToMatch(database);
    await database.remove();
  });
}
