import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../lib/store/migrations";
import { newPostgresDatabase } from "../contracts/store/postgres-database";
import { newSqliteDatabase } from "../contracts/store/sqlite-database";
import type { TestDatabase } from "../contracts/store/test-database";
import { insertKey } from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { bundle, killWhileOpening, startStoreProcess } from "../support/store-processes";
import { schemaOf } from "../support/store-schema";

const STARTERS = 8;
/** The soak run sets more. */
const SQLITE_ROUNDS = Number(process.env.PATCHBAY_TEST_STARTS ?? 3);
const KILLS = 10;
const NEWER = MIGRATIONS.length + 1;

let script = "";
let server: TestPostgres;
beforeAll(async () => {
  [script, server] = await Promise.all([bundle("tests/support/store-child.ts"), startPostgres()]);
}, 120_000);
afterAll(() => server.close());

async function startTogether(url: string): Promise<string[][]> {
  const all = Array.from({ length: STARTERS }, () => startStoreProcess(script, "open", url));
  await Promise.all(all.map((one) => one.ready));
  for (const one of all) one.start();
  await Promise.all(all.map((one) => one.ended));
  return all.map((one) => one.lines());
}

describe("eight processes that start concurrently", () => {
  test(`all open an empty SQLite store, ${SQLITE_ROUNDS} times`, {
    timeout: 120_000 + SQLITE_ROUNDS * 40_000,
  }, async () => {
    for (let round = 0; round < SQLITE_ROUNDS; round++) {
      const database = await newSqliteDatabase();
      expect(await startTogether(`file:${database.file}`)).toEqual(Array(STARTERS).fill(["open"]));
      await database.remove();
    }
  });

  test("all open an empty PostgreSQL store", { timeout: 240_000 }, async () => {
    const database = await newPostgresDatabase(server);
    expect(await startTogether(database.url)).toEqual(Array(STARTERS).fill(["open"]));
    expect(await database.raw("select version from schema_version")).toEqual([[MIGRATIONS.length]]);
    await database.remove();
  });
});

describe("a start that is killed", () => {
  const cases: [string, () => Promise<TestDatabase & { at: string }>][] = [
    [
      "SQLite",
      async () => {
        const database = await newSqliteDatabase();
        return { ...database, at: `file:${database.file}` };
      },
    ],
    [
      "PostgreSQL",
      async () => {
        const database = await newPostgresDatabase(server);
        return { ...database, at: database.url };
      },
    ],
  ];
  test.each(cases)(
    `leaves no partial schema in %s, ${KILLS} times`,
    { timeout: 240_000 },
    async (_, newDatabase) => {
      const whole = await newDatabase();
      const since = performance.now();
      await whole.open();
      const openMs = performance.now() - since;
      const expected = await schemaOf(whole);
      await whole.remove();
      let early = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const database = await newDatabase();
        if (await killWhileOpening(script, database.at, (openMs * kill) / KILLS)) early += 1;
        const store = await database.open();
        expect(await schemaOf(database)).toEqual(expected);
        await store.settings.put("works", true);
        await database.remove();
      }
      console.log(`${early} of ${KILLS} starts were killed before the store was open`);
      expect(early).toBeGreaterThan(0);
    },
  );

  test("leaves no partial schema in SQLite with half of the tables in the log", async () => {
    const database = await newSqliteDatabase();
    const half = MIGRATIONS[0]?.("sqlite").slice(0, 12) ?? [];
    const writer = [
      'import Database from "libsql";',
      `const db = new Database(${JSON.stringify(database.file)});`,
      'db.exec("pragma journal_mode = wal"); db.exec("pragma cache_size = 1"); db.exec("begin immediate");',
      `for (const sql of ${JSON.stringify(half)}) db.exec(sql);`,
      'process.kill(process.pid, "SIGKILL");',
    ].join("\n");
    const { spawnSync } = await import("node:child_process");
    const child = spawnSync(process.execPath, ["--input-type=module", "-e", writer]);
    expect(child.signal).toBe("SIGKILL");
    const store = await database.open();
    await insertKey(store);
    await database.remove();
  });
});

describe("a store of a newer version", () => {
  test("is rejected and unchanged on SQLite", async () => {
    const database = await newSqliteDatabase();
    await (await database.open()).close();
    await database.raw(`pragma user_version = ${NEWER}`);
    // A connection that is still closing leaves the change in the log.
    await database.raw("pragma wal_checkpoint(truncate)");
    const before = readFileSync(database.file);
    await expect(database.open()).rejects.toThrow(/newer Patchbay.*backup/s);
    expect(readFileSync(database.file).equals(before)).toBe(true);
    await database.remove();
  });

  test("is rejected and unchanged on PostgreSQL", async () => {
    const database = await newPostgresDatabase(server);
    await (await database.open()).close();
    await database.raw(`update schema_version set version = ${NEWER}`);
    await expect(database.open()).rejects.toThrow(/newer Patchbay.*backup/s);
    expect(await database.raw("select version from schema_version")).toEqual([[NEWER]]);
    await database.remove();
  });
});

