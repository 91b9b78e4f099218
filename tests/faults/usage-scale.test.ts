import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store, UsageDimension, UsageFilter } from "../../lib/ports/store";
import { seedPostgres, seedSqlite } from "../bench/seed-usage.mjs";
import { allUsage } from "../contracts/store/ledger-sums";
import { newPostgresDatabase } from "../contracts/store/postgres-database";
import { newSqliteDatabase } from "../contracts/store/sqlite-database";
import type { TestDatabase } from "../contracts/store/test-database";
import { longName, NOW } from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";

/** A ledger with a hundred thousand calls of a month: every query of the console answers interactively. */

/** Over 1.05 months: a hundred thousand a month. */
const ROWS = 105_000;
const HOUR = 3_600_000;
const MONTH = 30 * 86_400_000;
/** Dozens of times the duration on an idle machine: fails for endless queries, not on a busy machine. */
const MAX_MS = 10_000;

const SEED = { count: ROWS, from: NOW - 1.05 * MONTH, to: NOW };
/** The oldest entry of all has this request ID. */
const NEEDLE = "req_needle_in_the_hay";

async function seededSqlite(): Promise<TestDatabase> {
  const database = await newSqliteDatabase();
  await (await database.open()).close();
  seedSqlite(database.file, SEED);
  return database;
}

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server.close());

async function seededPostgres(): Promise<TestDatabase> {
  const database = await newPostgresDatabase(server);
  // The store's clock decides which months have a partition.
  await (
    await database.open({ clock: { now: () => SEED.from, monotonic: () => performance.now() } })
  ).close();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await seedPostgres(client, SEED);
  await client.end();
  return database;
}

const STORES: [string, () => Promise<TestDatabase>][] = [
  ["SQLite", seededSqlite],
  ["PostgreSQL", seededPostgres],
];

