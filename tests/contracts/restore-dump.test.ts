import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../lib/store/migrations";
import { type AdminHarness, openAdminHarness } from "../support/admin";
import { addUser, enrol, OWNER, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { insertKey, PERIOD, usageRecord } from "../support/factories";
import { findClientPrograms, startPostgres, type TestPostgres } from "../support/postgres";
import { signInWith } from "../support/two-factor";

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

  async function changeIn(database: string, ...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: database });
    await client.connect();
    for (const sql of statements) await client.query(sql);
    await client.end();
  }
  const change = (...statements: string[]) => changeIn(url, ...statements);

  /** Runs a printed command with the client programs. */
  const runPrinted = (line: string | undefined, database: string) =>
    execFileSync("bash", ["-c", `PATH=${programs}:$PATH ${line?.replace("<DATABASE_URL>", database)}`], {
      stdio: ["ignore", "ignore", "pipe"],
    });

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
      runPrinted(out.split("\n")[0], empty);
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

  /** Dumps an instance with 2FA, an invite and a key; then uses a backup code, deletes the key, restores the dump. */
  async function restoreAfterChanges() {
    const services = await admin.openServices();
    const harness = openConsoleHarness(services);
    const { cookie } = await harness("/api/user/login", { body: OWNER });
    const key = (await harness("/api/keys", { body: { name: "leaked" }, cookie })).json.data;
    const invite = (await harness("/api/invites", { body: { role: "member", expires_hours: 24 }, cookie }))
      .json.data;
    const { backupCodes } = await enrol(harness, services.clock, cookie);
    run("pg_dump", ["--format=custom", `--file=${at("dump")}`, url]);
    const [spent = "", unspent = ""] = backupCodes;
    expect((await signInWith(harness, spent)).status).toBe(200);
    await harness(`/api/keys/${key.id}`, { method: "DELETE", cookie });
    await services.close();
    const { out } = await admin.run(["restore", at("dump")]);
    const restored = await server.createDatabase();
    const [first, second] = out.split("\n");
    runPrinted(first, restored);
    // The heartbeat in the dump is recent, so a server would seem to run on the restored store.
    await changeIn(restored, "update instances set heartbeat_at = heartbeat_at - 60000");
    admin.variables.DATABASE_URL = restored;
    return { cookie, key, invite, spent, unspent, second };
  }

  const openHarness = async () => {
    const services = await admin.openServices();
    return { services, harness: openConsoleHarness(services) };
  };

  test("finish-restore ends sessions, links and spent codes, and lists what works again, also when run twice", async () => {
    const { cookie, key, invite, spent, unspent, second } = await restoreAfterChanges();
    expect(second).toBe(
      "DATABASE_URL=<DATABASE_URL> npm run admin -- finish-restore --previous <DATABASE_URL before the restore>",
    );
    for (let time = 1; time <= 2; time++) {
      const reply = await admin.run(["finish-restore", "--previous", url]);
      expect(reply.code, reply.notes).toBe(0);
      expect(reply.notes).toContain("have been ended");
      expect(reply.notes).toContain(`  leaked (${key.display}): deleted since the backup`);
      expect(reply.notes).not.toMatch(/nothing was compared|may work again/);
    }
    const { services, harness } = await openHarness();
    expect((await harness("/api/user/self", { cookie })).status).toBe(401);
    const body = {
      token: invite.token,
      username: "eve",
      password: "x y z w v u t",
      confirmPassword: "x y z w v u t",
    };
    expect((await harness("/api/invites/accept", { body })).json.code).toBe("not_found");
    expect((await signInWith(harness, spent)).status).toBe(401);
    expect((await signInWith(harness, unspent)).status).toBe(200);
    const { items } = await services.store.audit.list({ limit: 5, cursor: null, q: "store.restore" });
    const detail = { replaced: { seq: expect.any(Number) }, users: [], keys: [key.id] };
    expect(items.map((row) => row.detail)).toMatchObject([detail, detail]);
    expect((await services.store.audit.verify()).brokenAt).toBeNull();
    await services.close();
  });

  test("finish-restore without the previous database ends sessions, and says that nothing was compared", async () => {
    const { cookie } = await restoreAfterChanges();
    const reply = await admin.run(["finish-restore"]);
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain("nothing was compared");
    expect(reply.notes).toContain("create new ones: olivia.");
    const { services, harness } = await openHarness();
    expect((await harness("/api/user/self", { cookie })).status).toBe(401);
    await services.close();
  });

  test("finish-restore is refused while a server runs, and for a database that is not the restored one", async () => {
    const services = await admin.openServices();
    const { cookie } = await openConsoleHarness(services)("/api/user/login", { body: OWNER });
    await services.store.ledger.heartbeat(Date.now());
    const running = await admin.run(["finish-restore"]);
    expect([running.code, running.notes]).toEqual([
      1,
      expect.stringContaining("A server runs on this store"),
    ]);
    expect((await openConsoleHarness(services)("/api/user/self", { cookie })).status).toBe(200);
    await services.close();
    const refused = async (...args: string[]) => {
      const { code, notes } = await admin.run(["finish-restore", ...args]);
      expect(code).toBe(1);
      return notes;
    };
    expect(await refused("--previous", url)).toContain("not the restored one");
    expect(await refused("--previous", "patchbay.db")).toContain("--previous must be postgres://");
    const empty = await server.createDatabase();
    expect(await refused("--previous", empty)).toContain("cannot be read");
    admin.variables.DATABASE_URL = empty;
    for (let time = 1; time <= 2; time++)
      expect(await refused()).toContain('cannot be read (relation "setup" does not exist)');
    delete admin.variables.DATABASE_URL;
    expect(await refused()).toContain("DATABASE_URL is not PostgreSQL");
  });

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
