import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KeyLimit } from "../../lib/contracts/console/api-keys";
import type { KeyRecord } from "../../lib/ports/store";
import { firstUsageId } from "../../lib/ports/store/ledger";
import { MIGRATIONS } from "../../lib/store/migrations";
import { allUsage, expectLedgerSumsToMatch } from "../contracts/store/ledger-sums";
import { newPostgresDatabase } from "../contracts/store/postgres-database";
import { newSqliteDatabase } from "../contracts/store/sqlite-database";
import { concurrently, type TestDatabase } from "../contracts/store/test-database";
import {
  insertKey,
  keyRecord,
  longName,
  NOW,
  PERIOD,
  SYSTEM_CLOCK,
  usageRecord,
  userRecord,
} from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { bundle, killWhileOpening } from "../support/store-processes";
import { schemaOf } from "../support/store-schema";

type DatabaseWithUrl = TestDatabase & { url: string };

const CALLS = 300;
const KILLS = 6;
const HOUR = 3_600_000;

let script = "";
let server: TestPostgres;
beforeAll(async () => {
  [script, server] = await Promise.all([bundle("tests/support/store-child.ts"), startPostgres()]);
}, 120_000);
afterAll(() => server.close());

async function newFile(): Promise<DatabaseWithUrl> {
  const database = await newSqliteDatabase();
  return { ...database, url: `file:${database.file}` };
}

const STORES: [string, () => Promise<DatabaseWithUrl>][] = [
  ["SQLite", newFile],
  ["PostgreSQL", () => newPostgresDatabase(server)],
];

/** Statements that remove the changes of a later version to the table of alerts. */
const WITHOUT_SNOOZES = [
  "drop index alerts_by_subject",
  ...["delivered_to", "delivery_webhook", "snoozed_by", "snoozed_until"].map(
    (column) => `alter table alerts drop column ${column}`,
  ),
];

/** Statements that remove the changes of a later version to the table of instances. */
const WITHOUT_REPORTS = [
  ...["server", "host", "address", "version", "pid", "started_at", "draining", "in_flight"],
  ...["requests_per_minute", "cpu_percent", "memory_bytes", "change_lag_ms"],
].map((column) => `alter table instances drop column ${column}`);

/** Undoes the partitions of version 9: one table, as earlier versions had it. */
const WITHOUT_PARTITIONS = [
  "create table plain (like usage)",
  "insert into plain select * from usage",
  "drop table usage",
  "alter table plain rename to usage",
  "alter table usage add primary key (id)",
  "create index usage_by_age on usage (at, id)",
  "create index usage_by_user on usage (user_id, at, id)",
  "create index usage_by_key on usage (key_id, at, id)",
  "create index usage_open on usage (owner) where state = 'open'",
  "create index usage_failed on usage (at, id) where error is not null",
  "create index usage_troubled on usage (at, id) where error is not null or attempts > 1",
  "create index usage_by_request on usage (request_id)",
  "create index usage_by_end_user on usage (end_user, at, id) where end_user is not null",
  "create index usage_tagged on usage (at, id, tags) where tags is not null",
];

/** Undoes the indexes of version 10. */
const WHOLE_END_USERS = [
  "drop index usage_by_long_end_user",
  "drop index usage_by_end_user",
  "create index usage_by_end_user on usage (end_user, at, id) where end_user is not null",
];

const BACK_TO_8 = (kind: TestDatabase["kind"]): string[] => (kind === "sqlite" ? [] : WITHOUT_PARTITIONS);

/** Undoes the migrations after version 5. */
const BACK_TO_5 = (kind: TestDatabase["kind"]): string[] => [
  ...BACK_TO_8(kind),
  "drop table failovers",
  ...WITHOUT_SNOOZES,
  ...WITHOUT_REPORTS,
];

/** Statements that remove the changes of versions 3 and later. */
const BACK_TO_2 = (kind: TestDatabase["kind"]): string[] => [
  ...BACK_TO_5(kind),
  kind === "sqlite" ? "drop trigger audit_only_keyed" : "drop trigger audit_only_keyed on audit",
  ...(kind === "sqlite" ? [] : ["drop function refuse_unkeyed_audit"]),
  "drop table audit_head",
  "drop table rejections",
  ...["rpm", "tpm", "concurrency"].map((limit) => `alter table users drop column ${limit}`),
  "alter table keys drop column limits_set_by",
];

