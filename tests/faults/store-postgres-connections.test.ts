import { readFileSync } from "node:fs";
import path from "node:path";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChangeFeed } from "../../lib/store/changes";
import { openStore } from "../../lib/store/open";
import { SILENT } from "../../lib/store/options";
import { ChangeListener } from "../../lib/store/postgres/change-listener";
import { LeasePool, ServerLiveness } from "../../lib/store/postgres/lease-pool";
import { SLOW_MS } from "../../lib/store/postgres/session";
import type { Tables } from "../../lib/store/schema";
import { newPostgresDatabase, type PostgresDatabase } from "../contracts/store/postgres-database";
import { insertKey, PERIOD, SYSTEM_CLOCK, usageRecord } from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { ROOT } from "../support/sources";
import { openTcpGate } from "../support/tcp-gate";

/** The connections of one process to PostgreSQL: how many, for how long, and encrypted or not. */

const CERTIFICATE = path.join(ROOT, "tests/support/tls/first.crt");
const tls = {
  cert: readFileSync(CERTIFICATE, "utf8"),
  key: readFileSync(path.join(ROOT, "tests/support/tls/first.key"), "utf8"),
};
/** 8 for reads, 2 for long reads, 2 for writes, and the listener. */
const MAX_CONNECTIONS = 13;

/** A database in which every query finds no rows. */
const NO_ROWS = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const open = (databaseUrl: string) =>
  openStore({
    databaseUrl,
    // Only a SQLite store starts this worker.
    storeWorker: new URL("file:///dev/null"),
    instanceId: "test",
    clock: SYSTEM_CLOCK,
    timeZone: "UTC",
  });

describe("sslmode in DATABASE_URL", () => {
  let encrypted: TestPostgres;
  let plain: TestPostgres;
  beforeAll(async () => {
    [encrypted, plain] = await Promise.all([startPostgres({ tls }), startPostgres()]);
  }, 120_000);
  afterAll(() => Promise.all([encrypted.close(), plain.close()]));

  /** A database of the server that speaks TLS, by the name in its certificate. */
  const newUrl = async (): Promise<[url: string, database: PostgresDatabase]> => {
    const database = await newPostgresDatabase(encrypted);
    return [database.url.replace("127.0.0.1", "localhost"), database];
  };
  const areEncrypted = async (database: PostgresDatabase): Promise<unknown[]> => {
    const rows = await database.raw(
      `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid)
       where datname = current_database() and application_name like 'patchbay%'`,
    );
    return rows.flat();
  };

  test.each([
    [`verify-full&sslrootcert=${CERTIFICATE}`, [true]],
    ["no-verify", [true]],
    ["disable", [false]],
  ])("%s connects, encrypted unless the mode is disable", async (mode, expected) => {
    const [url, database] = await newUrl();
    const store = await open(`${url}?sslmode=${mode}`);
    await store.ping();
    expect(await areEncrypted(database)).toEqual(expected);
    await store.close();
  });

  test.each(["require", "verify-full"])(
    "%s refuses a certificate that no authority has signed",
    async (mode) => {
      const [url] = await newUrl();
      await expect(open(`${url}?sslmode=${mode}`)).rejects.toThrow(/certificate/);
    },
  );

  test("verify-full refuses a certificate of another host", async () => {
    const database = await newPostgresDatabase(encrypted);
    const url = database.url.replace("127.0.0.1", "127.0.0.2");
    await expect(open(`${url}?sslmode=verify-full&sslrootcert=${CERTIFICATE}`)).rejects.toThrow();
  });

  test("require refuses a server without TLS", async () => {
    const { url } = await newPostgresDatabase(plain);
    await expect(open(`${url}?sslmode=require`)).rejects.toThrow("does not support SSL");
  });
});

