import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import Database from "libsql";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runAdmin } from "../../lib/server/admin/run";
import { beginCopy, copyTables, openCopySource, openCopyTarget } from "../../lib/store/copy-store";
import { MIGRATIONS } from "../../lib/store/migrations";
import { type AdminHarness, openAdminHarness } from "../support/admin";
import { addUser, enrol, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { channelRecord, longName, modelRecord } from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { bundle } from "../support/store-processes";
import { signInWith } from "../support/two-factor";

const ENTRIES = 2_500;
/** Texts that an array parameter must escape. */
const TEXTS = ['{"a","b"}', "NULL", "", "back\\slash", "two\nlines", "声音 🎧", "it's", longName(1_024)];

let server: TestPostgres;
let admin: AdminHarness;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server.close());
beforeEach(async () => {
  admin = openAdminHarness();
  url = await server.createDatabase();
});
afterEach(() => admin.remove());

const storeFile = (of = admin) => path.join(of.dataDirectory, "patchbay.db");
const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
const migrate = () => admin.run(["migrate-store", url]);

/** Runs statements on the store's file without its triggers, which it restores afterwards. */
function change(...statements: string[]): void {
  const database = new Database(storeFile());
  try {
    const triggers = database.prepare("select name, sql from sqlite_master where type = 'trigger'").all() as {
      name: string;
      sql: string;
    }[];
    for (const { name } of triggers) database.exec(`drop trigger ${name}`);
    for (const sql of statements) database.exec(sql);
    for (const { sql } of triggers) database.exec(sql);
    database.exec("pragma wal_checkpoint(truncate)");
  } finally {
    database.close();
  }
}

async function query(sql: string, on = url): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: on });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Rows of a table of either store as sorted JSON, with numbers as strings. */
const linesOf = (rows: unknown[]) =>
  rows
    .map((row) => JSON.stringify(row, (_, value) => (typeof value === "number" ? String(value) : value)))
    .sort();

function sourceLines(sql: string): string[] {
  const database = new Database(storeFile(), { readonly: true });
  try {
    return linesOf(database.prepare(sql).all());
  } finally {
    database.close();
  }
}

/** SQL that inserts `rows` rows of values made from the row number `n`; `fixed` has other SQL expressions by column. */
function numbered(table: string, rows: number, fixed: Record<string, string>): string {
  const database = new Database(storeFile(), { readonly: true });
  const columns = database.prepare(`pragma table_info("${table}")`).all() as {
    name: string;
    type: string;
    notnull: number;
    pk: number;
  }[];
  database.close();
  const cells = columns.map(({ name, type, notnull, pk }) => {
    const value = type.toLowerCase() === "text" ? `'${name} ' || n` : "n";
    return fixed[name] ?? (notnull === 1 || pk > 0 ? value : `case when n % 2 = 0 then ${value} end`);
  });
  return `insert into "${table}" (${columns.map(({ name }) => `"${name}"`).join(", ")})
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
    select ${cells.join(", ")} from numbers`;
}

/** Makes the store of an instance in use that was stopped, with rows in every table. */
async function fill(): Promise<{ backupCodes: string[] }> {
  const services = await admin.openServices();
  const harness = openConsoleHarness(services);
  const owner = await setUpOwner(harness);
  await addUser(harness, owner, { username: "mia" });
  const { backupCodes } = await enrol(harness, services.clock, owner);
  await harness("/api/keys", { body: { name: "one" }, cookie: owner });
  await services.store.channels.insert(channelRecord());
  await services.store.models.insert(modelRecord());
  await services.close();
  const user = "(select id from users where username = 'olivia')";
  const texts = TEXTS.map((text, index) => `when ${index} then '${text.replaceAll("'", "''")}'`).join(" ");
  change(
    numbered("usage", ENTRIES, {
      id: "'use_' || substr('00000' || (n * 7919 % 100003), -6)",
      user_id: user,
      end_user: `case n % ${TEXTS.length} ${texts} end`,
      cost_nano: "9007199254740 - n",
      state: "'settled'",
      trace: "null",
    }),
    numbered("balances", 30, {}),
    numbered("rollups", 30, {}),
    numbered("daily_rollups", 30, {}),
    numbered("failovers", 30, {}),
    numbered("prompts", 30, {}),
    numbered("rejections", 30, {}),
    numbered("alerts", 30, { resolved_at: "n" }),
    numbered("login_throttles", 30, {}),
    numbered("invites", 30, { user_id: "null" }),
    numbered("flows", 30, { user_id: user }),
  );
  return { backupCodes };
}

