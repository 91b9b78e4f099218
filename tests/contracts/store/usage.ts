import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallTrace, Store, UsageFilter, UsageRecord, UsageSummaryQuery } from "../../../lib/ports/store";
import { channelRecord, insertKey, longName, NOW, PERIOD, usageRecord } from "../../support/factories";
import { expectLedgerSumsToMatch } from "./ledger-sums";
import type { NewTestDatabase, TestDatabase } from "./test-database";

const HOUR = 3_600_000;

const TRACE: CallTrace = {
  admittedMs: 0.4,
  settledMs: 812.5,
  attempts: [
    {
      channelId: "chn_1",
      keyId: "k1",
      startedMs: 0.6,
      firstByteMs: null,
      endedMs: 300,
      error: "upstream_error",
      upstreamStatus: 429,
      message: 'It said "no".\n<b>',
      upstreamRefusal: "account",
    },
    {
      channelId: "chn_2",
      keyId: null,
      startedMs: 300.2,
      firstByteMs: 420,
      endedMs: 812.5,
      error: null,
      upstreamStatus: null,
      message: null,
    },
  ],
  skipped: [
    { channelId: "chn_3", reason: "circuit", openedAt: NOW, openReason: "credentials" },
    { channelId: "chn_4", reason: "disabled", openedAt: null, openReason: null },
  ],
  parameters: { voices: ["Kore", "Puck"], language: "en-GB", speed: 1.25 },
};

