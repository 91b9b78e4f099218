import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { firstUsageId } from "../../lib/ports/store/ledger";
import { openAdminHarness } from "../support/admin";
import { flowRecord, insertKey, NO_BUDGET, NOW, PERIOD, usageRecord, userRecord } from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { storeContract } from "./store";
import { migratedDatabase, newPostgresDatabase, type PostgresDatabase } from "./store/postgres-database";

let server: TestPostgres;
let migrated: string;
beforeAll(async () => {
  server = await startPostgres();
  migrated = await migratedDatabase(server);
}, 120_000);
afterAll(() => server.close());

// store-start.test.ts and store-upgrade.test.ts test the migrations.
storeContract(() => newPostgresDatabase(server, migrated));

test("refuses a backup and names PostgreSQL's own tool, as the admin command does", async () => {
  const database = await newPostgresDatabase(server);
  const store = await database.open();
  await expect(store.backup("/tmp/backup")).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("pg_dump"),
  });
  const admin = openAdminHarness();
  admin.variables.DATABASE_URL = database.url;
  expect((await admin.run(["backup", "/tmp/backup"])).notes).toContain("pg_dump");
  admin.remove();
  await database.remove();
});

test("does not report a transaction as committed when its work ignored a failed statement", async () => {
  const database = await newPostgresDatabase(server);
  const store = await database.open();
  const user = userRecord();
  await store.users.insert(user);
  const flow = flowRecord(user.id);
  const transaction = store.transaction(async (tx) => {
    await tx.flows.insert(flow);
    await tx.flows.insert(flow).catch(() => undefined);
  });
  await expect(transaction).rejects.toMatchObject({ code: "internal" });
  expect(await store.flows.find(flow.digest)).toBeNull();
  await database.remove();
});

describe("partitions of the usage ledger", () => {
  let database: PostgresDatabase;
  beforeEach(async () => {
    database = await newPostgresDatabase(server);
  });
  afterEach(() => database.remove());

  const month = (count: number) => Date.UTC(2026, 10 + count, 15);
  const clock = (at: number) => ({ now: () => at, monotonic: () => performance.now() });
  const entry = (at: number, fields = {}) =>
    usageRecord("key_1", "usr_1", { id: `${firstUsageId(at)}${Math.random()}`, at, ...fields });

  async function entriesByPartition(): Promise<Record<string, number>> {
    const rows = await database.raw(
      "select tableoid::regclass::text, count(*) from usage group by 1 order by 1",
    );
    return Object.fromEntries(rows.map(([name, count]) => [String(name), Number(count)]));
  }

  async function partitions(): Promise<string[]> {
    const rows = await database.raw(
      "select relid::regclass::text from pg_partition_tree('usage') where level = 1 order by 1",
    );
    return rows.map(([name]) => String(name));
  }

  test("exist from the start for this month and the three after it, and are created again each month", async () => {
    const store = await database.open({ clock: clock(month(0)) });
    const first = ["usage_2026_11", "usage_2026_12", "usage_2027_01", "usage_2027_02"];
    expect(await partitions()).toEqual([...first, "usage_earlier", "usage_other"]);
    await Promise.all([store.ledger.maintain(month(2), null), store.ledger.maintain(month(2), null)]);
    expect(await partitions()).toEqual([
      ...first,
      "usage_2027_03",
      "usage_2027_04",
      "usage_earlier",
      "usage_other",
    ]);
  });

  test("are vacuumed when 2 % of a month's entries were updated, instead of 20", async () => {
    await database.open({ clock: clock(month(0)) });
    const rows = await database.raw(
      "select relname, reloptions::text from pg_class where relname ~ '^usage_[0-9]{4}_[0-9]{2}$' order by 1",
    );
    expect(rows.length).toBe(4);
    for (const [name, options] of rows)
      expect(options, String(name)).toContain("autovacuum_vacuum_scale_factor=0.02");
  });

  test("hold each entry in the month of its ID, and no entry twice", async () => {
    const store = await database.open({ clock: clock(month(0)) });
    const rows = [month(0), Date.UTC(2026, 11, 1) - 1, Date.UTC(2026, 11, 1), month(1)].map((at) =>
      entry(at),
    );
    for (const row of [...rows, ...rows, usageRecord("key_1", "usr_1")])
      await store.ledger.settle(row, PERIOD);
    expect(await entriesByPartition()).toEqual({ usage_2026_11: 2, usage_2026_12: 2, usage_earlier: 1 });
    const [sums] = await database.raw("select cast(sum(calls) as bigint) from rollups");
    expect(sums).toEqual([5]);
    expect((await store.ledger.find(rows[2]?.id ?? ""))?.row.at).toBe(Date.UTC(2026, 11, 1));
  });

  test("take over the entries of a month that had no partition", async () => {
    const store = await database.open({ clock: clock(month(0)) });
    const rows = [entry(month(7)), entry(month(7)), entry(month(9))];
    for (const row of rows) await store.ledger.settle(row, PERIOD);
    expect(await entriesByPartition()).toEqual({ usage_other: 3 });
    await store.ledger.maintain(month(5), null);
    expect(await entriesByPartition()).toEqual({ usage_2027_06: 2, usage_other: 1 });
    expect((await store.ledger.list({ limit: 10, cursor: null, q: null })).items).toHaveLength(3);
  });

  test("are dropped when every entry is settled and older than the retention", async () => {
    const store = await database.open({ clock: clock(month(0)) });
    const open = entry(month(1), { state: "open", status: 0 });
    for (const at of [month(0), month(0), month(1), month(2)]) await store.ledger.settle(entry(at), PERIOD);
    await store.ledger.settle(usageRecord("key_1", "usr_1", { at: month(2) }), PERIOD);
    const none = { totalNano: null, dailyNano: null, monthlyNano: null };
    await store.ledger.reserve({ row: open, keyBudget: none, userBudget: none, ...PERIOD });
    await store.ledger.maintain(month(2), month(0));
    expect(Object.values(await entriesByPartition())).toEqual([2, 2, 1, 1]);
    await store.ledger.maintain(month(2), month(2));
    expect(await entriesByPartition()).toEqual({ usage_2026_12: 2, usage_2027_01: 1, usage_earlier: 1 });
    await store.ledger.settle({ ...open, state: "settled", status: 200 }, PERIOD);
    await store.ledger.maintain(month(3), month(2) + 1);
    expect(await entriesByPartition()).toEqual({ usage_2027_01: 1 });
    const [sums] = await database.raw("select cast(sum(calls) as bigint) from rollups");
    expect(sums).toEqual([6]);
    await store.ledger.settle(usageRecord("key_1", "usr_1"), PERIOD);
    expect(await entriesByPartition()).toEqual({ usage_2027_01: 1, usage_other: 1 });
  });

  test("do not hold up calls: maintenance gives up when a table is in use", async () => {
    const store = await database.open({ clock: clock(month(0)) });
    const reader = new Client({ connectionString: database.url });
    await reader.connect();
    await reader.query("begin");
    await reader.query("select count(*) from usage");
    const since = performance.now();
    await expect(store.ledger.maintain(month(6), null)).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(performance.now() - since).toBeLessThan(800);
    await reader.query("commit");
    await store.ledger.maintain(month(6), null);
    expect(await partitions()).toContain("usage_2027_08");
    await reader.end();
  });
});

