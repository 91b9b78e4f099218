import { createHash, randomBytes } from "node:crypto";
import {
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { applyStoredSettings } from "../../../lib/console/settings/apply-settings";
import { billingPeriod } from "../../../lib/ports/billing-period";
import { createCipher } from "../../../lib/store/cipher";
import { newOwner } from "../../../lib/store/folder-owner";
import { MIGRATIONS } from "../../../lib/store/migrations";
import { type AdminHarness, openAdminHarness } from "../../support/admin";
import {
  addUser,
  type ConsoleHarness,
  enrol,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../../support/console-harness";
import { usageRecord } from "../../support/factories";
import type { TestServices } from "../../support/services";
import { totpCode } from "../../support/totp";
import { beginSignIn, signInWith } from "../../support/two-factor";

let admin: AdminHarness;
const open: TestServices[] = [];
beforeEach(() => {
  admin = openAdminHarness();
});
afterEach(async () => {
  for (const services of open.splice(0)) await services.close();
  admin.remove();
});

const at = (name: string) => path.join(admin.dataDirectory, name);

interface Server {
  services: TestServices;
  harness: ConsoleHarness;
  stop(): Promise<void>;
}

async function serve(): Promise<Server> {
  const services = await admin.openServices();
  open.push(services);
  return {
    services,
    harness: openConsoleHarness(services),
    async stop() {
      open.splice(open.indexOf(services), 1);
      await services.close();
    },
  };
}

function change(file: string, ...statements: string[]): void {
  const database = new Database(file);
  try {
    for (const sql of statements) database.exec(sql);
  } finally {
    database.close();
  }
}

function rowsOf<T>(file: string, sql: string): T[] {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare(sql).all() as T[];
  } finally {
    database.close();
  }
}

const backUp = async () => expect((await admin.run(["backup", at("copy.db")])).code).toBe(0);
const restore = () => admin.run(["restore", at("copy.db")]);

describe("restore of codes and links", () => {
  test("revokes invites and password resets of the backup, used or open", async () => {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    const mia = await addUser(server.harness, owner, { username: "mia" });
    const body = { role: "admin", expires_hours: 24 };
    const used = (await server.harness("/api/invites", { body, cookie: owner })).json.data;
    const unused = (await server.harness("/api/invites", { body, cookie: owner })).json.data;
    const reset = (await server.harness(`/api/users/${mia.id}/password_reset`, { body: {}, cookie: owner }))
      .json.data;
    await backUp();
    const password = "nine blue lanterns drift";
    const accept = (harness: ConsoleHarness, { token }: { token: string }, username: string) =>
      harness("/api/invites/accept", { body: { token, username, password, confirmPassword: password } });
    const accepted = await accept(server.harness, used, "first");
    expect(accepted.status, accepted.text).toBe(200);
    await server.stop();

    const reply = await restore();
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain("one-time links");
    const { harness } = await serve();
    for (const link of [used, unused])
      expect((await accept(harness, link, "second")).json.code).toBe("not_found");
    const choice = { token: reset.token, password, confirmPassword: password };
    const again = await harness("/api/password-resets/accept", { body: choice });
    expect(again.json.code).toBe("not_found");
    expect(rowsOf(at("patchbay.db"), "select * from invites")).toEqual([]);
  });

  /** An owner with 2FA, backed up; then a TOTP code and a backup code are used. */
  async function signInAfterBackup() {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    const { secret, backupCodes } = await enrol(server.harness, server.services.clock, owner);
    await backUp();
    const code = totpCode(secret, server.services.clock.now());
    expect((await signInWith(server.harness, code)).status).toBe(200);
    expect((await signInWith(server.harness, backupCodes[0] ?? "")).status).toBe(200);
    const usedAt = server.services.clock.now();
    await server.stop();
    return { secret, backupCodes, code, usedAt };
  }

  /** A server whose clock shows `now`. */
  async function serveAt(now: number): Promise<Server> {
    const server = await serve();
    server.services.clock.advance(now - server.services.clock.now());
    return server;
  }

  test("rejects TOTP and backup codes that were used since the backup, and accepts unused ones", async () => {
    const { secret, backupCodes, code, usedAt } = await signInAfterBackup();
    const reply = await restore();
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).not.toContain("Backup codes spent");
    const { harness, services } = await serveAt(usedAt);
    expect((await signInWith(harness, code)).status).toBe(401);
    expect((await signInWith(harness, backupCodes[0] ?? "")).status).toBe(401);
    expect((await signInWith(harness, backupCodes[1] ?? "")).status).toBe(200);
    services.clock.advance(30_000);
    expect((await signInWith(harness, totpCode(secret, services.clock.now()))).status).toBe(200);
  });

  test.each([
    ["is damaged", () => writeFileSync(at("patchbay.db"), "SQLite format 3\0 and no more than that")],
    [
      "belongs to another instance",
      () => change(at("patchbay.db"), "update setup set owner_id = 'usr_other'"),
    ],
  ])("rejects earlier TOTP codes and prints a warning when the replaced store %s", async (_, damage) => {
    const { secret, code } = await signInAfterBackup();
    damage();
    // Read before the restore: if a TOTP step ends in between, the restore rejects a later step than the test uses.
    const restoredAt = Date.now();
    const reply = await restore();
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain("No earlier state of this instance could be read");
    expect(reply.notes).toContain("Backup codes spent since the backup may work again");
    expect(reply.notes).toContain("create new ones: olivia.");
    const { harness, services } = await serveAt(restoredAt);
    // Sign-in accepts codes of one step before and after.
    const used = [-30_000, 0, 30_000].map((ms) => totpCode(secret, services.clock.now() + ms));
    for (const one of [code, ...used]) expect((await signInWith(harness, one)).status).toBe(401);
    services.clock.advance(90_000);
    expect((await signInWith(harness, totpCode(secret, services.clock.now()))).status).toBe(200);
  });

  test("rejects a TOTP code used before the backup when the replaced store is older", async () => {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    const { secret } = await enrol(server.harness, server.services.clock, owner);
    const code = totpCode(secret, server.services.clock.now());
    expect((await signInWith(server.harness, code)).status).toBe(200);
    const usedAt = server.services.clock.now();
    await backUp();
    await server.stop();
    change(at("patchbay.db"), "update two_factors set last_step = 1");
    const reply = await restore();
    expect(reply.code, reply.notes).toBe(0);
    const { harness } = await serveAt(usedAt);
    expect((await signInWith(harness, code)).status).toBe(401);
  });

  test("revokes backup codes that were replaced since the backup, and names their owner", async () => {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    const { secret, backupCodes } = await enrol(server.harness, server.services.clock, owner);
    await backUp();
    const renewed = await server.harness("/api/user/2fa/backup_codes", {
      body: { password: OWNER.password, code: totpCode(secret, server.services.clock.now()) },
      cookie: owner,
    });
    expect(renewed.status, renewed.text).toBe(200);
    await server.stop();
    const reply = await restore();
    expect(reply.notes).toContain("No backup code is left for: olivia.");
    const { harness } = await serve();
    expect((await signInWith(harness, backupCodes[0] ?? "")).status).toBe(401);
  });

  test("rejects earlier TOTP codes and prints a warning when 2FA was set up again since the backup", async () => {
    const { secret } = await signInAfterBackup();
    change(at("patchbay.db"), "update two_factors set enrolment_id = 'enr_other', last_step = 1");
    const reply = await restore();
    expect(reply.notes).toContain("create new ones: olivia.");
    expect(reply.notes).not.toContain("No earlier state");
    expect(reply.notes).toContain("olivia: has an earlier 2FA setup again");
    const { harness, services } = await serveAt(Date.now());
    const now = totpCode(secret, services.clock.now());
    expect((await signInWith(harness, now)).status).toBe(401);
  });

  test("ends pending sign-ins and all sessions", async () => {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    const { secret } = await enrol(server.harness, server.services.clock, owner);
    const { token } = await beginSignIn(server.harness);
    await backUp();
    await server.stop();
    await restore();
    const { harness, services } = await serve();
    services.clock.advance(120_000);
    expect((await harness("/api/user/self", { cookie: owner })).status).toBe(401);
    const body = { code: totpCode(secret, services.clock.now()), flow_token: token };
    expect((await harness("/api/user/login/2fa", { body })).json.code).toBe("flow_expired");
  });
});