/** Statements that remove the changes of versions 2 and later. */
const BACK_TO_1 = (kind: TestDatabase["kind"]): string[] => [
  ...BACK_TO_2(kind),
  "drop index usage_failed",
  "drop index usage_troubled",
  "drop index usage_by_request",
  "drop index usage_by_end_user",
  "drop index usage_tagged",
  "alter table usage drop column trace",
  "alter table users drop column last_seen_at",
  ...["daily_rollups", "prompts", "invites", "alerts"].map((table) => `drop table ${table}`),
];

/** A store of schema version 1, with the usage of some days. */
async function storeOfVersion1(database: TestDatabase): Promise<void> {
  const store = await database.open();
  const { user, key } = await insertKey(store);
  await Promise.all(
    concurrently(CALLS, (call) => {
      const fields = { at: NOW - call * HOUR, costNano: call, inputTokens: 3, channelId: `chn_${call % 2}` };
      return store.ledger.settle(usageRecord(key.id, user.id, fields), PERIOD);
    }),
  );
  await store.close();
  await goBack(database, 1, BACK_TO_1(database.kind));
}

async function goBack(database: TestDatabase, version: number, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await database.raw(sql);
  await database.raw(
    database.kind === "sqlite"
      ? `pragma user_version = ${version}`
      : `update schema_version set version = ${version}`,
  );
}

/** The schema of version 1, created by its own statements. */
async function schema1(newDatabase: () => Promise<TestDatabase>): Promise<string[]> {
  const database = await newDatabase();
  for (const sql of MIGRATIONS[0]?.(database.kind) ?? []) await database.raw(sql);
  const schema = await schemaOf(database);
  await database.remove();
  return schema.filter((one) => !one.includes("schema_version"));
}

async function schemaOfNew(newDatabase: () => Promise<TestDatabase>): Promise<string[]> {
  const database = await newDatabase();
  await database.open();
  const schema = await schemaOf(database);
  await database.remove();
  return schema;
}

async function expectWhole(database: TestDatabase, schema: readonly string[]): Promise<void> {
  const store = await database.open();
  expect(await schemaOf(database)).toEqual(schema);
  await expectLedgerSumsToMatch(database);
  const calls = await allUsage(store);
  expect(calls).toHaveLength(CALLS);
  const { items } = await store.users.list({ limit: 10, cursor: null, q: null });
  expect(items).toHaveLength(1);
  await store.close();
}

describe.each(STORES)("a store of schema version 1 on %s", (_, newDatabase) => {
  test("is upgraded to the newest version with all data and daily sums", async () => {
    const database = await newDatabase();
    await storeOfVersion1(database);
    const before = await schemaOf(database);
    expect(before.filter((one) => !one.includes("schema_version"))).toEqual(await schema1(newDatabase));
    await expectWhole(database, await schemaOfNew(newDatabase));
    await database.remove();
  });

  test(`has either the old or the new version when its upgrade is killed, ${KILLS} times`, {
    timeout: 240_000,
  }, async () => {
    const schema = await schemaOfNew(newDatabase);
    const measured = await newDatabase();
    await storeOfVersion1(measured);
    const since = performance.now();
    await (await measured.open()).close();
    const upgradeMs = performance.now() - since;
    await measured.remove();
    let early = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const database = await newDatabase();
      await storeOfVersion1(database);
      if (await killWhileOpening(script, database.url, (upgradeMs * kill) / KILLS)) early += 1;
      await expectWhole(database, schema);
      await database.remove();
    }
    expect(early).toBeGreaterThan(0);
  });
});