test("locks balances in one order, including those of a reservation that is released without cost", async () => {
  const database = await newPostgresDatabase(server, migrated);
  const store = await database.open();
  const [first, later] = [await insertKey(store), await insertKey(store)];
  expect(first.key.id < later.key.id).toBe(true);
  const free = usageRecord(first.key.id, first.user.id, { reservedNano: 30 });
  const priced = () => usageRecord(later.key.id, later.user.id, { costNano: 1 });
  await store.ledger.reserve({ row: free, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD });
  await store.ledger.settle(priced(), PERIOD);
  const [holder, other] = [new Client(database.url), new Client(database.url)];
  await Promise.all([holder.connect(), other.connect()]);
  const locking = "select from balances where subject_id = $1 for update";
  await holder.query("begin");
  await holder.query(locking, [first.key.id]);
  const settled = Promise.all([priced(), free].map((row) => store.ledger.settle(row, PERIOD)));
  const waits =
    "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  const waiting = async () => (await other.query(waits)).rowCount;
  await expect.poll(waiting, { interval: 2 }).toBe(1);
  // If the group locked these before it waits, it could deadlock with a group that waits for them.
  const { rowCount } = await other.query(`${locking} nowait`, [later.key.id]);
  expect(rowCount).toBe(3);
  await holder.query("rollback");
  await settled;
  await Promise.all([holder.end(), other.end()]);
  await database.remove();
});

test("updates balances, sums, keys and heartbeats in place, without index writes", async () => {
  const database = await newPostgresDatabase(server);
  const store = await database.open();
  const { key, user } = await insertKey(store);
  for (let turn = 0; turn < 300; turn++) {
    await store.ledger.settle(usageRecord(key.id, user.id, { costNano: 1, channelId: "chn_1" }), PERIOD);
    if (turn % 10 === 0) await store.keys.touchLastUsed(new Map([[key.id, NOW + turn * 60_000]]));
    if (turn % 10 === 0) await store.ledger.heartbeat(NOW + turn);
  }
  await store.close();
  const rows = await database.raw(
    `select relname, n_tup_upd, n_tup_hot_upd from pg_stat_user_tables
     where relname in ('balances', 'rollups', 'daily_rollups', 'keys', 'instances') order by 1`,
  );
  expect(rows.map(([name]) => name)).toEqual(["balances", "daily_rollups", "instances", "keys", "rollups"]);
  for (const [name, updated, inPlace] of rows) {
    expect(Number(updated), String(name)).toBeGreaterThan(20);
    expect(Number(inPlace) / Number(updated), String(name)).toBeGreaterThan(0.95);
  }
  await database.remove();
});
