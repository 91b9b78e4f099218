import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../lib/store/migrations";
import { allUsage, expectBooksToBalance } from "../contracts/store/books";
import { NOW, type Place, together } from "../contracts/store/place";
import { newPostgresPlace } from "../contracts/store/postgres-place";
import { insertKey, PERIOD, usageRecord } from "../contracts/store/records";
import { newSqlitePlace } from "../contracts/store/sqlite-place";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { bundle, killWhileOpening } from "../support/store-processes";
import { schemaOf } from "../support/store-schema";

type UrlPlace = Place & { url: string };

const CALLS = 300;
const KILLS = 6;
const HOUR = 3_600_000;

let script = "";
let server: TestPostgres;
beforeAll(async () => {
  [script, server] = await Promise.all([bundle("tests/support/store-child.ts"), startPostgres()]);
}, 120_000);
afterAll(() => server.close());

async function newFile(): Promise<UrlPlace> {
  const place = await newSqlitePlace();
  return { ...place, url: `file:${place.file}` };
}

const PLACES: [string, () => Promise<UrlPlace>][] = [
  ["SQLite", newFile],
  ["PostgreSQL", () => newPostgresPlace(server)],
];

/** What version 2 brought, taken away again. */
const BACK_TO_1 = [
  "drop index usage_failed",
  "drop index usage_troubled",
  "drop index usage_by_request",
  "drop index usage_by_end_user",
  "drop index usage_tagged",
  "alter table usage drop column trace",
  "alter table users drop column last_seen_at",
  ...["daily_rollups", "prompts", "invites", "alerts"].map((table) => `drop table ${table}`),
];

/** A store as a Patchbay of schema version 1 has left it, with the books of some days. */
async function storeOfVersion1(place: Place): Promise<void> {
  const store = await place.open();
  const { user, key } = await insertKey(store);
  await Promise.all(
    together(CALLS, (call) => {
      const fields = { at: NOW - call * HOUR, costNano: call, inputTokens: 3, channelId: `chn_${call % 2}` };
      return store.ledger.settle(usageRecord(key.id, user.id, fields), PERIOD);
    }),
  );
  await store.close();
  for (const sql of BACK_TO_1) await place.raw(sql);
  await place.raw(
    place.kind === "sqlite" ? "pragma user_version = 1" : "update schema_version set version = 1",
  );
}

/** The schema of version 1, made by its own statements. */
async function schema1(newPlace: () => Promise<Place>): Promise<string[]> {
  const place = await newPlace();
  for (const sql of MIGRATIONS[0]?.(place.kind) ?? []) await place.raw(sql);
  const schema = await schemaOf(place);
  await place.remove();
  return schema.filter((one) => !one.includes("schema_version"));
}

async function schemaOfNew(newPlace: () => Promise<Place>): Promise<string[]> {
  const place = await newPlace();
  await place.open();
  const schema = await schemaOf(place);
  await place.remove();
  return schema;
}

async function expectWhole(place: Place, schema: readonly string[]): Promise<void> {
  const store = await place.open();
  expect(await schemaOf(place)).toEqual(schema);
  await expectBooksToBalance(place);
  const calls = await allUsage(store);
  expect(calls).toHaveLength(CALLS);
  const { items } = await store.users.list({ limit: 10, cursor: null, q: null });
  expect(items).toHaveLength(1);
  await store.close();
}

describe.each(PLACES)("a store of schema version 1 on %s", (_, newPlace) => {
  test("is led to the newest version with all it holds, its books in days too", async () => {
    const place = await newPlace();
    await storeOfVersion1(place);
    const before = await schemaOf(place);
    expect(before.filter((one) => !one.includes("schema_version"))).toEqual(await schema1(newPlace));
    await expectWhole(place, await schemaOfNew(newPlace));
    await place.remove();
  });

  test(`is of one version or the other when its upgrade is killed, ${KILLS} times`, {
    timeout: 240_000,
  }, async () => {
    const schema = await schemaOfNew(newPlace);
    const measured = await newPlace();
    await storeOfVersion1(measured);
    const since = performance.now();
    await (await measured.open()).close();
    const upgradeMs = performance.now() - since;
    await measured.remove();
    let early = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const place = await newPlace();
      await storeOfVersion1(place);
      if (await killWhileOpening(script, place.url, (upgradeMs * kill) / KILLS)) early += 1;
      await expectWhole(place, schema);
      await place.remove();
    }
    expect(early).toBeGreaterThan(0);
  });
});
