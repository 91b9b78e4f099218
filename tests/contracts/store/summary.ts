import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store, UsageGroup, UsageSummaryQuery } from "../../../lib/ports/store";
import { insertKey, NOW, PERIOD, usageRecord } from "../../support/factories";
import type { NewTestDatabase, TestDatabase } from "./test-database";

const HOUR = 3_600_000;

export function summaryContract(newDatabase: NewTestDatabase): void {
  describe("the summary of usage", () => {
    let database: TestDatabase;
    let store: Store;
    let ids: { key: string; user: string };
    const start = NOW - (NOW % HOUR);

    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
      const { key, user } = await insertKey(store);
      ids = { key: key.id, user: user.id };
      const settle = (fields: Parameters<typeof usageRecord>[2]) =>
        store.ledger.settle(
          usageRecord(key.id, user.id, { state: "settled", status: 200, reservedNano: 0, ...fields }),
          PERIOD,
        );
      await settle({
        at: start + 1,
        model: "a",
        channelId: "chn_1",
        costNano: 10,
        latencyMs: 40,
        tags: "blue",
      });
      await settle({
        at: start + 2,
        model: "a",
        channelId: "chn_2",
        costNano: 20,
        latencyMs: 400,
        tags: "blue",
      });
      await settle({ at: start + HOUR, model: "b", channelId: null, costNano: 5, latencyMs: 4, tags: null });
      await settle({
        at: start + HOUR,
        model: "b",
        status: 502,
        error: "upstream_error",
        costNano: 0,
        tags: "red",
      });
      await settle({ at: start + 9 * HOUR + 5, model: "later", costNano: 1_000, latencyMs: 40 });
    });
    afterAll(() => database.remove());

    const ask = async (fields: Partial<UsageSummaryQuery> = {}) => {
      const query = { from: start, to: start + 2 * HOUR, by: null, isByHour: false, ...fields };
      return (await store.ledger.summarize(query)).groups;
    };

    test("sums only the calls in the range", async () => {
      expect(await ask()).toMatchObject([{ hour: null, name: null, calls: 4, errors: 1, costNano: 35 }]);
      expect(await ask({ from: start + 20 * HOUR, to: start + 21 * HOUR })).toEqual([]);
    });

    test("sums an exact range from its first to its last millisecond", async () => {
      const calls = async (from: number, to: number, fields: Partial<UsageSummaryQuery> = {}) =>
        (await ask({ from: start + from, to: start + to, isExact: true, ...fields })).map((group) => [
          group.hour,
          group.name,
          group.calls,
        ]);
      expect(await calls(2, HOUR)).toEqual([[null, null, 1]]);
      expect(await calls(2, 2)).toEqual([]);
      expect(await calls(1, 2)).toEqual([[null, null, 1]]);
      expect(await calls(2, HOUR + 1, { by: "model", isByHour: true })).toEqual([
        [start, "a", 1],
        [start + HOUR, "b", 2],
      ]);
      expect(await calls(2, 2 * HOUR + 1, { by: "model" })).toEqual([
        [null, "a", 1],
        [null, "b", 2],
      ]);
      expect(await calls(2, HOUR, { isExact: false })).toEqual([[null, null, 2]]);
    });

    test("sums the hour of the newest entry from the roll-ups if the range ends after that entry", async () => {
      const newest = start + 9 * HOUR + 5;
      const sum = async (to: number) =>
        (await ask({ from: start + 8 * HOUR, to, isExact: true })).map((group) => [
          group.calls,
          group.latencyMaxMs,
        ]);
      expect(await sum(newest)).toEqual([]);
      // Roll-ups do not have the slowest call: null shows that no entries were read.
      expect(await sum(newest + 1)).toEqual([[1, null]]);
    });

    test("sums by hour and by model", async () => {
      const groups = await ask({ by: "model", isByHour: true });
      expect(groups.map(({ hour, name, calls, costNano }) => [hour, name, calls, costNano])).toEqual([
        [start, "a", 2, 30],
        [start + HOUR, "b", 2, 5],
      ]);
    });

    test("sums by channel, with calls that reached no channel separate, by key, and by tag from the entries", async () => {
      const named = async (by: UsageSummaryQuery["by"]) =>
        Object.fromEntries((await ask({ by })).map((group) => [String(group.name), group.calls]));
      expect(await named("channel")).toEqual({ chn_1: 1, chn_2: 1, null: 2 });
      expect(await named("key")).toEqual({ [ids.key]: 4 });
      expect(await named("tag")).toEqual({ blue: 2, red: 1, null: 1 });
    });

    test("returns the same sums by model and channel from roll-ups and from entries", async () => {
      for (const isByMinute of [false, true]) {
        const groups = await ask({ by: "route", isByMinute });
        const calls = new Map<string, number>();
        for (const { name, calls: count } of groups)
          calls.set(String(name), (calls.get(String(name)) ?? 0) + count);
        expect(Object.fromEntries(calls)).toEqual({ "a\nchn_1": 1, "a\nchn_2": 1, "b\n": 2 });
      }
    });

    test("returns the histogram with sums by minute, and the slowest call, which roll-ups do not have", async () => {
      const rolled = await ask({ to: start + HOUR });
      const read = await ask({ to: start + HOUR, isByMinute: true });
      expect(read).toMatchObject([{ hour: start, calls: 2, latency: rolled[0]?.latency }]);
      expect([rolled, read].map(([group]) => group?.latencyMaxMs)).toEqual([null, 400]);
    });

    test("sums every hour of a range once when the range begins and ends in the middle of a day", async () => {
      const day = 24 * HOUR;
      const { key, user } = await insertKey(store);
      const base = start - (start % day) - 10 * day;
      // One call every seven hours for almost six days, each with a different cost.
      const hours = Array.from({ length: 20 }, (_, index) => base + index * 7 * HOUR);
      for (const [index, at] of hours.entries()) {
        const fields = {
          state: "settled",
          at,
          costNano: 2 ** index,
          reservedNano: 0,
          latencyMs: 40,
        } as const;
        await store.ledger.settle(
          usageRecord(key.id, user.id, { ...fields, model: index % 2 === 0 ? "even" : "odd" }),
          PERIOD,
        );
      }
      const span = { from: base + 9 * HOUR + 5, to: base + 5 * day + 3 * HOUR, keyId: key.id };
      const inside = hours.flatMap((at, index) => (at >= base + 9 * HOUR && at < span.to ? [index] : []));
      const costOf = (parity: number) =>
        inside.filter((index) => index % 2 === parity).reduce((sum, index) => sum + 2 ** index, 0);
      const [whole] = await ask(span);
      expect(whole).toMatchObject({ calls: inside.length, costNano: costOf(0) + costOf(1) });
      expect(whole?.latency.reduce((sum, count) => sum + count, 0)).toBe(inside.length);
      const byModel = await ask({ ...span, by: "model" });
      expect(new Map(byModel.map(({ name, costNano }) => [name, costNano]))).toEqual(
        new Map([
          ["even", costOf(0)],
          ["odd", costOf(1)],
        ]),
      );
      // Days in UTC, in another zone, and with a changing offset; the first is cut. Each hour is in exactly one day.
      for (const shiftOf of [() => 0, () => 9 * HOUR, (index: number) => (index === 2 ? HOUR : 0)]) {
        const first = span.from - (span.from % HOUR);
        const later = Array.from({ length: 5 }, (_, index) => base + (index + 1) * day - shiftOf(index));
        const dayStarts = [first, ...later.filter((at) => at > first && at < span.to)];
        const groups = await ask({ ...span, by: "model", isByHour: true, dayStarts });
        const startOf = (at: number) => dayStarts.findLast((start) => start <= at) ?? 0;
        const expected = new Map<string, number>();
        for (const index of inside) {
          const group = `${startOf(hours[index] ?? 0)} ${index % 2 === 0 ? "even" : "odd"}`;
          expected.set(group, (expected.get(group) ?? 0) + 2 ** index);
        }
        const sums = groups.map(({ hour, name, costNano }): [string, number] => [
          `${hour} ${name}`,
          costNano,
        ]);
        expect(sums).toHaveLength(expected.size);
        expect(new Map(sums)).toEqual(expected);
        const order = groups.map(({ hour }) => hour ?? 0);
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    });

    test("returns the same calls, errors and costs when only they are summed, from roll-ups and from entries", async () => {
      const callsAndCost = (groups: readonly UsageGroup[]) =>
        groups
          .map(({ name, hour, calls, errors, costNano }) => [`${hour} ${name}`, calls, errors, costNano])
          .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
      const queries: Partial<UsageSummaryQuery>[] = [
        { by: "route" },
        { by: "key", isByHour: true },
        { by: "key", isByMinute: true },
        { by: "key", isExact: true },
        { by: "key", outcome: { kind: "failed" } },
        { by: "key", maxGroups: 1 },
        { by: "key", maxGroups: 1, isExact: true },
        { by: "model", maxGroups: 1, outcome: { kind: "ok" } },
        { by: "model", isByMinute: true },
        { by: "tag" },
      ];
      for (const query of queries) {
        const full = await ask(query);
        expect(full.length).toBeGreaterThan(0);
        const got = await ask({ ...query, hasOnlyCallsAndCost: true });
        expect(callsAndCost(got)).toEqual(callsAndCost(full));
        expect(got.flatMap(({ latency }) => latency).every((count) => count === 0)).toBe(true);
        expect(got.every(({ characters, latencySumMs }) => characters + latencySumMs === 0)).toBe(true);
      }
    });

    test.each([
      ["the roll-ups", {}],
      ["an exact range", { from: start + 30 * HOUR - 60_000, isExact: true }],
      ["the entries", { outcome: { kind: "ok" } }],
    ] as const)("returns the group with the most of each amount, from %s", async (_source, query) => {
      const at = start + 30 * HOUR;
      // Each call of another model has more of one amount than the two calls of the model `calls` together.
      const calls = [
        ...Array.from({ length: 2 }, () => ({ model: "calls", costNano: 1, inputTokens: 1, audioMs: 1 })),
        { model: "cost", costNano: 9 },
        { model: "tokens", inputTokens: 4, outputTokens: 5 },
        { model: "input", inputTokens: 8 },
        { model: "audio", audioMs: 9 },
      ];
      const range = { from: at, to: at + HOUR, ...query, by: "model", maxGroups: 1 } as const;
      if ((await ask(range)).length === 0)
        for (const fields of calls)
          await store.ledger.settle(usageRecord(ids.key, ids.user, { at, ...fields }), PERIOD);
      expect(await ask(range)).toMatchObject([{ name: "calls", calls: 2 }]);
      for (const order of ["calls", "cost", "tokens", "audio"] as const)
        expect(await ask({ ...range, order })).toMatchObject([{ name: order }]);
    });

    test.each([
      ["the roll-ups", {}],
      ["the roll-ups of days", { from: start - 30 * 24 * HOUR, to: start + 30 * 24 * HOUR }],
      ["an exact range", { from: start + 1, isExact: true }],
      ["the entries", { outcome: { kind: "ok" } }],
      ["an exact range's calls and costs", { isExact: true, hasOnlyCallsAndCost: true }],
      ["the entries' calls and costs", { outcome: { kind: "ok" }, hasOnlyCallsAndCost: true }],
    ] as const)("returns the sums of all groups with the largest one, from %s", async (_source, query) => {
      const range = { from: start, to: start + 2 * HOUR, isByHour: false, ...query };
      const { groups, total } = await store.ledger.summarize({ ...range, by: "model", maxGroups: 1 });
      const [all] = await ask(range);
      expect(groups).toHaveLength(1);
      expect(all?.calls).toBeGreaterThan(groups[0]?.calls ?? 0);
      expect({ ...total, hour: null, name: null }).toEqual(all);
    });

    test("returns from when on calls are counted if the sum needs entries and old entries were deleted", async () => {
      const own = await newDatabase();
      const swept = await own.open();
      const settle = (at: number) =>
        swept.ledger.settle(usageRecord(ids.key, ids.user, { at, state: "settled", tags: "blue" }), PERIOD);
      const readFrom = async (fields: Partial<UsageSummaryQuery>) => {
        const query = { from: start, to: start + 9 * HOUR, by: null, isByHour: false, ...fields };
        return (await swept.ledger.summarize(query)).readFrom;
      };
      const kept = start + 5 * HOUR + 7;
      for (const at of [start + 1, start + 2 * HOUR, kept, start + 6 * HOUR]) await settle(at);
      for (const fields of [{ tag: "blue" }, { by: "tag" }, { from: start - HOUR, tag: "blue" }] as const)
        expect(await readFrom(fields)).toBeNull();
      await swept.ledger.sweep("rows", kept, 10);
      for (const fields of [{ tag: "blue" }, { by: "end_user" }, { outcome: { kind: "ok" } }] as const)
        expect(await readFrom(fields)).toBe(kept);
      expect(await readFrom({ tag: "blue", to: start + 3 * HOUR })).toBe(start + 3 * HOUR);
      expect(await readFrom({})).toBeNull();
      // No call was made between the beginning of these ranges and the first kept entry.
      expect(await readFrom({ tag: "blue", from: start + 3 * HOUR })).toBeNull();
      expect(await readFrom({ tag: "blue", from: kept })).toBeNull();
      await swept.ledger.sweep("rows", start + 9 * HOUR, 10);
      expect(await readFrom({ tag: "blue" })).toBe(start + 9 * HOUR);
      await own.remove();
    });

    test("applies filters and counts every call once in the histogram", async () => {
      expect(await ask({ model: "a" })).toMatchObject([{ calls: 2 }]);
      expect(await ask({ userId: "usr_other" })).toEqual([]);
      const { groups, latencyBoundsMs } = await store.ledger.summarize({
        from: start,
        to: start + HOUR,
        by: null,
        isByHour: false,
      });
      const counts = groups[0]?.latency ?? [];
      expect(counts).toHaveLength(latencyBoundsMs.length + 1);
      expect(counts[latencyBoundsMs.indexOf(50)]).toBe(1);
      expect(counts[latencyBoundsMs.indexOf(500)]).toBe(1);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    });
  });
}
