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
    newPlace: async () => {
      const place = await newSqliteDatabase();
      return { ...place, at: `file:${place.file}` };
    },
  },
  {
    name: "PostgreSQL",
    kills: 4,
    newPlace: async () => {
      const place = await newPostgresDatabase(server);
      return { ...place, at: place.url };
    },
  },
];

test.each(cases)(
  "$name: after $kills kills, every acknowledged call has exactly one usage row, and sums equal balances",
  { timeout: 240_000 },
  async ({ name, kills, newPlace }) => {
    const place = await newPlace();
    const acknowledged = new Set<string>();
    const instances: string[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const keeper = startStoreProcess(script, "record-calls", place.at);
      instances.push(keeper.instanceId);
      await keeper.ready;
      keeper.start();
      // Some work first, then a kill at a random time.
      await keeper.until((lines) => lines.length > 100);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
      await keeper.kill();
      for (const line of keeper.lines()) if (line.startsWith("use_")) acknowledged.add(line);
    }
    const store = await place.open();
    const before = await allUsage(store);
    const settled = before.filter((row) => row.state === "settled").map((row) => row.id);
    expect([...acknowledged].filter((id) => !settled.includes(id))).toEqual([]);
    expect(new Set(before.map((row) => row.id)).size).toBe(before.length);
    await expectLedgerSumsToMatch(place);

    const open = before.filter((row) => row.state === "open").length;
    expect(await store.ledger.settleOrphans(Date.now(), 0, (id) => instances.includes(id))).toBe(open);
    const after = await allUsage(store);
    expect(after.filter((row) => row.state === "open")).toEqual([]);
    expect(after.filter((row) => row.estimated)).toHaveLength(open);
    await expectLedgerSumsToMatch(place);
    console.log(
      `${name}: ${kills} kills, ${acknowledged.size} acknowledged, 0 lost, ${open} under way settled by estimate`,
    );
    expect(acknowledged.size).toBeGreaterThan(kills * 50);
    await place.remove();
  },
);
