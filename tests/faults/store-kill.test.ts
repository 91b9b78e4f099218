import { afterAll, beforeAll, expect, test } from "vitest";
import { allUsage, expectLedgerSumsToMatch } from "../contracts/store/ledger-sums";
import { newPostgresDatabase } from "../contracts/store/postgres-database";
import { newSqliteDatabase } from "../contracts/store/sqlite-database";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { bundle, startStoreProcess } from "../support/store-processes";

let script = "";
let server: TestPostgres;
beforeAll(async () => {
  [script, server] = await Promise.all([bundle("tests/support/store-child.ts"), startPostgres()]);
}, 120_000);
afterAll(() => server.close());

const cases = [
  {
    name: "SQLite",
    kills: 8,
    newDatabase: async () => {
      const database = await newSqliteDatabase();
      return { ...database, at: `file:${database.file}` };
    },
  },
  {
    name: "PostgreSQL",
    kills: 4,
    newDatabase: async () => {
      const database = await newPostgresDatabase(server);
      return { ...database, at: database.url };
    },
  },
];

test.each(cases)(
  "$name: after $kills kills, every acknowledged call has exactly one usage row, and sums equal balances",
  { timeout: 240_000 },
  async ({ name, kills, newDatabase }) => {
    const database = await newDatabase();
    const acknowledged = new Set<string>();
    const instances: string[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const keeper = startStoreProcess(script, "record-calls", database.at);
      instances.push(keeper.instanceId);
      await keeper.ready;
      keeper.start();
      // Some work first, then a kill at a random time.
      await keeper.until((lines) => lines.length > 100);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
      await keeper.kill();
      for (const line of keeper.lines()) if (line.startsWith("use_")) acknowledged.add(line);
    }
    const store = await database.open();
    const before = await allUsage(store);
    const settled = before.filter((row) => row.state === "settled").map((row) => row.id);
    expect([...acknowledged].filter((id) => !settled.includes(id))).toEqual([]);
    expect(new Set(before.map((row) => row.id)).size).toBe(before.length);
    await expectLedgerSumsToMatch(database);

    const open = before.filter((row) => row.state === "open").length;
    expect(await store.ledger.settleOrphans(0, (id) => instances.includes(id))).toBe(open);
    const after = await allUsage(store);
    expect(after.filter((row) => row.state === "open")).toEqual([]);
    expect(after.filter((row) => row.estimated)).toHaveLength(open);
    await expectLedgerSumsToMatch(database);
    console.log(
      `${name}: ${kills} kills, ${acknowledged.size} acknowledged, 0 lost, ${open} under way settled by estimate`,
    );
    expect(acknowledged.size).toBeGreaterThan(kills * 50);
    await database.remove();
  },
);
