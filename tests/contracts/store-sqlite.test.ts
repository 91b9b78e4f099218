import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { workerFile } from "../../lib/server/process/workers";
import { openStore } from "../../lib/store/open";
import { insertKey, PERIOD, SYSTEM_CLOCK, usageRecord } from "../support/factories";
import { storeContract } from "./store";
import { allUsage } from "./store/ledger-sums";
import { newSqliteDatabase } from "./store/sqlite-database";
import { concurrently } from "./store/test-database";

storeContract(newSqliteDatabase);

test("answers reads that scan tables while a backup is made", async () => {
  const database = await newSqliteDatabase();
  const store = await database.open();
  const ended: string[] = [];
  await store.ledger.instances(0);
  const copied = store.backup(path.join(path.dirname(database.file), "backup.db"));
  await Promise.all([
    copied.then(() => ended.push("backup")),
    store.ledger.instances(0).then(() => ended.push("instances")),
  ]);
  expect(ended).toEqual(["instances", "backup"]);
  await database.remove();
});

test("answers reads of lists while many calls are summed", async () => {
  const database = await newSqliteDatabase();
  const store = await database.open();
  const columns = (await database.raw("select name from pragma_table_info('rollups')")).map(([name]) => name);
  const cells = columns.map((name) => (name === "hour" ? 0 : name === "model" ? "'model-' || number" : 1));
  await database.raw(
    `insert into rollups (${columns.join(", ")})
     with recursive numbers(number) as (select 1 union all select number + 1 from numbers where number < 100000)
     select ${cells.join(", ")} from numbers`,
  );
  const sum = () => store.ledger.summarize({ from: 0, to: 1, by: "model", isByHour: false, maxGroups: 1 });
  const ended: string[] = [];
  await Promise.all([sum(), store.ledger.list({ q: null, cursor: null, limit: 1 })]);
  await Promise.all([
    sum().then(() => ended.push("sum")),
    store.ledger.list({ q: null, cursor: null, limit: 1 }).then(() => ended.push("list")),
  ]);
  expect(ended).toEqual(["list", "sum"]);
  await database.remove();
});

test("waits for a backup in progress before it closes", async () => {
  const database = await newSqliteDatabase();
  const store = await database.open();
  const ended: string[] = [];
  const copied = store.backup(path.join(path.dirname(database.file), "backup.db"));
  await Promise.all([copied.then(() => ended.push("backup")), store.close().then(() => ended.push("close"))]);
  expect(ended).toEqual(["backup", "close"]);
  await database.remove();
});

test("opens a backup made under load as a store with everything that was committed before it", async () => {
  const database = await newSqliteDatabase();
  const store = await database.open();
  const { key, user } = await insertKey(store);
  const before = Array.from({ length: 200 }, () => usageRecord(key.id, user.id, { costNano: 1 }));
  await Promise.all(before.map((row) => store.ledger.settle(row, PERIOD)));
  const target = path.join(path.dirname(database.file), "backup.db");
  const backup = store.backup(target);
  const during = concurrently(200, () =>
    store.ledger.settle(usageRecord(key.id, user.id, { costNano: 1 }), PERIOD),
  );
  await Promise.all([backup, ...during]);
  expect(statSync(target).mode & 0o777).toBe(0o600);

  const copy = await openStore({
    databaseUrl: `file:${target}`,
    storeWorker: workerFile("store"),
    instanceId: "copy",
    clock: SYSTEM_CLOCK,
    timeZone: "UTC",
  });
  const ids = new Set((await allUsage(copy)).map((row) => row.id));
  expect(before.filter((row) => !ids.has(row.id))).toEqual([]);
  expect((await copy.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(ids.size);
  expect(await copy.keys.findById(key.id)).toEqual(key);
  await copy.close();
  await database.remove();
});

test("never overwrites a file with a backup, and leaves none when it fails", async () => {
  const database = await newSqliteDatabase();
  const store = await database.open();
  await expect(store.backup(database.file)).rejects.toMatchObject({ code: "conflict" });
  const nowhere = path.join(path.dirname(database.file), "no", "such", "folder.db");
  await expect(store.backup(nowhere)).rejects.toMatchObject({ code: "invalid" });
  expect(existsSync(nowhere)).toBe(false);
  await store.settings.put("still", "works");
  await database.remove();
});