/** Filters of ledger entries, in lists and in sums. */
export function usageContract(newDatabase: NewTestDatabase): void {
  describe("filters of the usage ledger", () => {
    let database: TestDatabase;
    let store: Store;
    let ids: { key: string; user: string };
    const start = NOW - (NOW % HOUR);
    const marks: Record<string, Partial<UsageRecord>> = {
      spoken: {
        operation: "speech",
        model: "tts",
        tags: "blue, night",
        endUser: "anna",
        requestId: "req_same",
      },
      vector: { operation: "embeddings", model: "embed", tags: "bluebell", endUser: "anna" },
      broken: { status: 504, error: "upstream_timeout", tags: "a,blue", endUser: "Anna", costNano: 7 },
      refused: { status: 502, error: "upstream_error", requestId: "req_same", channelId: "chn_9" },
    };
    const names = new Map<string, string>();

    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
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
    afterAll(() => database.remove());

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
      ["successful calls", { outcome: { kind: "ok" } }, ["spoken", "vector"]],
      ["failed calls", { outcome: { kind: "failed" } }, ["broken", "refused"]],
      ["an error's code", { outcome: { kind: "error", code: "upstream_error" } }, ["refused"]],
      ["a status", { outcome: { kind: "status", status: 504 } }, ["broken"]],
      ["one tag of several", { tag: "blue" }, ["spoken", "broken"]],
      ["a tag with a space before it", { tag: "night" }, ["spoken"]],
      ["a part of a tag finds nothing", { tag: "lue" }, []],
      ["the caller's own user, case-sensitive", { endUser: "anna" }, ["spoken", "vector"]],
      ["a request ID that repeats", { requestId: "req_same" }, ["spoken", "refused"]],
      ["two filters together", { requestId: "req_same", outcome: { kind: "failed" } }, ["refused"]],
    ])("filters a list: %s", async (_mark, filter, expected) => {
      expect(await found(filter)).toEqual(expected);
    });

    test.each<[string, string, string[]]>([
      ["request ID", "Q_SAME", ["spoken", "refused"]],
      ["model", "TTS", ["spoken"]],
      ["error", "upstream_time", ["broken"]],
      ["end user", "ANNA", ["spoken", "vector", "broken"]],
      ["tag", "bluebell", ["vector"]],
      ["a wildcard is literal", "%_", []],
      ["a pattern is literal", "a%a", []],
      ["an escape is literal", "\\\\", []],
      ["SQL is literal", "' or 1=1 --", []],
      ["the name of another key finds nothing", "drums", []],
    ])("searches lists and sums: %s (%s)", async (_mark, q, expected) => {
      expect(await found({ q })).toEqual(expected);
      const { groups } = await summed({ q });
      expect(groups.reduce((sum, group) => sum + group.calls, 0)).toBe(expected.length);
    });

    test("excludes entries at the end of the range also after a cursor that another range returned", async () => {
      const { key, user } = await insertKey(store);
      const at = start + 30 * HOUR;
      for (let i = 0; i < 2; i++) await store.ledger.settle(usageRecord(key.id, user.id, { at }), PERIOD);
      const query = { limit: 1, cursor: null, q: null, keyId: key.id };
      const { items, nextCursor } = await store.ledger.list({ ...query, from: at, to: at + HOUR });
      expect([items.length, typeof nextCursor]).toEqual([1, "string"]);
      const earlier = await store.ledger.list({ ...query, from: at - HOUR, to: at, cursor: nextCursor });
      expect(earlier.items).toEqual([]);
    });

    test("searches by the current name of the key, including the playground's", async () => {
      const { key, user } = await insertKey(store, { name: "Kitchen Radio 100%" });
      const at = start + 30 * HOUR;
      for (const [keyId, requestId] of [
        [key.id, "req_named"],
        ["play_ended", "req_played"],
        ["playful", "req_neither"],
      ] as const)
        await store.ledger.settle(usageRecord(keyId, user.id, { at, requestId }), PERIOD);
      const foundBy = async (q: string) => {
        const range = { from: at, to: at + HOUR, limit: 10, cursor: null };
        return (await store.ledger.list({ ...range, q })).items.map((row) => row.requestId);
      };
      expect(await foundBy("radio 100%")).toEqual(["req_named"]);
      expect(await foundBy("radio_100")).toEqual([]);
      expect(await foundBy("Playground")).toEqual(["req_played"]);
      const ofPlayground = { keyId: "play", from: at, to: at + HOUR };
      const page = await store.ledger.list({ ...ofPlayground, limit: 10, cursor: null, q: null });
      expect(page.items).toMatchObject([{ requestId: "req_played" }]);
      const { groups } = await store.ledger.summarize({ ...ofPlayground, by: null, isByHour: false });
      expect(groups).toMatchObject([{ calls: 1 }]);
      expect([...(await store.ledger.names("key", ["play"]))]).toEqual([["play", "Playground"]]);
      await expect(foundBy("a")).rejects.toMatchObject({ code: "invalid" });
    });

    test("finds the calls of each end user separately, whatever the length of the names", async () => {
      const { key, user } = await insertKey(store);
      const at = start + 50 * HOUR;
      const long = longName(1_024);
      const users = [long, `${longName(1_023)}!`, longName(513), longName(512), longName(512, 2), "x"];
      const rows = users.map((name) => usageRecord(key.id, user.id, { at, endUser: name }));
      await Promise.all(rows.map((row) => store.ledger.settle(row, PERIOD)));
      const range = { from: at, to: at + HOUR };
      for (const row of rows) {
        const endUser = row.endUser ?? "";
        const page = await store.ledger.list({ ...range, limit: 10, cursor: null, q: null, endUser });
        expect(page.items).toEqual([row]);
        const { groups } = await store.ledger.summarize({ ...range, by: null, isByHour: false, endUser });
        expect(groups).toMatchObject([{ calls: 1 }]);
      }
      const byName = await store.ledger.summarize({ ...range, by: "end_user", isByHour: false });
      expect(byName.groups.map(({ name }) => name).sort()).toEqual([...users].sort());
    });

    test("filters sums by what the roll-ups do not have, without open calls", async () => {
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

    test("finds the failed attempts on a channel, including those of calls that another attempt served", async () => {
      const { key, user } = await insertKey(store);
      const at = start + 10 * HOUR;
      const attempt = (channelId: string, error: string | null, upstreamStatus: number | null = null) => ({
        channelId,
        keyId: null,
        startedMs: 1,
        firstByteMs: null,
        endedMs: 2,
        error,
        upstreamStatus,
        message: error === null ? null : `${channelId} said "${error}"`,
      });
      const calls: [string, Partial<UsageRecord>, CallTrace["attempts"]][] = [
        ["saved", { channelId: "chn_b" }, [attempt("chn_a", "upstream_error", 503), attempt("chn_b", null)]],
        [
          "again",
          { channelId: "chn_a" },
          [attempt("chn_a", "upstream_rate_limited", 429), attempt("chn_a", null)],
        ],
        [
          "failed",
          { channelId: "chn_a", status: 502, error: "upstream_timeout" },
          [attempt("chn_a", "upstream_timeout")],
        ],
        ["saver", { channelId: "chn_a" }, [attempt("chn_b", "upstream_error", 500), attempt("chn_a", null)]],
        ["fine", { channelId: "chn_a" }, [attempt("chn_a", null)]],
      ];
      for (const [index, [requestId, fields, attempts]] of calls.entries()) {
        // A skipped channel has no failed attempt.
        const skipped: CallTrace["skipped"] = [
          { channelId: "chn_c", reason: "circuit", openedAt: at, openReason: "failures" },
        ];
        const trace = { admittedMs: 0, settledMs: 3, attempts, skipped };
        const marked = { at: at + index, requestId, trace, attempts: attempts.length, ...fields };
        await store.ledger.settle(usageRecord(key.id, user.id, marked), PERIOD);
      }
      const failuresOf = async (channelId: string, more = {}) => {
        const range = { from: at, to: at + HOUR, limit: 10, ...more };
        const found = await store.ledger.failedAttempts({ channelId, ...range });
        return found.map((one) => [one.requestId, one.error, one.upstreamStatus, one.status]);
      };
      expect(await failuresOf("chn_a")).toEqual([
        ["failed", "upstream_timeout", null, 502],
        ["again", "upstream_rate_limited", 429, 200],
        ["saved", "upstream_error", 503, 200],
      ]);
      expect(await failuresOf("chn_b")).toEqual([["saver", "upstream_error", 500, 200]]);
      expect(await failuresOf("chn_a", { limit: 1 })).toEqual([["failed", "upstream_timeout", null, 502]]);
      expect(await failuresOf("chn_a", { to: at + 1 })).toEqual([["saved", "upstream_error", 503, 200]]);
      expect(await failuresOf("chn_c")).toEqual([]);
      const [last] = await store.ledger.failedAttempts({
        channelId: "chn_a",
        from: at,
        to: at + HOUR,
        limit: 1,
      });
      expect(last?.message).toBe('chn_a said "upstream_timeout"');
      const failovers = await store.ledger.failovers({ from: at, to: at + HOUR });
      // An attempt that was retried on the same channel is no failover: the call's entry counts for that channel.
      expect(failovers.map((one) => [one.channelId, one.attempts]).sort()).toEqual([
        ["chn_a", 1],
        ["chn_b", 1],
      ]);
      expect(await store.ledger.failovers({ from: at, to: at })).toEqual([]);
      expect(await store.ledger.failovers({ from: at + 59_999, to: at + HOUR })).toHaveLength(2);
      expect(await store.ledger.failovers({ from: at + 60_000, to: at + HOUR })).toEqual([]);
    });

    test("counts every failover, however many there are", async () => {
      const { key, user } = await insertKey(store);
      const at = start + 20 * HOUR;
      const attempts = TRACE.attempts.map((one) => ({
        ...one,
        channelId: one.error === null ? "chn_other" : "chn_often",
      }));
      const fields = { channelId: "chn_other", attempts: 2, trace: { ...TRACE, attempts } };
      const rows = Array.from({ length: 2_050 }, (_, index) =>
        usageRecord(key.id, user.id, { ...fields, at: at + index }),
      );
      await Promise.all(rows.map((row) => store.ledger.settle(row, PERIOD)));
      const failovers = await store.ledger.failovers({ from: at, to: at + HOUR });
      expect(failovers).toEqual([{ model: rows[0]?.model, channelId: "chn_often", attempts: 2_050 }]);
      await expectLedgerSumsToMatch(database);
    });

    test("finds nothing with the filter of another user", async () => {
      expect(await found({ userId: "usr_other", requestId: "req_same" })).toEqual([]);
      expect((await summed({ userId: "usr_other", tag: "blue" })).groups).toEqual([]);
      expect(await found({ userId: ids.user, keyId: ids.key, tag: "night" })).toEqual(["spoken"]);
      expect(await found({ keyIds: ["key_none", ids.key], tag: "night" })).toEqual(["spoken"]);
      expect(await found({ userId: "usr_other", keyIds: [ids.key] })).toEqual([]);
      expect((await summed({ keyIds: ["key_none", "key_two"] })).groups).toEqual([]);
      expect((await summed({ keyIds: [ids.key], by: "key" })).groups).toMatchObject([{ name: ids.key }]);
    });
  });

  describe("one ledger entry", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(() => database.remove());

    test("returns its trace and stored text, which lists leave out", async () => {
      const { key, user } = await insertKey(store);
      const row = usageRecord(key.id, user.id, { trace: TRACE });
      await store.ledger.settle(row, PERIOD, "hello \0 world \ud800");
      expect(await store.ledger.find(row.id)).toEqual({ row, prompt: "hello \ufffd world \ufffd" });
      const page = await store.ledger.list({ limit: 10, cursor: null, q: null, keyId: key.id });
      expect(page.items).toEqual([{ ...row, trace: undefined }]);
      expect(await store.ledger.find("use_nowhere")).toBeNull();
      const { skipped: _skipped, ...withoutSkipped } = TRACE;
      const trace: CallTrace = { ...withoutSkipped, parameters: { dimensions: 256, inputs: 2 } };
      const embedding = usageRecord(key.id, user.id, { trace });
      await store.ledger.settle(embedding, PERIOD);
      expect((await store.ledger.find(embedding.id))?.row.trace).toEqual(trace);
    });

    test("stores trace and text of an open entry when it is settled, once", async () => {
      const { key, user } = await insertKey(store);
      const row = usageRecord(key.id, user.id, { reservedNano: 5 });
      const budgets = { totalNano: null, dailyNano: null, monthlyNano: null };
      await store.ledger.reserve({ row, keyBudget: budgets, userBudget: budgets, ...PERIOD });
      expect(await store.ledger.find(row.id)).toMatchObject({ row: { trace: null }, prompt: null });
      await store.ledger.settle({ ...row, trace: TRACE }, PERIOD, "first");
      await store.ledger.settle(row, PERIOD, "second");
      expect(await store.ledger.find(row.id)).toMatchObject({ row: { trace: TRACE }, prompt: "first" });
    });

    test("is found by its request ID, the newest of several, of that user only", async () => {
      const { key, user } = await insertKey(store);
      const rows = [NOW, NOW + 5, NOW + 2].map((at) =>
        usageRecord(key.id, user.id, { at, requestId: "req_again" }),
      );
      for (const row of rows) await store.ledger.settle(row, PERIOD);
      expect(await store.ledger.findByRequest("req_again")).toBe(rows[1]?.id);
      expect(await store.ledger.findByRequest("req_again", user.id)).toBe(rows[1]?.id);
      expect(await store.ledger.findByRequest("req_again", "usr_other")).toBeNull();
    });

    test("returns the names of its key, user and channel if they still exist", async () => {
      const { key, user } = await insertKey(store);
      const channel = channelRecord({ name: "Upstream one" });
      await store.channels.insert(channel);
      const named = (kind: "key" | "user" | "channel", id: string) => store.ledger.names(kind, [id, "gone"]);
      expect([...(await named("key", key.id))]).toEqual([[key.id, key.name]]);
      expect([...(await named("user", user.id))]).toEqual([[user.id, user.username]]);
      expect([...(await named("channel", channel.id))]).toEqual([[channel.id, "Upstream one"]]);
      expect(await store.ledger.names("key", [])).toEqual(new Map());
      // Playground keys end with their sessions; their calls stay.
      expect([...(await store.ledger.names("key", ["play_gone", "key_gone"]))]).toEqual([
        ["play_gone", "Playground"],
      ]);
    });
  });

  describe("old ledger entries", () => {
    let database: TestDatabase;
    let store: Store;
    const rows = new Map<string, string>();
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
      const { key, user } = await insertKey(store);
      for (const at of [1, 2, 3, 4]) {
        const row = usageRecord(key.id, user.id, { at: NOW + at, costNano: 10 });
        rows.set(row.id, `row ${at}`);
        await store.ledger.settle(row, PERIOD, `words ${at}`);
      }
      const open = usageRecord(key.id, user.id, { at: NOW });
      rows.set(open.id, "open");
      const budgets = { totalNano: null, dailyNano: null, monthlyNano: null };
      await store.ledger.reserve({ row: open, keyBudget: budgets, userBudget: budgets, ...PERIOD });
    });
    afterAll(() => database.remove());

    const left = async () => {
      const page = await store.ledger.list({ limit: 100, cursor: null, q: null });
      return page.items.map((row) => rows.get(row.id)).sort();
    };
    const texts = async () => (await database.raw("select input from prompts order by input")).flat();

    test("lose their texts first, then are removed, oldest first; sums and open calls stay", async () => {
      expect(await store.ledger.sweep("prompts", NOW + 3, 1)).toBe(1);
      expect(await texts()).toEqual(["words 2", "words 3", "words 4"]);
      expect(await store.ledger.sweep("prompts", NOW + 3, 10)).toBe(1);
      expect(await left()).toEqual(["open", "row 1", "row 2", "row 3", "row 4"]);
      expect(await store.ledger.sweep("rows", NOW + 4, 2)).toBe(2);
      expect(await left()).toEqual(["open", "row 3", "row 4"]);
      expect(await store.ledger.sweep("rows", NOW + 4, 2)).toBe(1);
      expect(await store.ledger.sweep("rows", NOW + 4, 2)).toBe(0);
      expect(await left()).toEqual(["open", "row 4"]);
      expect(await texts()).toEqual(["words 4"]);
      const hour = { from: NOW, to: NOW + 3_600_000, by: null, isByHour: false };
      expect((await store.ledger.summarize(hour)).groups).toMatchObject([{ calls: 4, costNano: 40 }]);
    });
  });
}