describe("restore and cached results", () => {
  test("gives the caches a generation that no process has used before, and so does the next clearing", async () => {
    const generations: number[] = [];
    const clear = async ({ harness, services }: Server, cookie: string) => {
      const reply = await harness("/api/settings/caches/clear", { body: {}, cookie });
      expect(reply.status, reply.text).toBe(200);
      generations.push(services.state.cacheGeneration);
    };
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    // Earlier versions stored the number of clearings.
    await server.services.store.settings.put("cache_clearings", 7);
    await applyStoredSettings(server.services);
    expect(server.services.state.cacheGeneration).toBe(7);
    generations.push(7);
    await backUp();
    await clear(server, owner);
    await clear(server, owner);
    await server.stop();
    const reply = await restore();
    expect(reply.code, reply.notes).toBe(0);

    const restored = await serve();
    await applyStoredSettings(restored.services);
    generations.push(restored.services.state.cacheGeneration);
    const { cookie } = await restored.harness("/api/user/login", { body: OWNER });
    await clear(restored, cookie);
    expect(new Set(generations).size).toBe(5);
  });
});

describe("the access that restore brings back", () => {
  /** Restores the backup and returns the indented lines that it prints, sorted. */
  async function printedLines(): Promise<string[]> {
    const reply = await restore();
    expect(reply.code, reply.notes).toBe(0);
    const lines = reply.notes.split("\n");
    return lines.filter((line) => line.startsWith("  ")).sort();
  }

  test("is printed for API keys that were deleted, disabled, rotated or restricted, and for no others", async () => {
    const server = await serve();
    const { harness } = server;
    const owner = await setUpOwner(harness);
    const mia = await addUser(harness, owner, { username: "mia" });
    const names = ["same", "deleted", "disabled", "rotated", "narrowed", "widened", "renamed", "off"];
    const keys = new Map<string, { id: string; display: string; version: number }>();
    const make = async (name: string, fields: object, cookie = owner) => {
      const made = await harness("/api/keys", { body: { name, ...fields }, cookie });
      expect(made.status, made.text).toBe(200);
      keys.set(name, made.json.data);
    };
    for (const name of names) await make(name, { rpm: 60, allowed_models: ["patchbay-embed"] });
    await make("hers", {}, mia.cookie);
    const patch = async (name: string, body: object) => {
      const key = keys.get(name);
      const reply = await harness(`/api/keys/${key?.id}`, {
        method: "PATCH",
        body: { version: key?.version, ...body },
        cookie: owner,
      });
      expect(reply.status, reply.text).toBe(200);
      keys.set(name, reply.json.data);
    };
    await patch("off", { enabled: false });
    await backUp();
    await harness(`/api/keys/${keys.get("deleted")?.id}`, { method: "DELETE", cookie: owner });
    await harness(`/api/keys/${keys.get("off")?.id}`, { method: "DELETE", cookie: owner });
    await patch("disabled", { enabled: false });
    await harness(`/api/keys/${keys.get("rotated")?.id}/rotate`, { body: {}, cookie: owner });
    await patch("narrowed", { rpm: 5, allowed_models: ["patchbay-embed", "patchbay-speech"] });
    await patch("widened", { rpm: null, allowed_models: [] });
    await patch("renamed", { name: "another name" });
    await harness(`/api/users/${mia.id}`, { method: "DELETE", cookie: owner });
    await server.stop();

    const lines = await printedLines();
    const line = (name: string, reason: string) => `  ${name} (${keys.get(name)?.display}): ${reason}`;
    expect(lines).toEqual(
      [
        "  mia: deleted since the backup",
        line("deleted", "deleted since the backup"),
        line("disabled", "disabled since the backup"),
        line("hers", "deleted since the backup"),
        line("narrowed", "restricted since the backup: rpm"),
        line("rotated", "rotated or given an earlier expiry since the backup"),
      ].sort(),
    );
    const { services } = await serve();
    const { items } = await services.store.audit.list({ limit: 1, cursor: null, q: "store.restore" });
    const ids = ["deleted", "disabled", "hers", "narrowed", "rotated"].map((name) => keys.get(name)?.id);
    expect(items[0]?.detail).toMatchObject({ replaced: { seq: expect.any(Number) }, users: [mia.id] });
    expect([items[0]?.detail.keys].flat().sort()).toEqual(ids.sort());
  });

  test("is printed for users that were disabled or lost rights, and for the keys of a disabled owner", async () => {
    const server = await serve();
    const { harness } = server;
    const owner = await setUpOwner(harness);
    const mia = await addUser(harness, owner, { username: "mia" });
    const max = await addUser(harness, owner, { username: "max", role: "admin" });
    const key = (await harness("/api/keys", { body: { name: "hers" }, cookie: mia.cookie })).json.data;
    await backUp();
    const patch = (id: string, body: object) =>
      harness(`/api/users/${id}`, { method: "PATCH", body: { version: 1, ...body }, cookie: owner });
    expect((await patch(mia.id, { enabled: false })).status).toBe(200);
    expect((await patch(max.id, { role: "member" })).status).toBe(200);
    await server.stop();
    const lines = await printedLines();
    expect(lines).toEqual([
      `  hers (${key.display}): its owner was disabled since the backup`,
      "  max: admin again, was member",
      "  mia: disabled since the backup",
    ]);
  });

  test("is printed for keys with restricted addresses in any notation, and with limits that an admin set", async () => {
    const server = await serve();
    const { harness } = server;
    const owner = await setUpOwner(harness);
    const mia = await addUser(harness, owner, { username: "mia" });
    const keys = new Map<string, { id: string; display: string }>();
    const lists: [string, string[], string[]][] = [
      ["same", ["10.0.0.1", "10.1.0.0/16"], ["10.1.0.0/16", "10.0.0.1/32"]],
      ["wider now", ["10.1.2.0/24"], ["10.0.0.0/8"]],
      ["narrower now", ["10.0.0.0/8"], ["10.1.0.0/16"]],
      ["mapped", ["::ffff:192.0.2.7", "2001:db8:0::/48"], ["192.0.2.7", "2001:db8::/32"]],
    ];
    for (const [name, addresses] of lists) {
      const body = { name, allowed_addresses: addresses };
      const made = await harness("/api/keys", { body, cookie: owner });
      expect(made.status, made.text).toBe(200);
      keys.set(name, made.json.data);
    }
    keys.set(
      "hers",
      (await harness("/api/keys", { body: { name: "hers", rpm: 5 }, cookie: mia.cookie })).json.data,
    );
    await backUp();
    const patch = async (name: string, body: object) => {
      const path = `/api/keys/${keys.get(name)?.id}`;
      const reply = await harness(path, { method: "PATCH", body: { version: 1, ...body }, cookie: owner });
      expect(reply.status, reply.text).toBe(200);
    };
    for (const [name, , addresses] of lists) await patch(name, { allowed_addresses: addresses });
    await patch("hers", { rpm: 7 });
    await server.stop();
    const lines = await printedLines();
    const line = (name: string, reason: string) => `  ${name} (${keys.get(name)?.display}): ${reason}`;
    expect(lines).toEqual([
      line("hers", "its owner may change limits that others set since the backup: rpm"),
      line("narrower now", "restricted since the backup: allowed_addresses"),
    ]);
  });

  test("is printed for each budget that was spent from since the backup, with the amount", async () => {
    const server = await serve();
    const { harness } = server;
    const owner = await setUpOwner(harness);
    const budget = { total_usd: "20", daily_usd: "5", monthly_usd: "8" };
    const mia = await addUser(harness, owner, { username: "mia" });
    const limit = { version: 1, budget: { total_usd: "50" } };
    await harness(`/api/users/${mia.id}`, { method: "PATCH", body: limit, cookie: owner });
    const make = async (name: string, fields: object) => {
      const made = await harness("/api/keys", { body: { name, ...fields }, cookie: mia.cookie });
      expect(made.status, made.text).toBe(200);
      return made.json.data;
    };
    const limited = await make("limited", { budget });
    const [unlimited, idle] = [await make("unlimited", {}), await make("idle", { budget })];
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const now = billingPeriod(timeZone, Date.now());
    const spend = (keyId: string, usd: number, period = now) =>
      server.services.store.ledger.settle(
        usageRecord(keyId, mia.id, { costNano: usd * 1_000_000_000 }),
        period,
      );
    await spend(limited.id, 1);
    await spend(idle.id, 2);
    await backUp();
    await spend(limited.id, 2.0000005);
    // Of another day and another month: counts only towards the total budget.
    await spend(limited.id, 4, { day: "2001-01-01", month: "2001-01" });
    await spend(unlimited.id, 5);
    // More than is left of the daily and the monthly budget.
    await spend(limited.id, 7);
    const patch = { version: limited.version, rpm: 5 };
    await harness(`/api/keys/${limited.id}`, { method: "PATCH", body: patch, cookie: owner });
    await server.stop();
    expect(await printedLines()).toEqual([
      `  limited (${limited.display}): restricted since the backup: rpm; has $13.0000005 of the total budget, $4.00 of the daily budget, $7.00 of the monthly budget again`,
      "  mia: has $18.0000005 of the total budget again",
    ]);
  });

  test("is printed for a user who set up 2FA since the backup", async () => {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    await backUp();
    await enrol(server.harness, server.services.clock, owner);
    await server.stop();
    const lines = await printedLines();
    expect(lines).toEqual([`  ${OWNER.username}: signs in without the 2FA set up since the backup`]);
  });

  test("is printed without the control characters of a name", async () => {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    const key = (await server.harness("/api/keys", { body: { name: "k" }, cookie: owner })).json.data;
    await backUp();
    change(at("copy.db"), `update keys set name = 'a' || char(27) || '[2Jb'`);
    await server.harness(`/api/keys/${key.id}`, { method: "DELETE", cookie: owner });
    await server.stop();
    const { notes } = await restore();
    expect(notes).toContain("a\ufffd[2Jb (");
    expect(notes).not.toContain("\u001b");
  });
});