describe("a process", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server.close());

  test(`has at most ${MAX_CONNECTIONS} connections under any load`, async () => {
    const database = await newPostgresDatabase(server);
    const store = await database.open();
    const { key, user } = await insertKey(store);
    const seen: number[] = [];
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const [[count] = []] = await database.raw(
          `select count(*) from pg_stat_activity
           where datname = current_database() and application_name like 'patchbay%'`,
        );
        seen.push(Number(count));
      }
    })();
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        if (index % 3 === 0) await store.keys.findById(key.id);
        else if (index % 3 === 1) await store.ledger.settle(usageRecord(key.id, user.id), PERIOD);
        else await store.ledger.list({ limit: 50, cursor: null, q: "nothing" });
      }),
    );
    isOver = true;
    await watching;
    expect(Math.max(...seen)).toBeGreaterThan(3);
    expect(Math.max(...seen)).toBeLessThanOrEqual(MAX_CONNECTIONS);
    await database.remove();
  });

  const poolOf = ({ url }: PostgresDatabase, liveness = new ServerLiveness()) =>
    new LeasePool(url, {
      max: 1,
      statement: { silentMs: SLOW_MS, maxMs: SLOW_MS },
      liveness,
      log: { warn: () => undefined, error: () => undefined },
    });

  test("sets jit to off and random_page_cost to 1.1, so that PostgreSQL prefers an index for a range of rows", async () => {
    const database = await newPostgresDatabase(server);
    const pool = poolOf(database);
    const lease = await pool.connect();
    const { rows } = await lease.query<{ name: string; setting: string }>(
      "select name, setting from pg_settings where name in ('jit', 'random_page_cost') order by name",
      [],
    );
    expect(rows.map(({ name, setting }) => [name, setting])).toEqual([
      ["jit", "off"],
      ["random_page_cost", "1.1"],
    ]);
    lease.release();
    await pool.end();
  });

  test("makes the server end long statements, lock waits and idle transactions", async () => {
    const database = await newPostgresDatabase(server);
    const pool = poolOf(database);
    const lease = await pool.connect();
    const { rows } = await lease.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in
         ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`,
      [],
    );
    expect(rows.map(({ name, setting }) => [name, Number(setting)])).toEqual([
      ["idle_in_transaction_session_timeout", 10_000],
      ["lock_timeout", 810],
      ["statement_timeout", 2_850],
    ]);
    const since = performance.now();
    await expect(lease.query("select pg_sleep(20)", [])).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(performance.now() - since).toBeLessThan(10_000);
    const [[running] = []] = await database.raw(
      "select count(*) from pg_stat_activity where state = 'active' and query like '%pg_sleep(20)%' and pid <> pg_backend_pid()",
    );
    expect(Number(running)).toBe(0);
    lease.release();
    await pool.end();
  });

  test("reconnects for reads and writes once its server has refused a write as read-only", async () => {
    const database = await newPostgresDatabase(server);
    const name = new URL(database.url).pathname.slice(1);
    await database.raw("create table written (id int)");
    const liveness = new ServerLiveness();
    const [readers, writers] = [poolOf(database, liveness), poolOf(database, liveness)];
    const run = async (pool: LeasePool, sql: string): Promise<unknown[]> => {
      const lease = await pool.connect();
      try {
        return (await lease.query<unknown>(sql, [])).rows;
      } finally {
        lease.release();
      }
    };
    const MODE = "select current_setting('transaction_read_only') as mode";
    await database.raw(`alter database ${name} set default_transaction_read_only = on`);
    expect(await run(readers, MODE)).toEqual([{ mode: "on" }]);
    await expect(run(writers, "insert into written values (1)")).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    // As if the name now led to the new primary.
    await database.raw(
      `begin read write; alter database ${name} reset default_transaction_read_only; commit`,
    );
    await run(writers, "insert into written values (1)");
    expect(await run(readers, MODE)).toEqual([{ mode: "off" }]);
    await Promise.all([readers.end(), writers.end()]);
  });

  test("listens on one connection, even when two checks connect at the same time", async () => {
    const database = await newPostgresDatabase(server);
    const url = new URL(database.url);
    const gate = await openTcpGate(Number(url.port));
    url.port = String(gate.port);
    const ofListener = `from pg_stat_activity
      where datname = current_database() and application_name = 'patchbay listener'`;
    const count = async () => Number((await database.raw(`select count(*) ${ofListener}`)).flat()[0]);
    let failNotify: () => void = () => undefined;
    const notified = new Promise<void>((_, reject) => {
      failNotify = () => reject(new Error("not sent"));
    });
    let isLost = false;
    const warn = (event: string) => {
      if (event !== "store_listener_down" || isLost) return;
      isLost = true;
      gate.block();
    };
    const listener = new ChangeListener(url.href, new ChangeFeed(NO_ROWS, SILENT), {
      log: { ...SILENT, warn },
      liveness: new ServerLiveness(),
      notify: () => notified,
    });
    const started = listener.start();
    await expect.poll(count).toBe(1);
    // The first check still tests its notifications when its connection is lost, and a second check connects.
    await database.raw(`select pg_terminate_backend(pid) ${ofListener}`);
    await expect.poll(() => isLost).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 200));
    failNotify();
    await started;
    // The first check is repeated after 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    gate.reopen();
    await expect.poll(count).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await count()).toBe(1);
    await listener.close();
    await expect.poll(count).toBe(0);
    await gate.close();
  });

  test("listens again once its server has refused a write as read-only", async () => {
    const database = await newPostgresDatabase(server);
    const name = new URL(database.url).pathname.slice(1);
    const store = await database.open();
    const listeners = async () =>
      (
        await database.raw(
          `select pid from pg_stat_activity where datname = '${name}' and application_name = 'patchbay listener'`,
        )
      ).flat();
    const [before] = await listeners();
    expect(before).toBeDefined();
    await database.raw(`alter database ${name} set default_transaction_read_only = on`);
    await database.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${name}' and pid <> pg_backend_pid() and application_name <> 'patchbay listener'`,
    );
    const afterWrite = async () => {
      await expect(store.settings.put("a", 1)).rejects.toMatchObject({ code: "storage_unavailable" });
      return listeners();
    };
    await expect.poll(afterWrite, { timeout: 20_000 }).not.toContainEqual(before);
    await store.close();
  });
});