/** Copies with the functions behind the command, and stops after `batches` batches; returns the reports. */
async function copyPart(batches: number, batchRows = 100): Promise<[string, number][]> {
  const reports: [string, number][] = [];
  const source = await openCopySource(storeFile());
  await beginCopy(source, source.installation ?? "", url);
  const target = openCopyTarget(url);
  try {
    await copyTables(source, target, {
      batchRows,
      onRows(table, copied) {
        reports.push([table, copied]);
        if (reports.length === batches) throw new Error("killed");
      },
    }).catch((error: unknown) => {
      if (!(error instanceof Error && error.message === "killed")) throw error;
    });
  } finally {
    await target.destroy();
    await source.close();
  }
  return reports;
}

describe("migrate-store", () => {
  test("copies every row, and the server runs on the copy with the same secret", async () => {
    const { backupCodes } = await fill();
    const newestHash = (await admin.run(["verify-audit"])).out;
    const before = digestOf(storeFile());
    const reply = await migrate();
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.out).toBe(`DATABASE_URL=${url.replace(/:[^:]*@/, ":<password>@")}`);
    expect(reply.out + reply.notes).not.toContain(new URL(url).password);
    expect(reply.notes).toContain(`usage: ${ENTRIES} of ${ENTRIES} rows`);
    expect(reply.notes).toContain(path.join(admin.dataDirectory, "secret"));
    expect(digestOf(storeFile())).toBe(before);

    const source = await openCopySource(storeFile());
    const tables = source.tables;
    await source.close();
    for (const { name, columns } of tables) {
      if (name === "audit_head") continue;
      const sql = `select ${columns.map((column) => `"${column.name}"`).join(", ")} from "${name}"`;
      const expected = sourceLines(sql);
      expect(expected.length, name).toBeGreaterThan(0);
      // The migration is recorded in the copy.
      const where = name === "audit" ? " where action <> 'store.migrate'" : "";
      expect(linesOf(await query(sql + where)), name).toEqual(expected);
    }
    expect(await query("select to_regclass('unfinished_copy') as mark")).toEqual([{ mark: null }]);

    admin.variables.DATABASE_URL = url;
    const verified = await admin.run(["verify-audit", "--expect", newestHash]);
    expect(verified.code, verified.notes).toBe(0);
    const services = await admin.openServices();
    const harness = openConsoleHarness(services);
    expect((await signInWith(harness, backupCodes[0] ?? "")).status).toBe(200);
    const { items } = await services.store.audit.list({ limit: 5, cursor: null, q: "store.migrate" });
    expect(items).toMatchObject([{ actor: "admin-command", detail: { file: "patchbay.db" } }]);
    await services.close();
  });

  test("continues an interrupted copy after its last batch; until then no command opens the copy", async () => {
    await fill();
    const all = await copyPart(Number.POSITIVE_INFINITY);
    const stop = all.findIndex(([table, copied]) => table === "usage" && copied === 300) + 1;
    expect(stop).toBeGreaterThan(5);
    url = await server.createDatabase();
    await copyPart(stop);
    expect(await query("select count(*)::int as rows from usage")).toEqual([{ rows: 300 }]);
    const rows = () => query('select id, xmin::text as writer from usage order by id collate "C" limit 300');
    const first = await rows();

    admin.variables.DATABASE_URL = url;
    const start = await admin.run(["unlock", "olivia"]);
    expect([start.code, start.notes]).toEqual([
      1,
      expect.stringContaining("an unfinished copy of a SQLite store"),
    ]);
    expect(start.notes).not.toContain("\n");
    delete admin.variables.DATABASE_URL;

    const rest = await copyPart(Number.POSITIVE_INFINITY);
    expect(rest.find(([table]) => table === "usage")).toEqual(["usage", 400]);
    const reply = await migrate();
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain("Continuing an unfinished copy.");
    expect(await rows()).toEqual(first);
    expect(await query("select count(*)::int as rows from usage")).toEqual([{ rows: ENTRIES }]);
  });

  test("finishes a copy that was killed with SIGKILL three times", {
    timeout: 120_000,
  }, async () => {
    await fill();
    const before = digestOf(storeFile());
    const script = await bundle("lib/server/admin/main.ts");
    let killed = 0;
    for (let turn = 0; turn < 3; turn++) {
      const child = spawn(process.execPath, [script, "migrate-store", url], {
        env: { ...process.env, PATCHBAY_DATA_DIR: admin.dataDirectory },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const ended = new Promise<NodeJS.Signals | null>((resolve) =>
        child.once("close", (_, signal) => resolve(signal)),
      );
      // Kills the copy after its first tables, and each time in a later one.
      let lines = 0;
      for await (const chunk of child.stderr) {
        lines += String(chunk).split("\n").length - 1;
        if (lines >= 3 + 3 * turn) child.kill("SIGKILL");
      }
      if ((await ended) === "SIGKILL") killed += 1;
      admin.variables.DATABASE_URL = url;
      expect((await admin.run(["unlock", "olivia"])).notes).toContain("an unfinished copy");
      delete admin.variables.DATABASE_URL;
    }
    expect(killed).toBe(3);
    const finished = await migrate();
    expect([finished.code, finished.notes]).toEqual([
      0,
      expect.stringContaining("Continuing an unfinished copy."),
    ]);
    expect(digestOf(storeFile())).toBe(before);
    const [rows] = await query("select count(*)::int as rows, count(distinct id)::int as ids from usage");
    expect(rows).toEqual({ rows: ENTRIES, ids: ENTRIES });
  });

  test("migrates a target of an older schema before it copies", async () => {
    await fill();
    for (const migration of MIGRATIONS.slice(0, 3)) for (const one of migration("postgres")) await query(one);
    await query(
      "create table schema_version (id bigint primary key check (id = 1), version bigint not null)",
    );
    await query("insert into schema_version values (1, 3)");
    const reply = await migrate();
    expect(reply.code, reply.notes).toBe(0);
    expect(await query("select version::int from schema_version")).toEqual([{ version: MIGRATIONS.length }]);
  });

  test("copies a broken audit log unchanged and reports it", async () => {
    await fill();
    change(`update audit set hash = '${"a".repeat(64)}' where seq = 1`);
    const reply = await migrate();
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain("The audit log is broken in");
    const guards = "select tgenabled from pg_trigger where tgrelid = 'audit'::regclass and not tgisinternal";
    expect(await query(guards)).toEqual([{ tgenabled: "O" }, { tgenabled: "O" }]);
    admin.variables.DATABASE_URL = url;
    expect((await admin.run(["verify-audit"])).notes).toContain("Audit row 1 was changed");
  });
});

describe("migrate-store on a copy that differs", () => {
  test.each([
    [
      "a changed entry",
      "update usage set cost_nano = cost_nano + 1 where id = 'use_007919'",
      "usage: a row differs in cost_nano",
    ],
    [
      "the sum of a changed entry",
      "update usage set cost_nano = cost_nano + 1 where id = 'use_007919'",
      "usage: the sum of cost_nano is",
    ],
    [
      "a missing entry",
      "delete from usage where id = 'use_007919'",
      `usage: ${ENTRIES} rows in the source, ${ENTRIES - 1} in the copy`,
    ],
    [
      "an entry with another ID",
      "update usage set id = 'other' where id = 'use_007919'",
      "usage: a row is missing",
    ],
    [
      "a changed balance",
      "update balances set reserved = 0 where subject_id = 'subject_id 9'",
      "balances: a row differs in reserved",
    ],
    [
      "a changed setting",
      "update settings set value = 'null' where name = 'secret_check'",
      "settings: a row differs in value",
    ],
    [
      "a changed audit row",
      "alter table audit disable trigger user; update audit set actor = 'x' where seq = 2; alter table audit enable trigger user",
      "audit: its hashes do not verify as in the source",
    ],
  ])("reports %s and leaves the copy unfinished", async (_, sql, message) => {
    await fill();
    await copyPart(Number.POSITIVE_INFINITY, 1_000);
    await query(sql);
    const reply = await migrate();
    expect([reply.code, reply.out]).toEqual([1, ""]);
    expect(reply.notes).toContain(message);
    expect(reply.notes).toContain(`The copy differs in ${message.split(":")[0]}.`);
    admin.variables.DATABASE_URL = url;
    expect((await admin.run(["unlock", "olivia"])).notes).toContain("an unfinished copy");
  });

  test("reports a write to the source during the copy", async () => {
    await fill();
    const notes: string[] = [];
    const terminal = {
      say: () => undefined,
      note(line: string) {
        notes.push(line);
        if (line.startsWith("alerts:")) change("update usage set status = 500 where id = 'use_007919'");
      },
      readSecret: () => Promise.resolve(null),
      isInteractive: false,
    };
    expect(await runAdmin(["migrate-store", url], terminal, { PATCHBAY_DATA_DIR: admin.dataDirectory })).toBe(
      1,
    );
    expect(notes).toContain(`${storeFile()}: another process wrote to it during the copy`);
  });
});

describe("migrate-store preconditions", () => {
  /** Expects exit code 1 with this message, and a database without tables. */
  async function expectRefusal(message: string): Promise<void> {
    const reply = await migrate();
    expect([reply.code, reply.notes]).toEqual([1, expect.stringContaining(message)]);
    expect(await query("select tablename from pg_tables where schemaname = 'public'")).toEqual([]);
  }

  test("refuses a source that is not SQLite and a target that is not PostgreSQL", async () => {
    await fill();
    const other = await admin.run(["migrate-store", `file:${admin.dataDirectory}/other.db`]);
    expect([other.code, other.notes]).toEqual([1, expect.stringContaining("must be postgres://")]);
    admin.variables.DATABASE_URL = await server.createDatabase();
    await expectRefusal("is not a SQLite store");
    expect((await admin.run(["migrate-store"])).code).toBe(2);
  });

  test("refuses a source that a server runs on and says how to stop the server", async () => {
    await fill();
    change(`insert into instances (id, heartbeat_at) values ('otherhost-7-1-x', ${Date.now()})`);
    await expectRefusal("process 7 of the machine otherhost. Stop it first (Ctrl-C, SIGTERM");
  });

  test("refuses a source that is missing, was never set up or has an older schema", async () => {
    await expectRefusal(`${storeFile()} does not exist.`);
    await (await admin.openServices()).close();
    await expectRefusal("was never set up");
    for (const side of ["", "-wal", "-shm"]) rmSync(storeFile() + side, { force: true });
    const database = new Database(storeFile());
    for (const migration of MIGRATIONS.slice(0, -1))
      for (const one of migration("sqlite")) database.exec(one);
    database.exec(`pragma user_version = ${MIGRATIONS.length - 1}`);
    database.close();
    await expectRefusal(`has schema version ${MIGRATIONS.length - 1}`);
  });

  test("refuses another instance secret and a missing one", async () => {
    await fill();
    admin.variables.PATCHBAY_SECRET = "another-secret-of-an-operator-1234";
    await expectRefusal("was encrypted with another secret");
    delete admin.variables.PATCHBAY_SECRET;
    rmSync(path.join(admin.dataDirectory, "secret"));
    await expectRefusal("verified with the instance secret");
  });

  test("refuses a target that contains another installation, finished or not, or a finished copy of this one", async () => {
    await fill();
    await copyPart(5);
    const other = openAdminHarness();
    const services = await other.openServices();
    await setUpOwner(openConsoleHarness(services));
    await services.close();
    const asOther = () => other.run(["migrate-store", url]);
    expect((await asOther()).notes).toContain("an unfinished copy of another installation");
    expect((await migrate()).code).toBe(0);
    expect((await asOther()).notes).toContain("contains another installation");
    expect((await migrate()).notes).toContain("already contains this installation");
    expect(await query("select username from users order by username")).toEqual([
      { username: "mia" },
      { username: "olivia" },
    ]);
    other.remove();
  });

  test("refuses a target that another migrate-store copies to", async () => {
    await fill();
    const source = await openCopySource(storeFile());
    await beginCopy(source, source.installation ?? "", url);
    const target = openCopyTarget(url);
    const copying = copyTables(source, target, { batchRows: 100 });
    const second = openCopyTarget(url);
    const outcomes = await Promise.allSettled([copying, copyTables(source, second, { batchRows: 100 })]);
    for (const one of [target, second]) await one.destroy();
    await source.close();
    const reasons = outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect(reasons).toEqual([
      expect.stringContaining("Another migrate-store is already copying to this database."),
    ]);
    expect((await migrate()).code).toBe(0);
  });
});

test("the schema has no sequence or identity column that a copy would have to set", async () => {
  await fill();
  expect((await migrate()).code).toBe(0);
  expect(await query("select relname from pg_class where relkind = 'S'")).toEqual([]);
});