describe.each(STORES)("the upgrade of a store of schema version 2 on %s", (_, newDatabase) => {
  test("treats the limits of a key as set by an administrator if the audit log shows that", async () => {
    const database = await newDatabase();
    const store = await database.open();
    const limits: Partial<KeyRecord> = {
      enabled: false,
      expiresAt: NOW,
      operations: ["speech"],
      allowedModels: ["a"],
      allowedAddresses: ["10.0.0.0/8"],
      rpm: 1,
      tpm: 2,
      concurrency: 3,
      budget: { totalNano: 4, dailyNano: 5, monthlyNano: 6 },
    };
    const { user, key: changed } = await insertKey(store, limits);
    const partly = keyRecord(user.id, { rpm: 1 });
    const own = keyRecord(user.id, limits);
    const rotated = keyRecord(user.id, { rpm: 1 });
    const rotatedTwice = keyRecord(user.id, { tpm: 1 });
    const made = keyRecord(user.id, { rpm: 1 });
    const admin = userRecord({ role: "admin" });
    await store.users.insert(admin);
    const ofAdmin = keyRecord(admin.id, { rpm: 1 });
    for (const key of [partly, own, rotated, rotatedTwice, made, ofAdmin]) await store.keys.insert(key);
    const note = (actor: string, action: string, target: string, detail = {}) =>
      store.transaction((tx) => tx.audit.append({ at: NOW, actor, action, target, detail }));
    await note(admin.id, "key.update", changed.id);
    await note(admin.id, "key.update", partly.id);
    await note(user.id, "key.update", own.id);
    await note(admin.id, "key.delete", own.id);
    // Entries of a deleted key and its replacements.
    await note(admin.id, "key.update", "key_gone");
    await note(user.id, "key.rotate", "key_gone", { replaced_by: rotated.id });
    await note(user.id, "key.rotate", rotated.id, { replaced_by: rotatedTwice.id });
    await note("admin-command", "key.create", made.id);
    await note("usr_owner", "key.update", ofAdmin.id);
    await store.close();
    await goBack(database, 2, BACK_TO_2(database.kind));

    const upgraded = await database.open();
    const authors = async ({ id }: KeyRecord) => (await upgraded.keys.findById(id))?.limitsSetBy;
    expect(await authors(changed)).toEqual(
      Object.fromEntries(KeyLimit.options.map((limit) => [limit, "admin"])),
    );
    expect(await authors(partly)).toEqual({ rpm: "admin" });
    expect(await authors(own)).toEqual({});
    expect(await authors(rotated)).toEqual({ rpm: "admin" });
    expect(await authors(rotatedTwice)).toEqual({ tpm: "admin" });
    expect(await authors(made)).toEqual({ rpm: "admin" });
    expect(await authors(ofAdmin)).toEqual({ rpm: "owner" });
    expect(await upgraded.users.findById(user.id)).toEqual(user);
    await database.remove();
  });
});

describe.each(STORES)("the upgrade of a store of schema version 5 on %s", (_, newDatabase) => {
  test("counts the failovers of earlier calls", async () => {
    const database = await newDatabase();
    const store = await database.open();
    const { user, key } = await insertKey(store);
    const attempt = (channelId: string, error: string | null, message: string | null = null) => ({
      channelId,
      keyId: null,
      startedMs: 1,
      firstByteMs: null,
      endedMs: 2,
      error,
      upstreamStatus: null,
      message,
    });
    const calls: [string | null, ReturnType<typeof attempt>[]][] = [
      ["chn_b", [attempt("chn_a", "upstream_error", 'It said "no" \\ \n \0'), attempt("chn_b", null)]],
      ["chn_b", [attempt("chn_a", "upstream_timeout"), attempt("chn_b", null)]],
      ["chn_a", [attempt("chn_a", "upstream_error"), attempt("chn_a", null)]],
      [null, [attempt("chn_a", "upstream_error"), attempt("chn_c", "upstream_error")]],
      ["chn_a", [attempt("chn_a", "upstream_error")]],
    ];
    for (const [channelId, attempts] of calls) {
      const trace = { admittedMs: 0, settledMs: 3, attempts };
      const fields = { at: NOW, channelId, trace, attempts: attempts.length };
      await store.ledger.settle(usageRecord(key.id, user.id, fields), PERIOD);
    }
    await store.ledger.settle(usageRecord(key.id, user.id, { at: NOW, attempts: 2 }), PERIOD);
    await store.close();
    await goBack(database, 5, BACK_TO_5(database.kind));
    const upgraded = await database.open();
    const failovers = await upgraded.ledger.failovers({ from: NOW, to: NOW + 1 });
    expect(failovers.map((one) => [one.channelId, one.attempts]).sort()).toEqual([
      ["chn_a", 3],
      ["chn_c", 1],
    ]);
    await expectLedgerSumsToMatch(database);
    await upgraded.close();
    await database.remove();
  });
});

