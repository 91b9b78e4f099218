import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store, UsageDimension, UsageFilter } from "../../lib/ports/store";
import { seedSqlite } from "../bench/seed-usage.mjs";
import { newSqlitePlace, type SqlitePlace } from "../contracts/store/sqlite-database";
import { NOW } from "../support/factories";

/** A ledger with a hundred thousand calls of a month: every query of the console answers interactively. */

/** Over 1.05 months: a hundred thousand a month. */
const ROWS = 105_000;
const MONTH = 30 * 86_400_000;
/** Dozens of times the duration on an idle machine: fails for endless queries, not on a busy machine. */
const LONGEST_MS = 10_000;

let database: SqlitePlace;
let store: Store;
beforeAll(async () => {
  database = await newSqlitePlace();
  store = await database.open();
  seedSqlite(database.file, { count: ROWS, from: NOW - 1.05 * MONTH, to: NOW });
}, 240_000);
afterAll(() => database?.remove());

async function inTime<T>(work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  const value = await work();
  expect(performance.now() - since).toBeLessThan(LONGEST_MS);
  return value;
}

const sum = (by: UsageDimension | null, more: UsageFilter & { isByHour?: boolean } = {}) =>
  inTime(() => store.ledger.summarize({ from: NOW - MONTH, to: NOW, by, isByHour: false, ...more }));

const DIMENSIONS: UsageDimension[] = ["model", "channel", "key", "user", "operation", "tag", "end_user"];

test.each(DIMENSIONS)("counts the calls of a month by %s", async (by) => {
  const { groups, readFrom } = await sum(by);
  // An hour that has begun counts fully.
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
  ["that are there", {}],
  ["of an unknown request ID", { requestId: "req_none" }],
  ["of an unknown caller", { endUser: "nobody" }],
  ["of an unknown tag", { tag: "none" }],
  ["of a model without calls", { model: "none" }],
  ["of an error that never was", { outcome: { kind: "error", code: "internal" } }],
])("lists calls %s in time", async (_which, filter) => {
  const page = await inTime(() => store.ledger.list({ limit: 50, cursor: null, q: null, ...filter }));
  expect(page.items).toHaveLength(Object.keys(filter).length === 0 ? 50 : 0);
});

test("sums the newest hundred thousand rows, and says since when", async () => {
  const query = { from: NOW - 2 * MONTH, to: NOW, by: "tag" as const, isByHour: false };
  const { groups, readFrom } = await inTime(() => store.ledger.summarize(query));
  const calls = groups.reduce((counted, group) => counted + group.calls, 0);
  expect(calls).toBeLessThanOrEqual(100_000);
  expect(calls).toBeGreaterThan(99_000);
  expect(readFrom).toBeGreaterThanOrEqual(NOW - MONTH - 60_000);
});