describe("a damaged store", () => {
  const overwrite = (file: string, at: number, bytes: Buffer): void => {
    const handle = openSync(file, "r+");
    writeSync(handle, bytes, 0, bytes.length, at);
    closeSync(handle);
  };
  const PAGE = 4_096;
  const damages: [string, (file: string) => void][] = [
    ["another header", (file) => overwrite(file, 0, Buffer.from("PK\u0003\u0004 not a database"))],
    ["text as its content", (file) => writeFileSync(file, "hello, this is no database at all\n".repeat(400))],
    ["the end missing", (file) => truncateSync(file, statSync(file).size - 5 * PAGE)],
    ["a cut in the first page", (file) => truncateSync(file, 700)],
    ["pages of noise", (file) => overwrite(file, 3 * PAGE, Buffer.alloc(4 * PAGE, 0xa5))],
    ["pages of zeros", (file) => overwrite(file, 2 * PAGE, Buffer.alloc(6 * PAGE))],
  ];

  test.each(damages)("with %s is rejected with the restore command and not changed", async (_, damage) => {
    const database = await newSqliteDatabase();
    const store = await database.open();
    for (let count = 0; count < 20; count++) await insertKey(store);
    await store.close();
    damage(database.file);
    const before = createHash("sha256").update(readFileSync(database.file)).digest("hex");
    await expect(database.open()).rejects.toThrow(/damaged.*npm run admin -- restore/s);
    expect(createHash("sha256").update(readFileSync(database.file)).digest("hex")).toBe(before);
    await database.remove();
  });

  test("with a row without its user is rejected", async () => {
    const database = await newSqliteDatabase();
    const store = await database.open();
    await insertKey(store);
    await store.close();
    await database.raw("update keys set owner_id = 'usr_unknown'");
    await expect(database.open()).rejects.toThrow(/damaged.*keys.*users/s);
    await database.remove();
  });
});

describe("a store that cannot be opened for writing", () => {
  test("in a folder that is a file is rejected by name", async () => {
    const database = await newSqliteDatabase();
    writeFileSync(`${database.file}.d`, "");
    const file = path.join(`${database.file}.d`, "patchbay.db");
    const starter = startStoreProcess(script, "open", `file:${file}`);
    await starter.ready;
    starter.start();
    expect(await starter.ended).toBe(1);
    expect(starter.lines()[0]).toContain(`${file} cannot be opened for writing`);
    await database.remove();
  });

  test("whose log cannot be created is rejected by name", async () => {
    const database = await newSqliteDatabase();
    await (await database.open()).close();
    rmSync(`${database.file}-wal`, { force: true });
    mkdirSync(`${database.file}-wal`);
    await expect(database.open()).rejects.toThrow(`${database.file} cannot be opened for writing`);
    await database.remove();
  });

  test("in a read-only file is rejected by name", async () => {
    const database = await newSqliteDatabase();
    await (await database.open()).close();
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      for (const one of [path.dirname(database.file), database.file]) chownSync(one, 65_534, 65_534);
    }
    chmodSync(database.file, 0o400);
    chmodSync(path.dirname(database.file), 0o500);
    const starter = startStoreProcess(script, isRoot ? "open-unprivileged" : "open", `file:${database.file}`);
    await starter.ready;
    starter.start();
    expect(await starter.ended).toBe(1);
    expect(starter.lines()[0]).toContain(`${database.file} cannot be opened for writing`);
    chmodSync(path.dirname(database.file), 0o700);
    await database.remove();
  });

  test("on an unreachable PostgreSQL or in an unknown database is reported without the password", async () => {
    const database = await newPostgresDatabase(server);
    const { openStore } = await import("../../lib/store/open");
    const open = (databaseUrl: string) =>
      openStore({
        databaseUrl,
        storeWorker: new URL("file:///dev/null"),
        instanceId: "x",
        clock: { now: () => 0, monotonic: () => 0 },
      });
    const refusals = await Promise.allSettled([
      open("postgres://ada:secret-word@127.0.0.1:1/none"),
      open(server.url("no_such_database")),
    ]);
    const reasons = refusals.map((one) => (one.status === "rejected" ? String(one.reason) : "opened"));
    expect(reasons[0]).toMatch(/127\.0\.0\.1:1\/none cannot be opened for writing \(.*ECONNREFUSED/);
    expect(reasons[0]).not.toContain("secret-word");
    expect(reasons[1]).toMatch(/no_such_database.*does not exist/);
    await database.remove();
  });
});