describe.each(STORES)("a large ledger on %s", (kind, seeded) => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await seeded();
    await database.raw(
      `update usage set request_id = '${NEEDLE}' where id = (select id from usage order by at, id limit 1)`,
    );
    store = await database.open();
  }, 240_000);
  afterAll(() => database?.remove());

  async function inTime<T>(work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const value = await work();
    expect(performance.now() - since).toBeLessThan(MAX_MS);
    return value;
  }

  const sum = (by: UsageDimension | null, more: UsageFilter & { isByHour?: boolean } = {}) =>
    inTime(() => store.ledger.summarize({ from: NOW - MONTH, to: NOW, by, isByHour: false, ...more }));

  const DIMENSIONS: UsageDimension[] = ["model", "channel", "key", "user", "operation", "tag", "end_user"];

  test.each(DIMENSIONS)("counts the calls of a month by %s", async (by) => {
    const { groups, readFrom } = await sum(by);
    // A partly covered hour counts fully.
    const calls = groups.reduce((counted, group) => counted + group.calls, 0);
    expect(Math.abs(calls - 100_000)).toBeLessThan(200);
    expect(readFrom).toBeNull();
  });

  test("answers a month by hour, of failures and of one tag, in time", async () => {
    expect((await sum(null, { isByHour: true })).groups.length).toBeGreaterThanOrEqual(720);
    const failures = await sum(null, { outcome: { kind: "failed" } });
    expect(failures.groups[0]?.calls).toBe(failures.groups[0]?.errors);
    expect((await sum("model", { tag: "team-1" })).groups.length).toBeGreaterThan(0);
  });

  test.each<[string, UsageFilter]>([
    ["without a filter", {}],
    ["of an unknown request ID", { requestId: "req_none" }],
    ["of an unknown caller", { endUser: "nobody" }],
    ["of an unknown tag", { tag: "none" }],
    ["of a model without calls", { model: "none" }],
    ["of an error without calls", { outcome: { kind: "error", code: "internal" } }],
  ])("lists calls %s in time", async (_name, filter) => {
    const page = await inTime(() => store.ledger.list({ limit: 50, cursor: null, q: null, ...filter }));
    expect(page.items).toHaveLength(Object.keys(filter).length === 0 ? 50 : 0);
  });

  test("sums the newest hundred thousand rows, and reports the time of the oldest one", async () => {
    const query = { from: NOW - 2 * MONTH, to: NOW, by: "tag" as const, isByHour: false };
    const { groups, readFrom } = await inTime(() => store.ledger.summarize(query));
    const calls = groups.reduce((counted, group) => counted + group.calls, 0);
    expect(calls).toBeLessThanOrEqual(100_000);
    expect(calls).toBeGreaterThan(99_000);
    expect(readFrom).toBeGreaterThanOrEqual(NOW - MONTH - 60_000);
  });

  test("searches a limited number of entries at once, reports that, and continues before them", async () => {
    const search = (cursor: string | null) =>
      inTime(() => store.ledger.list({ limit: 50, cursor, q: "needle_in_THE" }));
    const pages = [await search(null)];
    for (let page = pages[0]; page?.nextCursor; page = pages.at(-1))
      pages.push(await search(page.nextCursor));
    // Each page searches fifty thousand entries: half a month.
    expect(pages.map((page) => page.items.map((row) => row.requestId))).toEqual([[], [], [NEEDLE]]);
    for (const [index, { searchedFrom }] of pages.slice(0, 2).entries())
      expect(Math.abs((searchedFrom ?? 0) - (NOW - ((index + 1) * MONTH) / 2))).toBeLessThan(0.01 * MONTH);
    expect([pages[2]?.nextCursor, pages[2]?.searchedFrom]).toEqual([null, null]);
    const range = { from: NOW - MONTH / 3, to: NOW };
    const narrow = await store.ledger.list({ limit: 50, cursor: null, q: "needle_in_THE", ...range });
    expect(narrow).toEqual({ items: [], nextCursor: null, searchedFrom: null });
  });

  test("finds the oldest entry by an indexed column", async () => {
    for (const filter of [{ requestId: NEEDLE }, { requestId: NEEDLE, operation: "embeddings" as const }]) {
      const page = await inTime(() => store.ledger.list({ limit: 50, cursor: null, q: null, ...filter }));
      expect([page.nextCursor, page.searchedFrom]).toEqual([null, null]);
      if (filter.operation === undefined) expect(page.items).toHaveLength(1);
    }
  });

  // SQLite's index holds every name in full, so it needs no second index for long names.
  if (kind === "PostgreSQL")
    test("finds the calls of one end user by an index, also with a long name", async () => {
      const long = longName(1_024);
      await database.raw(
        `update usage set end_user = '${long}' where id in (select id from usage order by at, id limit 3)`,
      );
      await database.raw("analyze usage");
      const scansOf = async (index: string) => {
        // The counts of a connection arrive up to ten seconds after its statement.
        const rows = await database.raw(
          `select sum(idx_scan) from pg_stat_user_indexes join pg_index using (indexrelid)
         where pg_get_indexdef(indexrelid) like '%${index}%'`,
        );
        return Number(rows[0]?.[0]);
      };
      for (const [endUser, index] of [
        ["caller-7", "<= 512"],
        [long, "> 512"],
      ] as const) {
        const before = await scansOf(index);
        const page = await store.ledger.list({ limit: 50, cursor: null, q: null, endUser });
        expect(page.items.length).toBeGreaterThan(2);
        await expect.poll(() => scansOf(index), { timeout: 20_000, interval: 200 }).toBeGreaterThan(before);
      }
    }, 60_000);

  test("pages through all matches of a filter without an index, each once", async () => {
    const [[expected] = []] = await database.raw("select count(*) from usage where status = 504");
    const outcome = { kind: "status" as const, status: 504 };
    const rows = await allUsage(store, { outcome });
    expect(rows).toHaveLength(Number(expected));
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(100);
  });

  test("reports the time from which calls are counted if one end of an exact range has too many entries", async () => {
    // All calls but the newest move into three quarters of one hour; the sum of the newest one's hour would be exact.
    const hour = NOW - (NOW % HOUR) - 2_000 * HOUR;
    await database.raw(
      `update usage set at = ${hour} + cast((at - ${SEED.from}) / 1000 as bigint) where at < (select max(at) from usage)`,
    );
    const exact = async (from: number, to: number) => {
      const query = { from, to, by: "model" as const, isByHour: false, isExact: true };
      const { groups, readFrom } = await inTime(() => store.ledger.summarize(query));
      return { calls: groups.reduce((counted, group) => counted + group.calls, 0), readFrom };
    };
    for (const range of [await exact(hour, hour + 0.9 * HOUR), await exact(hour + 1, hour + 2 * HOUR)]) {
      expect(range.calls).toBeGreaterThan(99_000);
      expect(range.calls).toBeLessThanOrEqual(100_000);
      expect(range.readFrom).toBeGreaterThan(hour + 60_000);
    }
    expect(await exact(hour + 0.5 * HOUR, hour + HOUR)).toMatchObject({ readFrom: null });
  });
});