describe("restore of a foreign or damaged file", () => {
  const page = (file: string, offset: number, bytes: Buffer) => {
    const all = readFileSync(file);
    bytes.copy(all, offset);
    writeFileSync(file, all);
  };
  const hostile: [string, (file: string) => void, RegExp][] = [
    [
      "one more trigger",
      (file) =>
        change(file, "create trigger t after insert on audit begin update users set role = 'owner'; end"),
      /trigger 't' is not Patchbay's/,
    ],
    [
      "our trigger with another text",
      (file) =>
        change(
          file,
          "drop trigger audit_no_delete",
          "create trigger audit_no_delete before delete on audit begin delete from users; end",
        ),
      /trigger 'audit_no_delete' is defined differently/,
    ],
    [
      "no audit trigger",
      (file) => change(file, "drop trigger audit_no_update"),
      /'audit_no_update' is missing/,
    ],
    ["a view", (file) => change(file, "create view v as select * from users"), /view 'v' is not Patchbay's/],
    [
      "a view in place of a table",
      (file) => change(file, "alter table prompts rename to p", "create view prompts as select * from p"),
      /table 'p' is not Patchbay's/,
    ],
    [
      "a virtual table",
      (file) => change(file, "create virtual table words using fts5(word)"),
      /table 'words' is not Patchbay's/,
    ],
    [
      "a virtual table in place of ours",
      (file) =>
        change(file, "drop table prompts", "create virtual table prompts using fts5(usage_id, at, input)"),
      /table 'prompts' is defined differently/,
    ],
    [
      "a generated column",
      (file) =>
        change(file, "alter table users add column g text generated always as (upper(username)) virtual"),
      /table 'users' is defined differently/,
    ],
    [
      "another definition of a table",
      (file) =>
        change(file, "drop table prompts", "create table prompts (usage_id text, at bigint, input text)"),
      /table 'prompts' is defined differently/,
    ],
    [
      "an index on an expression",
      (file) => change(file, "create index i on users (upper(username))"),
      /index 'i' is not Patchbay's/,
    ],
    [
      "a changed index",
      (file) =>
        change(file, "drop index users_by_age", "create index users_by_age on users (hex(created_at), id)"),
      /index 'users_by_age' is defined differently/,
    ],
    [
      "statistics for the planner",
      (file) => change(file, "analyze"),
      /table 'sqlite_stat1' is not Patchbay's/,
    ],
    [
      "more differences than are named",
      (file) => change(file, ...[1, 2, 3, 4, 5].map((n) => `create table t${n} (a)`)),
      /table 't1' .*table 't2' .*table 't3' .*; and 2 more/,
    ],
    [
      "the version of an older Patchbay",
      (file) => change(file, "pragma user_version = 1"),
      /schema version 1, but table 'users' is defined differently/,
    ],
    ["no version", (file) => change(file, "pragma user_version = 0"), /not a Patchbay store/],
    [
      "a schema that does not parse",
      (file) =>
        change(
          file,
          "pragma writable_schema = on",
          "update sqlite_master set sql = 'create table users (' where name = 'users'",
        ),
      /is damaged/,
    ],
    ["a broken magic", (file) => page(file, 0, Buffer.from("SQLite format 4")), /is not a SQLite database/],
    ["an invalid page size", (file) => page(file, 16, Buffer.from([0x12, 0x34])), /is damaged/],
    ["a header that asks for a newer format", (file) => page(file, 18, Buffer.from([9, 9])), /is damaged/],
    ["only a header", (file) => writeFileSync(file, readFileSync(file).subarray(0, 100)), /is damaged/],
    [
      "half of its pages",
      (file) => writeFileSync(file, readFileSync(file).subarray(0, 4096 * 6)),
      /is damaged/,
    ],
    ["random pages", (file) => page(file, 4096 * 2, randomBytes(4096 * 20)), /is damaged/],
    [
      "tables that share their pages",
      (file) =>
        change(
          file,
          "pragma writable_schema = on",
          "update sqlite_master set rootpage = (select rootpage from sqlite_master where name = 'users') where name = 'prompts'",
        ),
      /is damaged/,
    ],
  ];

  test.each(hostile)("rejects a file with %s before any of its code runs", async (_, damage, message) => {
    const server = await serve();
    await setUpOwner(server.harness);
    await backUp();
    await server.stop();
    damage(at("copy.db"));
    const [backup, store] = [readFileSync(at("copy.db")), readFileSync(at("patchbay.db"))];
    const reply = await restore();
    expect([reply.code, reply.notes]).toEqual([1, expect.stringMatching(message)]);
    expect(reply.notes).toContain(at("copy.db"));
    expect(readFileSync(at("copy.db")).equals(backup)).toBe(true);
    expect(readFileSync(at("patchbay.db")).equals(store)).toBe(true);
    expect(readdirSync(admin.dataDirectory).filter((file) => /restor|copy\.db-/.test(file))).toEqual([]);
  });
});

describe("restore of earlier backups", () => {
  const SECRET = "a secret 0f some l3ngth for restoring";
  const cipher = createCipher({ current: SECRET, previous: [] });

  /** Creates a store of schema version `version` with an owner, the secret check and, up to version 2, an audit row. */
  function storeOfVersion(file: string, version: number): void {
    const database = new Database(file);
    try {
      for (const migration of MIGRATIONS.slice(0, version)) {
        for (const statement of migration("sqlite")) database.exec(statement);
      }
      database.exec(`pragma user_version = ${version}`);
      database.exec("insert into setup (id, claimed_at, owner_id) values (1, 1, 'usr_1')");
      database.exec(
        `insert into users (id, username, username_key, display_name, role, enabled, password_hash, password_version,
           created_at, version) values ('usr_1', 'olivia', 'olivia', 'Olivia', 'owner', 1, 'x', 1, 1, 1)`,
      );
      const put = database.prepare("insert into settings (name, value) values (?, ?)");
      const word = cipher.encrypt("secret-check", "settings/secret_check/value", "patchbay");
      put.run(["secret_check", JSON.stringify(word)]);
      if (version > 2) return;
      // Before version 4, the hash of an audit row is a SHA-256 without a key.
      const fields = `{"action":"setup.claim","actor":"usr_1","at":1,"detail":"{}","seq":1,"target":""}`;
      const first = "0".repeat(64);
      const hash = createHash("sha256").update(`${first}\n${fields}`).digest("hex");
      database
        .prepare("insert into audit values (1, 1, 'usr_1', 'setup.claim', '', '{}', ?, ?)")
        .run([first, hash]);
    } finally {
      database.close();
    }
  }

  test.each(MIGRATIONS.map((_, index) => index + 1))(
    "restores a backup of schema version %d",
    async (version) => {
      admin.variables.PATCHBAY_SECRET = SECRET;
      storeOfVersion(at("copy.db"), version);
      const reply = await restore();
      expect(reply.code, reply.notes).toBe(0);
      expect(rowsOf(at("patchbay.db"), "pragma user_version")).toEqual([{ user_version: MIGRATIONS.length }]);
      expect((await admin.run(["verify-audit"])).notes).toMatch(
        /^(?:1 audit row is|\d+ audit rows are) intact\.$/,
      );
      // The result is backed up and restored again.
      expect((await admin.run(["backup", at("again.db")])).code).toBe(0);
      expect((await admin.run(["restore", at("again.db")])).code).toBe(0);
      expect((await admin.run(["verify-audit"])).code).toBe(0);
      expect(rowsOf(at("patchbay.db"), "select username from users")).toEqual([{ username: "olivia" }]);
    },
  );

  test("backs up a store of an earlier version without migrating it", async () => {
    admin.variables.PATCHBAY_SECRET = SECRET;
    const version = MIGRATIONS.length - 1;
    storeOfVersion(at("patchbay.db"), version);
    const reply = await admin.run(["backup", at("copy.db")]);
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain("copied unchanged");
    expect(statSync(at("copy.db")).mode & 0o777).toBe(0o600);
    for (const file of [at("patchbay.db"), at("copy.db")])
      expect(rowsOf(file, "pragma user_version")).toEqual([{ user_version: version }]);
    expect(rowsOf(at("copy.db"), "select username from users")).toEqual([{ username: "olivia" }]);
  });

  const folder = { uid: 10_001, gid: 10_002 };

  test("gives a file to the owner of its folder only when root runs the command", () => {
    expect(newOwner(folder, 0)).toEqual(folder);
    expect([newOwner(folder, 10_001), newOwner(folder, undefined)]).toEqual([null, null]);
    expect(newOwner({ uid: 0, gid: 0 }, 0)).toBeNull();
  });

  // Only root may give files away.
  test.runIf(process.getuid?.() === 0)("gives the restored store to the owner of its folder", async () => {
    const server = await serve();
    await setUpOwner(server.harness);
    await server.stop();
    copyFileSync(at("patchbay.db"), at("copy.db"));
    chownSync(admin.dataDirectory, folder.uid, folder.gid);
    const reply = await restore();
    expect(reply.code, reply.notes).toBe(0);
    expect(statSync(at("patchbay.db"))).toMatchObject(folder);
  });

  test("restores a plain copy of a store in use with its write-ahead log", async () => {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    await addUser(server.harness, owner, { username: "mia" });
    for (const part of ["", "-wal"]) copyFileSync(at(`patchbay.db${part}`), at(`copy.db${part}`));
    await server.stop();
    const [file, log] = [readFileSync(at("copy.db")), readFileSync(at("copy.db-wal"))];
    const reply = await restore();
    expect(reply.code, reply.notes).toBe(0);
    expect(rowsOf(at("patchbay.db"), "select username from users order by username")).toHaveLength(2);
    expect(readFileSync(at("copy.db")).equals(file)).toBe(true);
    expect(readFileSync(at("copy.db-wal")).equals(log)).toBe(true);
    expect(existsSync(at("copy.db-shm"))).toBe(false);
  });
});
