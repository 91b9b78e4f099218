import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSettings } from "../../../lib/console/access/read-settings";
import { decryptWebhookUrl } from "../../../lib/console/alerts/webhook-credentials";
import { makeInstanceId } from "../../../lib/server/process/instance-id";
import { keepPreviousSecret } from "../../../lib/server/process/secret";
import { type AdminHarness, openAdminHarness } from "../../support/admin";
import {
  addUser,
  type ConsoleHarness,
  changeSettings,
  enrol,
  openConsoleHarness,
  setUpOwner,
} from "../../support/console-harness";
import { channelRecord } from "../../support/factories";
import type { TestServices } from "../../support/services";
import { readStoreBytes } from "../../support/store-bytes";
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

/** A running server, with its services, its API and a function that stops it. */
async function serve(): Promise<{ services: TestServices; harness: ConsoleHarness; stop(): Promise<void> }> {
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

/** The rows that `sql` selects from a store file. */
function rowsOf(file: string, sql: string): unknown[] {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
const userNames = (file: string) =>
  (rowsOf(file, "select username from users order by username") as { username: string }[]).map(
    (row) => row.username,
  );

/** Changes the store file without its audit triggers, as an attacker with write access could. */
function tamper(...statements: string[]): void {
  const database = new Database(at("patchbay.db"));
  try {
    for (const name of ["audit_no_update", "audit_no_delete", "audit_only_keyed"]) {
      database.exec(`drop trigger if exists ${name}`);
    }
    for (const sql of statements) database.exec(sql);
  } finally {
    database.close();
  }
}

/** Adds the heartbeat of a server, by default on another machine, written `ageMs` ago. */
function insertHeartbeat(ageMs: number, id = "otherhost-1-1-x"): void {
  const database = new Database(at("patchbay.db"));
  try {
    database
      .prepare("insert or replace into instances (id, heartbeat_at) values (?, ?)")
      .run([id, Date.now() - ageMs]);
  } finally {
    database.close();
  }
}

describe("without a store", () => {
  test.each([
    [["create-key", "--user", "olivia", "--name", "robot"]],
    [["reset-password", "olivia", "--generate"]],
    [["reset-2fa", "olivia"]],
    [["unlock", "olivia"]],
    [["backup", "copy.db"]],
    [["migrate-store", "postgres://localhost/patchbay"]],
    [["rotate-secret"]],
    [["verify-audit"]],
    [["voices", "list"]],
  ])("%j exits with 1, names the missing file and creates nothing", async (args) => {
    admin.variables.PATCHBAY_DATA_DIR = at("mistyped");
    const reply = await admin.run(args);
    expect([reply.code, reply.out]).toEqual([1, ""]);
    expect(reply.notes).toContain(at("mistyped/patchbay.db"));
    expect(readdirSync(admin.dataDirectory)).toEqual([]);
  });

  test("the message names the environment variable that sets the path of the file", async () => {
    expect((await admin.run(["verify-audit"])).notes).toMatch(/^PATCHBAY_DATA_DIR: /);
    admin.variables.DATABASE_URL = `file:${at("other.db")}`;
    expect((await admin.run(["verify-audit"])).notes).toMatch(/^DATABASE_URL: .*other\.db/);
  });
});

describe("a start without its database", () => {
  test("fails without changes if the secret of an instance in use exists, and succeeds after a restore", async () => {
    const server = await serve();
    await setUpOwner(server.harness);
    expect((await admin.run(["backup", at("copy.db")])).code).toBe(0);
    await server.stop();
    for (const side of ["-wal", "-shm"]) rmSync(at(`patchbay.db${side}`), { force: true });
    writeFileSync(at("patchbay.db"), "");
    const reply = await admin.run(["unlock", "olivia"]);
    expect(reply.code).toBe(1);
    for (const text of [
      at("patchbay.db"),
      "is empty",
      at("secret"),
      "restore <backup file>",
      "PATCHBAY_DATA_DIR",
    ])
      expect(reply.notes).toContain(text);
    expect(statSync(at("patchbay.db")).size).toBe(0);
    rmSync(at("patchbay.db"));
    await expect(serve()).rejects.toThrow(`${at("patchbay.db")} is missing`);
    expect(existsSync(at("patchbay.db"))).toBe(false);
    expect((await admin.run(["restore", at("copy.db")])).code).toBe(0);
    expect((await admin.run(["unlock", "olivia"])).code).toBe(0);
  });

  test("creates a new instance if there is no secret, as after a killed first start", async () => {
    writeFileSync(at("patchbay.db"), "");
    const { services } = await serve();
    expect(await services.store.setup.isSetUp()).toBe(false);
    expect(existsSync(at("secret"))).toBe(true);
  });

  test("creates the secret only after the database", async () => {
    admin.variables.DATABASE_URL = `file:${admin.dataDirectory}`;
    expect((await admin.run(["unlock", "olivia"])).code).toBe(1);
    expect(existsSync(at("secret"))).toBe(false);
  });
});

describe("verify-audit", () => {
  /** The store of an instance after setup, without a server; returns its newest audit hash. */
  async function prepare(): Promise<string> {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    await addUser(server.harness, owner, { username: "mia" });
    await server.stop();
    return (await admin.run(["verify-audit"])).out;
  }

  test("prints the newest hash of an intact log and finds an earlier one", async () => {
    const newestHash = await prepare();
    expect(newestHash).toMatch(/^v2\.[\w-]{43}$/);
    await admin.run(["unlock", "mia"]);
    const reply = await admin.run(["verify-audit", "--expect", newestHash]);
    expect([reply.code, reply.notes]).toEqual([0, "4 audit rows are intact."]);
    expect(reply.out).not.toBe(newestHash);
    const other = await admin.run(["verify-audit", "--expect", "v2.other"]);
    expect([other.code, other.notes]).toEqual([
      1,
      expect.stringContaining("was restored to a state before that row"),
    ]);
  });

  test.each([
    ["a changed row", "update audit set actor = 'x' where seq = 2", "Audit row 2 was changed"],
    [
      "missing rows at the end",
      "delete from audit where seq > 1",
      "Audit rows 2 to 3 are missing at the end",
    ],
    ["a missing row at the end", "delete from audit where seq > 2", "Audit row 3 is missing at the end"],
    ["a forged head", "update audit_head set mac = 'x'", "the record of its newest row is missing or forged"],
    ["a missing head", "delete from audit_head", "the record of its newest row is missing or forged"],
  ])("reports %s and exits with 1", async (_, sql, message) => {
    await prepare();
    tamper(sql);
    const reply = await admin.run(["verify-audit"]);
    expect([reply.code, reply.notes, reply.out]).toEqual([1, expect.stringContaining(message), ""]);
  });

  test("verifies the log after the instance secret was rotated", async () => {
    const newestHash = await prepare();
    expect((await admin.run(["rotate-secret"])).code).toBe(0);
    expect((await admin.run(["verify-audit", "--expect", newestHash])).code).toBe(0);
  });

  test("rejects a store in use without its secret check", async () => {
    await prepare();
    for (const sql of ["delete from audit_head", "delete from audit"]) {
      tamper("delete from settings where name = 'secret_check'", sql);
      const reply = await admin.run(["verify-audit"]);
      expect([reply.code, reply.notes]).toEqual([1, expect.stringContaining("'secret_check' is missing")]);
    }
  });
});

describe("backup", () => {
  test("copies the store while a server writes, readable only by its owner, and audits it", async () => {
    const { services, harness } = await serve();
    const owner = await setUpOwner(harness);
    const writing = Promise.all(
      Array.from({ length: 30 }, (_, i) => harness("/api/keys", { body: { name: `k${i}` }, cookie: owner })),
    );
    const reply = await admin.run(["backup", at("copy.db")]);
    expect((await writing).every((one) => one.status === 200)).toBe(true);
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain(at("copy.db"));
    expect(reply.notes).toContain(at("secret"));
    expect(statSync(at("copy.db")).mode & 0o777).toBe(0o600);
    expect(userNames(at("copy.db"))).toEqual(["olivia"]);
    expect(rowsOf(at("copy.db"), "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
    const { items } = await services.store.audit.list({ limit: 50, cursor: null, q: null });
    const backups = items.filter((row) => row.action === "store.backup");
    expect(backups).toMatchObject([{ actor: "admin-command" }]);
    expect((await services.store.audit.verify()).brokenAt).toBeNull();
  });

  test("creates the target file only when it is complete, and removes the files of an interrupted backup", async () => {
    const { harness } = await serve();
    await setUpOwner(harness);
    for (const left of ["copy.db.part", "copy.db.part-journal"]) writeFileSync(at(left), "left");
    // A new .part file may belong to another backup that is still running.
    const early = await admin.run(["backup", at("copy.db")]);
    expect([early.code, early.notes]).toEqual([1, expect.stringContaining("another backup may be running")]);
    utimesSync(at("copy.db.part"), 0, 0);
    const running = admin.run(["backup", at("copy.db")]);
    let isOver = false;
    void running.finally(() => {
      isOver = true;
    });
    while (!existsSync(at("copy.db")) && !isOver) await new Promise(setImmediate);
    const { size } = statSync(at("copy.db"));
    expect((await running).code).toBe(0);
    expect(size).toBe(statSync(at("copy.db")).size);
    expect(readdirSync(admin.dataDirectory).filter((name) => name.startsWith("copy.db"))).toEqual([
      "copy.db",
    ]);
  });

  test("exits with 1 for an existing file, which stays unchanged, and for a missing folder", async () => {
    await serve();
    writeFileSync(at("copy.db"), "mine");
    const existing = await admin.run(["backup", at("copy.db")]);
    expect([existing.code, existing.notes]).toEqual([1, expect.stringContaining("already exists")]);
    expect(readFileSync(at("copy.db"), "utf8")).toBe("mine");
    const nowhere = await admin.run(["backup", at("nowhere/copy.db")]);
    expect(nowhere.code).toBe(1);
    expect(nowhere.notes).toMatch(/^\/.*nowhere\/copy\.db cannot be written \(ENOENT: .*\)\.$/);
  });
});

describe("restore", () => {
  /** A backup of an instance with olivia, her 2FA and a session; afterwards mia was added. */
  async function prepare() {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    const { secret } = await enrol(server.harness, server.services.clock, owner);
    const { token } = await beginSignIn(server.harness);
    expect((await admin.run(["backup", at("copy.db")])).code).toBe(0);
    await addUser(server.harness, owner, { username: "mia" });
    await server.stop();
    return { owner, secret, token };
  }

  test("restores the backup, saves the replaced store, and the instance works", async () => {
    const { secret } = await prepare();
    const reply = await admin.run(["restore", at("copy.db")]);
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain(at("patchbay.db.before-restore"));
    expect(userNames(at("patchbay.db"))).toEqual(["olivia"]);
    expect(userNames(at("patchbay.db.before-restore"))).toEqual(["mia", "olivia"]);
    expect(existsSync(at("patchbay.db.restoring"))).toBe(false);
    expect(statSync(at("patchbay.db")).mode & 0o777).toBe(0o600);
    const { harness, services } = await serve();
    services.clock.advance(120_000);
    expect((await signInWith(harness, totpCode(secret, services.clock.now()))).status).toBe(200);
    expect((await services.store.audit.verify()).brokenAt).toBeNull();
    const { items } = await services.store.audit.list({ limit: 1, cursor: null, q: "store.restore" });
    expect(items[0]).toMatchObject({ actor: "admin-command", detail: { file: "copy.db" } });
  });

  test("revives no session and no pending sign-in of the backup", async () => {
    const { owner, secret, token } = await prepare();
    await admin.run(["restore", at("copy.db")]);
    const { harness, services } = await serve();
    expect((await harness("/api/user/self", { cookie: owner })).status).toBe(401);
    const body = { code: totpCode(secret, services.clock.now()), flow_token: token };
    expect((await harness("/api/user/login/2fa", { body })).json.code).toBe("flow_expired");
  });

  test("saves both replaced stores when run twice", async () => {
    await prepare();
    await admin.run(["restore", at("copy.db")]);
    expect((await admin.run(["restore", at("copy.db")])).code).toBe(0);
    expect(userNames(at("patchbay.db.before-restore"))).toEqual(["mia", "olivia"]);
    expect(userNames(at("patchbay.db.before-restore-2"))).toEqual(["olivia"]);
  });

  test("fails while a server's heartbeat is less than 30 seconds old, unless forced", async () => {
    await prepare();
    insertHeartbeat(29_000);
    const refused = await admin.run(["restore", at("copy.db")]);
    expect([refused.code, refused.notes]).toEqual([1, expect.stringContaining("A server is running")]);
    expect(userNames(at("patchbay.db"))).toEqual(["mia", "olivia"]);
    insertHeartbeat(31_000);
    expect((await admin.run(["restore", at("copy.db")])).code).toBe(0);
    insertHeartbeat(1_000);
    const forced = await admin.run(["restore", at("copy.db"), "--force"]);
    expect(forced.code, forced.notes).toBe(0);
    expect(forced.notes).toContain("Restart the server now");
  });

  /** Begins a restore, and returns once its copy of the backup has been checked and is being opened. */
  function beginRestore() {
    const reply = admin.run(["restore", at("copy.db")]);
    expect(existsSync(at("patchbay.db.restoring"))).toBe(true);
    return reply;
  }

  test("fails while a server process runs on this machine, even when its heartbeat is a day old", async () => {
    await prepare();
    insertHeartbeat(86_400_000, makeInstanceId());
    const refused = await admin.run(["restore", at("copy.db")]);
    expect([refused.code, refused.notes]).toEqual([1, expect.stringContaining("A server is running")]);
  });

  test("fails when a server starts while the copy is being prepared", async () => {
    await prepare();
    const reply = beginRestore();
    insertHeartbeat(0, makeInstanceId());
    expect(await reply).toMatchObject({ code: 1, notes: expect.stringContaining("A server is running") });
    expect(userNames(at("patchbay.db"))).toEqual(["mia", "olivia"]);
  });

  test("reports that its copy cannot be opened, not that the backup is damaged", async () => {
    await prepare();
    const reply = beginRestore();
    // SQLite cannot open a database whose journal is a folder.
    mkdirSync(at("patchbay.db.restoring-journal"));
    const { code, notes } = await reply;
    expect([code, notes]).toEqual([1, expect.stringMatching(/cannot be opened.*Nothing was changed/)]);
    expect(notes).not.toContain("damaged");
    expect(userNames(at("patchbay.db"))).toEqual(["mia", "olivia"]);
  });

  test("applies no change of the replaced store's write-ahead log to the restored store when forced", async () => {
    const { owner } = await prepare();
    const server = await serve();
    await server.harness("/api/keys", { body: { name: "late" }, cookie: owner });
    insertHeartbeat(0);
    const forced = await admin.run(["restore", at("copy.db"), "--force"]);
    expect(forced.code, forced.notes).toBe(0);
    expect(userNames(at("patchbay.db"))).toEqual(["olivia"]);
    expect(rowsOf(at("patchbay.db"), "select name from keys")).toEqual([]);
    expect(rowsOf(at("patchbay.db"), "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  test.each<[string, () => void]>([
    ["a missing file", () => undefined],
    ["an empty file", () => writeFileSync(at("bad.db"), "")],
    ["a text file", () => writeFileSync(at("bad.db"), "hello, hello, hello, hello")],
    ["a folder", () => undefined],
    [
      "another program's database",
      () => {
        const other = new Database(at("bad.db"));
        other.exec("create table users (id integer)");
        other.close();
      },
    ],
    [
      "a truncated backup",
      () => {
        copyFileSync(at("copy.db"), at("bad.db"));
        truncateSync(at("bad.db"), statSync(at("bad.db")).size - 8192);
      },
    ],
    [
      "a backup with a page overwritten",
      () => {
        const bytes = readFileSync(at("copy.db"));
        bytes.fill(0x5a, 4096 * 5, 4096 * 9);
        writeFileSync(at("bad.db"), bytes);
      },
    ],
    [
      "a newer Patchbay's backup",
      () => {
        copyFileSync(at("copy.db"), at("bad.db"));
        const newer = new Database(at("bad.db"));
        newer.exec("pragma user_version = 999");
        newer.close();
      },
    ],
  ])("exits with 1 and leaves the store unchanged for %s", async (name, make) => {
    await prepare();
    make();
    const before = readFileSync(at("patchbay.db"));
    const reply = await admin.run(["restore", name === "a folder" ? admin.dataDirectory : at("bad.db")]);
    expect(reply.code, reply.notes).toBe(1);
    expect(reply.notes).not.toBe("");
    expect(readFileSync(at("patchbay.db")).equals(before)).toBe(true);
    expect(readdirSync(admin.dataDirectory).filter((file) => /restor/.test(file))).toEqual([]);
  });

  test("exits with 1 and names the missing key ID for a backup with another secret", async () => {
    await prepare();
    admin.variables.PATCHBAY_SECRET = "quite another secret, 0f some l3ngth";
    const reply = await admin.run(["restore", at("copy.db")]);
    expect([reply.code, reply.notes]).toEqual([1, expect.stringContaining("key id ")]);
    expect(userNames(at("patchbay.db"))).toEqual(["mia", "olivia"]);
  });

  test("replaces a damaged store, and creates a missing one", async () => {
    await prepare();
    writeFileSync(at("patchbay.db"), "not a database any more, sadly; far from it");
    expect((await admin.run(["restore", at("copy.db")])).code).toBe(0);
    expect(userNames(at("patchbay.db"))).toEqual(["olivia"]);
    admin.variables.DATABASE_URL = `file:${at("new/place/patchbay.db")}`;
    expect((await admin.run(["restore", at("copy.db")])).code).toBe(0);
    expect(userNames(at("new/place/patchbay.db"))).toEqual(["olivia"]);
  });

  test("rejects the store itself as a backup, and a SQLite backup on PostgreSQL", async () => {
    await prepare();
    expect((await admin.run(["restore", at("patchbay.db")])).code).toBe(1);
    admin.variables.DATABASE_URL = "postgres://nowhere.invalid/x";
    expect((await admin.run(["restore", at("copy.db")])).notes).toContain(
      "is not a dump of a Patchbay store",
    );
  });
});

describe("rotate-secret", () => {
  async function prepare() {
    const server = await serve();
    const owner = await setUpOwner(server.harness);
    const { secret, backupCodes } = await enrol(server.harness, server.services.clock, owner);
    const mia = await addUser(server.harness, owner, { username: "mia" });
    await server.harness("/api/user/2fa/setup", { body: {}, cookie: mia.cookie });
    const { alerts } = (await server.harness("/api/settings", { cookie: owner })).json.data;
    await changeSettings(server.harness, owner, { alerts: { ...alerts, webhook_url: WEBHOOK_URL } });
    const { cipher, store } = server.services;
    const encrypted = cipher.encrypt("upstream-key", "channels/chn_1/keys/ck_1", "sk-upstream");
    await store.channels.insert(
      channelRecord({ id: "chn_1", keys: [{ id: "ck_1", encrypted, display: "****eam" }] }),
    );
    return { ...server, secret, backupCodes, owner };
  }
  const WEBHOOK_URL = "https://hooks.example.com/services/T0/very-secret-path";
  const encryptedTexts = () => [
    ...(rowsOf(at("patchbay.db"), "select secret_sealed as text from two_factors") as { text: string }[]),
    ...(rowsOf(at("patchbay.db"), "select keys as text from channels") as { text: string }[]),
    ...(rowsOf(
      at("patchbay.db"),
      "select value as text from settings where name in ('secret_check', 'digest_key', 'alerts_webhook_url')",
    ) as { text: string }[]),
  ];
  const keyIds = () =>
    new Set(encryptedTexts().flatMap(({ text }) => text.match(/v1\.([0-9a-f]{8})/)?.[1] ?? "none"));

  // Only root may give files away.
  test.runIf(process.getuid?.() === 0)("gives the secrets to the owner of the data directory", async () => {
    const { stop } = await prepare();
    await stop();
    const owner = { uid: 10_001, gid: 10_002 };
    chownSync(admin.dataDirectory, owner.uid, owner.gid);
    const reply = await admin.run(["rotate-secret"]);
    expect(reply.code, reply.notes).toBe(0);
    const secrets = readdirSync(admin.dataDirectory).filter((name) => name.startsWith("secret"));
    expect(secrets).toHaveLength(2);
    for (const name of secrets) expect(statSync(at(name)), name).toMatchObject(owner);
  });

  test("writes a new secret file and re-encrypts everything; TOTP and backup codes still work", async () => {
    const { stop, secret, backupCodes, services } = await prepare();
    const digests = rowsOf(at("patchbay.db"), "select digest from backup_codes order by digest");
    await stop();
    const before = { file: readFileSync(at("secret"), "utf8"), ids: [...keyIds()] };
    const reply = await admin.run(["rotate-secret"]);
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain("2 TOTP secrets, 1 upstream key, 3 instance settings.");
    expect(readFileSync(at("secret"), "utf8")).not.toBe(before.file);
    expect(statSync(at("secret")).mode & 0o777).toBe(0o600);
    expect(existsSync(at("secret.previous"))).toBe(false);
    // A second rotation at the same time finds no `secret.previous` to rename.
    expect(keepPreviousSecret(admin.dataDirectory)).toBeNull();
    const ids = keyIds();
    expect(ids.size).toBe(1);
    expect(before.ids).toHaveLength(1);
    expect(ids.has(before.ids[0] ?? "")).toBe(false);
    expect(rowsOf(at("patchbay.db"), "select digest from backup_codes order by digest")).toEqual(digests);

    const again = await serve();
    again.services.clock.advance(services.clock.now() - again.services.clock.now() + 120_000);
    const code = totpCode(secret, again.services.clock.now());
    expect((await signInWith(again.harness, code)).status).toBe(200);
    expect((await signInWith(again.harness, backupCodes[0] ?? "")).status).toBe(200);
    const [channel] = await again.services.store.channels.all();
    const [key] = channel?.keys ?? [];
    expect(
      again.services.cipher.decrypt("upstream-key", "channels/chn_1/keys/ck_1", key?.encrypted ?? ""),
    ).toBe("sk-upstream");
    expect(await decryptWebhookUrl(again.services.store, again.services.cipher, "signed")).toBe(WEBHOOK_URL);
    const { items } = await again.services.store.audit.list({ limit: 9, cursor: null, q: "secret.rotate" });
    expect(items[0]).toMatchObject({ actor: "admin-command", detail: { secondFactors: 2, upstreamKeys: 1 } });
  });

  test("keeps the old secret in a file named after its key ID, with which older backups can be restored", async () => {
    const { stop } = await prepare();
    await stop();
    const [keyId] = keyIds();
    const old = readFileSync(at("secret"), "utf8");
    expect((await admin.run(["backup", at("older.db")])).code).toBe(0);
    const reply = await admin.run(["rotate-secret"]);
    expect([reply.code, reply.notes]).toEqual([0, expect.stringContaining(`'secret.${keyId}'`)]);
    expect(readFileSync(at(`secret.${keyId}`), "utf8")).toBe(old);
    expect(statSync(at(`secret.${keyId}`)).mode & 0o777).toBe(0o600);
    // Patchbay does not read the kept file: the old secret has to be in PATCHBAY_SECRET_PREVIOUS.
    const refused = await admin.run(["restore", at("older.db")]);
    expect([refused.code, refused.notes]).toEqual([1, expect.stringContaining(`(key id ${keyId})`)]);
    admin.variables.PATCHBAY_SECRET_PREVIOUS = old.trim();
    const restored = await admin.run(["restore", at("older.db")]);
    expect(restored.code, restored.notes).toBe(0);
  });

  test("fails without changes while a server that does not know the new secret is running", async () => {
    const { stop } = await prepare();
    await stop();
    insertHeartbeat(1_000);
    const before = [readFileSync(at("secret"), "utf8"), encryptedTexts()];
    const reply = await admin.run(["rotate-secret"]);
    expect([reply.code, reply.notes]).toEqual([1, expect.stringContaining("PATCHBAY_SECRET_PREVIOUS")]);
    expect([readFileSync(at("secret"), "utf8"), encryptedTexts()]).toEqual(before);
    expect((await admin.run(["rotate-secret", "--force"])).code).toBe(0);
  });

  test("can be run again after an interruption, and until then both secrets decrypt the store", async () => {
    const { stop, secret, services } = await prepare();
    await stop();
    const before = keyIds();
    // The state after a kill: the new secret exists, and one of several rows is encrypted with it.
    const old = readFileSync(at("secret"), "utf8");
    writeFileSync(at("secret.previous"), old, { mode: 0o600 });
    writeFileSync(at("secret"), "the second secret of this very instance\n", { mode: 0o600 });
    const server = await serve();
    const owner = await server.services.store.users.findByNameOrEmail("olivia");
    const found = await server.services.store.twoFactors.find(owner?.id ?? "");
    const where = `two_factors/${owner?.id}/secret`;
    const opened = server.services.cipher.decrypt("totp", where, found?.encryptedSecret ?? "");
    expect(opened).toBe(secret);
    const fresh = server.services.cipher.encrypt("totp", where, opened);
    await server.services.store.twoFactors.replaceEncryptedSecret(
      owner?.id ?? "",
      found?.encryptedSecret ?? "",
      fresh,
    );
    server.services.clock.advance(services.clock.now() - server.services.clock.now() + 120_000);
    expect((await signInWith(server.harness, totpCode(secret, server.services.clock.now()))).status).toBe(
      200,
    );
    await server.stop();
    expect(keyIds().size).toBe(2);

    const reply = await admin.run(["rotate-secret"]);
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain("1 TOTP secret, ");
    expect(readFileSync(at("secret"), "utf8")).toBe("the second secret of this very instance\n");
    expect(existsSync(at("secret.previous"))).toBe(false);
    expect(keyIds().size).toBe(1);
    expect([...keyIds()]).not.toEqual([...before]);
  });

  test("works while a server that knows both secrets is running, and does nothing a second time", async () => {
    const [first, second] = ["the-first-secret-of-an-operator-77", "the-second-secret-of-the-operator-78"];
    admin.variables.PATCHBAY_SECRET = first;
    const { stop, secret } = await prepare();
    await stop();
    const before = keyIds();
    admin.variables.PATCHBAY_SECRET = second;
    expect((await admin.run(["rotate-secret"])).code).toBe(1);
    admin.variables.PATCHBAY_SECRET_PREVIOUS = first;
    const server = await serve();
    insertHeartbeat(0);
    const reply = await admin.run(["rotate-secret"]);
    expect(reply.code, reply.notes).toBe(0);
    expect(keyIds().size).toBe(1);
    expect(keyIds()).not.toEqual(before);
    server.services.clock.advance(120_000);
    expect((await signInWith(server.harness, totpCode(secret, server.services.clock.now()))).status).toBe(
      200,
    );
    const rotations = () => rowsOf(at("patchbay.db"), "select seq from audit where action = 'secret.rotate'");
    const recorded = rotations().length;
    expect((await admin.run(["rotate-secret"])).notes).toContain("already encrypted with the current secret");
    expect(rotations()).toHaveLength(recorded);
    delete admin.variables.PATCHBAY_SECRET_PREVIOUS;
    const nothing = await admin.run(["rotate-secret"]);
    expect([nothing.code, nothing.notes]).toEqual([1, expect.stringContaining("PATCHBAY_SECRET_PREVIOUS")]);
    expect(rotations()).toHaveLength(recorded);
    expect((await admin.run(["unlock", "olivia"])).code).toBe(0);
    expect(existsSync(at("secret"))).toBe(false);
  });
});

test("a start encrypts a webhook URL that an older version stored as plain text, and leaves no copy in the file", async () => {
  const server = await serve();
  await setUpOwner(server.harness);
  await server.stop();
  // Long enough that the encrypted text does not overwrite it by chance.
  const url = `https://hooks.example.com/${"very-secret-path/".repeat(60)}`;
  const rules = { channel_open_minutes: 9, error_rate_percent: 20, budgets: true, disk_free_percent: 5 };
  const database = new Database(at("patchbay.db"));
  database
    .prepare("insert into settings (name, value) values ('alerts', ?)")
    .run(JSON.stringify({ ...rules, webhook_url: url }));
  database.close();
  expect((await admin.run(["unlock", "olivia"])).code).toBe(0);
  expect(readStoreBytes(admin.dataDirectory).includes("very-secret-path")).toBe(false);
  const { store, cipher } = (await serve()).services;
  expect(await decryptWebhookUrl(store, cipher, "signed")).toBe(url);
  expect((await readSettings(store)).alerts).toEqual({ ...rules, rules: [] });
});
