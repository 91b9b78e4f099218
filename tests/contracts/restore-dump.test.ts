import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../lib/store/migrations";
import { type AdminHarness, openAdminHarness } from "../support/admin";
import { addUser, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { insertKey, PERIOD, usageRecord } from "../support/factories";
import { findClientPrograms, startPostgres, type TestPostgres } from "../support/postgres";

/** `restore` on PostgreSQL, with files of the real `pg_dump` and the server of the same Debian package. */

describe("restore of a PostgreSQL dump", () => {
  let programs: string;
  let server: TestPostgres;
  let admin: AdminHarness;
  let url: string;
  beforeAll(async () => {
    programs = findClientPrograms();
    server = await startPostgres({ isSystem: true });
  }, 120_000);
  afterAll(() => server?.close());
  beforeEach(async () => {
    admin = openAdminHarness();
    url = await server.createDatabase();
    admin.variables.DATABASE_URL = url;
    const services = await admin.openServices();
    const harness = openConsoleHarness(services);
    const owner = await setUpOwner(harness);
    await addUser(harness, owner, { username: "mia" });
    await harness("/api/keys", { body: { name: 'back\\slash, "quoted" 声音' }, cookie: owner });
    const { key, user } = await insertKey(services.store);
    await services.store.ledger.settle(usageRecord(key.id, user.id, { costNano: 7 }), PERIOD);
    await services.close();
  });
  afterEach(() => admin.remove());

  const at = (name: string) => path.join(admin.dataDirectory, name);
  const run = (program: string, args: string[]) =>
    execFileSync(path.join(programs, program), args, { stdio: ["ignore", "ignore", "pipe"] });

  async function change(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    for (const sql of statements) await client.query(sql);
    await client.end();
  }

  /** Dumps the store and gives the dump to the command. */
  async function restore(format = "custom") {
    const file = at(`mia's ${format} dump`);
    run("pg_dump", [`--format=${format}`, `--file=${file}`, url]);
    return admin.run(["restore", file]);
  }

  test.each(["custom", "directory", "plain"])(
    "verifies a dump in the %s format without a database",
    async (format) => {
      const file = at(`patchbay.${format}`);
      run("pg_dump", [`--format=${format}`, `--file=${file}`, url]);
      admin.variables.DATABASE_URL = "postgres://nowhere.invalid/x";
      const { code, notes } = await admin.run(["restore", file]);
      expect([code, notes]).toEqual([
        0,
        expect.stringMatching(/\d+ audit rows are intact; the newest hash is \S+\./),
      ]);
      expect(notes).toContain(`schema version ${MIGRATIONS.length}`);
    },
  );

  test.each(["custom", "directory", "plain"])(
    "prints a command that restores the dump to an empty database: %s",
    async (format) => {
      const { out } = await restore(format);
      const verified = (await admin.run(["verify-audit"])).out;
      const empty = await server.createDatabase();
      execFileSync("bash", ["-c", `PATH=${programs}:$PATH ${out.replace("<DATABASE_URL>", empty)}`], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      admin.variables.DATABASE_URL = empty;
      expect(await admin.run(["verify-audit", "--expect", verified])).toMatchObject({
        code: 0,
        out: verified,
      });
      const services = await admin.openServices();
      const { items } = await services.store.ledger.list({ limit: 10, cursor: null, q: null });
      expect(items.map((row) => row.costNano)).toEqual([7]);
      expect(
        (await services.store.keys.list({ limit: 10, cursor: null, q: null, ownerId: null })).items.length,
      ).toBeGreaterThan(1);
      await services.close();
    },
  );

  test("refuses an audit log with a changed row, and one with a missing or forged end", async () => {
    await change("alter table audit disable trigger all", "update audit set actor = 'someone' where seq = 2");
    expect(await restore()).toMatchObject({
      code: 1,
      out: "",
      notes: expect.stringContaining("Audit row 2 was changed"),
    });
    await change("update audit_head set mac = 'x'");
    await change("delete from audit where seq >= 2");
    expect((await restore()).notes).toContain("missing or forged");
  });

  test("refuses a dump of a newer version or another instance, and any other file", async () => {
    await change("update schema_version set version = 99");
    expect((await restore()).notes).toContain("used by a newer Patchbay");
    await change(`update schema_version set version = ${MIGRATIONS.length}`);
    admin.variables.PATCHBAY_SECRET = "another-secret-of-an-operator-1234";
    expect((await restore()).notes).toContain("encrypted with another secret");
    delete admin.variables.PATCHBAY_SECRET;
    await change("drop table schema_version");
    const foreign = await restore();
    expect([foreign.code, foreign.notes]).toEqual([
      1,
      expect.stringContaining("is not a dump of a Patchbay store"),
    ]);
    writeFileSync(at("broken"), "PGDMP and nothing more");
    expect((await admin.run(["restore", at("broken")])).notes).toContain("cannot be read");
    expect((await admin.run(["restore", at("nowhere")])).notes).toContain("does not exist");
  });
});