describe("the upgrade of a store of schema version 8 on PostgreSQL", () => {
  /** What a running instance of version 8 sends, over a connection that has prepared it before the upgrade. */
  const SETTLE = `insert into usage (id, request_id, at, key_id, user_id, model, operation, attempts, input_tokens,
      output_tokens, characters, audio_ms, cost_nano, reserved_nano, status, state, cached, estimated, overrun,
      latency_ms, owner, day, month)
    values ($1, $1, $2, 'key_1', 'usr_1', 'tts', 'speech', 1, 0, 0, 0, 0, 0, 0, 200, $3, 0, 0, 0, 1, 'old', 'd', 'm')
    on conflict (id) do update set state = excluded.state where usage.state = 'open'`;

  test("keeps every entry while an instance of version 8 still writes, and stores none twice", async () => {
    const database = await newPostgresDatabase(server);
    await storeOfVersion1(database);
    await (await database.open()).close();
    await goBack(database, 8, BACK_TO_8("postgres"));
    const old = new Client({ connectionString: database.url });
    await old.connect();
    const write = (id: string, state: string) =>
      old.query({ name: "settle", text: SETTLE, values: [id, NOW, state] });
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      while (!isOver) {
        await write(`use_running_${written}`, "open");
        await write(`use_running_${written}`, "settled");
        written += 1;
      }
    })();
    const upgraded = await database.open();
    await upgraded.ledger.settle(
      usageRecord("key_2", "usr_1", { id: "usg_1800000000000a", at: NOW }),
      PERIOD,
    );
    const during = written;
    while (written < during + 20) await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
    await writing;
    await old.end();
    const [counts] = await database.raw(
      "select count(*), count(distinct id), count(*) filter (where state = 'open') from usage",
    );
    expect(counts?.map(Number)).toEqual([CALLS + written + 1, CALLS + written + 1, 0]);
    const [[earlier] = []] = await database.raw("select count(*) from usage_earlier");
    expect(Number(earlier)).toBe(CALLS + written);
    await database.remove();
  });

  test("does not wait for a lock that calls would wait behind", async () => {
    const database = await newPostgresDatabase(server);
    await (await database.open()).close();
    await goBack(database, 8, BACK_TO_8("postgres"));
    const [reader, caller] = [
      new Client({ connectionString: database.url }),
      new Client({ connectionString: database.url }),
    ];
    await Promise.all([reader.connect(), caller.connect()]);
    await reader.query("begin");
    await reader.query("select count(*) from usage");
    const opening = database.open();
    let longestMs = 0;
    for (const since = performance.now(); performance.now() - since < 2_000; ) {
      const asked = performance.now();
      await caller.query("select id from usage limit 1");
      longestMs = Math.max(longestMs, performance.now() - asked);
    }
    await reader.query("commit");
    await opening;
    expect(longestMs).toBeLessThan(900);
    await Promise.all([reader.end(), caller.end()]);
    await database.remove();
  });
});

describe("the upgrade of a store of schema version 9 on PostgreSQL", () => {
  test("admits end users with long names in every month, also in future months", async () => {
    const database = await newPostgresDatabase(server);
    await storeOfVersion1(database);
    await (await database.open()).close();
    await goBack(database, 9, WHOLE_END_USERS);
    const later = { now: () => SYSTEM_CLOCK.now() + 366 * 24 * HOUR, monotonic: () => performance.now() };
    await expectWhole(database, await schemaOfNew(() => newPostgresDatabase(server)));
    const store = await database.open({ clock: later });
    const months = await database.raw(
      "select relid::regclass::text from pg_partition_tree('usage') where isleaf order by 1",
    );
    expect(months.length).toBeGreaterThan(6);
    const indexed = await database.raw(
      `select tablename, count(*) from pg_indexes where indexdef like '%length(end_user)%' and tablename <> 'usage'
       group by 1 order by 1`,
    );
    expect(indexed).toEqual(months.map(([name]) => [name, 2]));
    const [[unused] = []] = await database.raw("select count(*) from pg_index where not indisvalid");
    expect(Number(unused)).toBe(0);
    const { key, user } = await insertKey(store);
    const ids = [
      "use_of_an_earlier_version",
      `${firstUsageId(SYSTEM_CLOCK.now())}a`,
      `${firstUsageId(later.now())}a`,
    ];
    const rows = ids.map((id) =>
      usageRecord(key.id, user.id, { id, at: later.now(), endUser: longName(1_024) }),
    );
    for (const row of rows) await store.ledger.settle(row, PERIOD);
    expect(await allUsage(store, { endUser: longName(1_024) })).toHaveLength(3);
    await database.remove();
  });
});
