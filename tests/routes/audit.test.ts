import { readdirSync } from "node:fs";
import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../lib/errors";
import type { Repositories } from "../../lib/ports/store";
import {
  addUser,
  type ConsoleHarness,
  enrol,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { digestStore } from "../support/store-dump";
import { totpCode } from "../support/totp";
import { beginSignIn } from "../support/two-factor";

let services: TestServices;
let harness: ConsoleHarness;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
});
afterEach(() => services.close());

/** Makes every write of an audit row fail. */
function breakAudit(): void {
  const original = services.store.transaction.bind(services.store);
  services.store.transaction = <T>(work: (tx: Repositories) => Promise<T>) =>
    original((tx) =>
      work({
        ...tx,
        audit: {
          ...tx.audit,
          append: () => Promise.reject(new AppError("storage_unavailable", "The audit log accepts no rows.")),
        },
      }),
    );
}

describe("a failed write of the audit row", () => {
  interface Fixture {
    owner: string;
    member: { id: string; cookie: string; password: string };
    key: { id: string };
    secret: string;
    backupCode: string;
    flow: string;
    sessionId: string;
  }
  /** Users, a key, 2FA and a pending sign-in: data for every call to change. */
  async function createFixture(): Promise<Fixture> {
    const owner = await setUpOwner(harness);
    const member = await addUser(harness, owner, { username: "mia" });
    const key = (await harness("/api/keys", { body: { name: "robot" }, cookie: owner })).json.data;
    const { secret, backupCodes } = await enrol(harness, services.clock, owner);
    const { token } = await beginSignIn(harness);
    const [session] = (await harness("/api/user/sessions", { cookie: owner })).json.data.items;
    return {
      owner,
      member,
      key,
      secret,
      backupCode: backupCodes[0] ?? "",
      flow: token,
      sessionId: session.id,
    };
  }
  const code = (of: Fixture) => totpCode(of.secret, services.clock.now());

  const calls: [string, (of: Fixture) => [string, object]][] = [
    ["a sign-in", (of) => ["/api/user/login", { body: { username: "mia", password: of.member.password } }]],
    ["a failed sign-in", () => ["/api/user/login", { body: { username: "mia", password: "wrong wrong" } }]],
    [
      "a 2FA sign-in by backup code",
      (of) => ["/api/user/login/2fa", { body: { code: of.backupCode, flow_token: of.flow } }],
    ],
    ["a sign-out", (of) => ["/api/user/logout", { body: {}, cookie: of.owner }]],
    [
      "a profile change",
      (of) => ["/api/user/self", { method: "PATCH", body: { display_name: "X" }, cookie: of.owner }],
    ],
    [
      "a password change",
      (of) => [
        "/api/user/password",
        {
          body: { current_password: OWNER.password, new_password: "eleven grey herons wade", code: code(of) },
          cookie: of.owner,
        },
      ],
    ],
    [
      "an ended session",
      (of) => [`/api/user/sessions/${of.sessionId}`, { method: "DELETE", cookie: of.owner }],
    ],
    ["all ended sessions", (of) => ["/api/user/sessions", { method: "DELETE", cookie: of.owner }]],
    ["a started 2FA enrolment", (of) => ["/api/user/2fa/setup", { body: {}, cookie: of.member.cookie }]],
    [
      "new backup codes",
      (of) => [
        "/api/user/2fa/backup_codes",
        { body: { password: OWNER.password, code: code(of) }, cookie: of.owner },
      ],
    ],
    [
      "disabled 2FA",
      (of) => [
        "/api/user/2fa/disable",
        { body: { password: OWNER.password, code: code(of) }, cookie: of.owner },
      ],
    ],
    ["a new key", (of) => ["/api/keys", { body: { name: "new" }, cookie: of.owner }]],
    [
      "a key change",
      (of) => [`/api/keys/${of.key.id}`, { method: "PATCH", body: { rpm: 1, version: 1 }, cookie: of.owner }],
    ],
    ["a rotation", (of) => [`/api/keys/${of.key.id}/rotate`, { body: {}, cookie: of.owner }]],
    ["a revoked key", (of) => [`/api/keys/${of.key.id}`, { method: "DELETE", cookie: of.owner }]],
    [
      "a new user",
      (of) => ["/api/users", { body: { username: "new", password: OWNER.password }, cookie: of.owner }],
    ],
    [
      "a role change",
      (of) => [
        `/api/users/${of.member.id}`,
        { method: "PATCH", body: { role: "admin", version: 1 }, cookie: of.owner },
      ],
    ],
    ["a removed user", (of) => [`/api/users/${of.member.id}`, { method: "DELETE", cookie: of.owner }]],
    [
      "2FA reset by an administrator",
      (of) => [`/api/users/${of.member.id}/reset_2fa`, { body: {}, cookie: of.owner }],
    ],
    ["an unlocked user", (of) => [`/api/users/${of.member.id}/unlock`, { body: {}, cookie: of.owner }]],
    [
      "a settings change",
      (of) => [
        "/api/settings",
        { method: "PATCH", body: { self_use_mode: true, version: 1 }, cookie: of.owner },
      ],
    ],
  ];

  /** Calls that count an attempt, which stays in the store. All other calls must leave the store unchanged. */
  const KEEPS_ATTEMPT = new Set([
    "a 2FA sign-in by backup code",
    "a password change",
    "new backup codes",
    "disabled 2FA",
  ]);

  test.each(calls)("rolls back %s", async (name, call) => {
    const of = await createFixture();
    breakAudit();
    const before = digestStore(services.dataDirectory);
    const [target, request] = call(of);
    const reply = await harness(target, request);
    expect([reply.status, reply.json.code], reply.text).toEqual([503, "unavailable"]);
    expect(reply.setCookies).toEqual([]);
    if (!KEEPS_ATTEMPT.has(name)) expect(digestStore(services.dataDirectory)).toBe(before);
    expect((await harness("/api/user/self", { cookie: of.owner })).json.data).toMatchObject({
      display_name: "olivia",
      two_factor_enabled: true,
      version: 1,
    });
    expect((await harness("/api/user/2fa/status", { cookie: of.owner })).json.data.backup_codes_left).toBe(
      10,
    );
  });

  test("rolls back the setup, which can then be repeated", async () => {
    const original = services.store.transaction;
    breakAudit();
    const before = digestStore(services.dataDirectory);
    expect((await harness("/api/setup", { body: OWNER })).status).toBe(503);
    expect(digestStore(services.dataDirectory)).toBe(before);
    services.store.transaction = original;
    expect((await harness("/api/setup", { body: OWNER })).status).toBe(200);
  });
});

describe("the list of audit rows", () => {
  test("is newest first, with actor, target and address, and can be searched", async () => {
    const owner = await setUpOwner(harness);
    await harness("/api/keys", { body: { name: "100% robot" }, cookie: owner });
    await harness("/api/settings", {
      method: "PATCH",
      body: { self_use_mode: true, version: 1 },
      cookie: owner,
    });
    const { items } = (await harness("/api/audit", { cookie: owner })).json.data;
    expect(items.map((row: { action: string }) => row.action)).toEqual([
      "settings.update",
      "key.create",
      "setup.claim",
    ]);
    expect(Object.keys(items[0]).sort()).toEqual([
      "action",
      "actor",
      "actor_name",
      "at",
      "detail",
      "hash",
      "seq",
      "target",
      "target_name",
    ]);
    expect(items[0].detail).toMatchObject({
      before: { self_use_mode: false },
      change: { self_use_mode: true },
      address: "127.0.0.1",
    });
    const found = async (q: string) =>
      (await harness(`/api/audit?q=${encodeURIComponent(q)}`, { cookie: owner })).json.data.items.length;
    expect([await found("key."), await found("0% r"), await found("0_ r")]).toEqual([1, 1, 0]);
  });

  test("is paged without gaps", async () => {
    const owner = await setUpOwner(harness);
    for (let i = 0; i < 5; i++) await harness("/api/keys", { body: { name: `k${i}` }, cookie: owner });
    const first = (await harness("/api/audit?limit=4", { cookie: owner })).json.data;
    const rest = (await harness(`/api/audit?limit=4&cursor=${first.next_cursor}`, { cookie: owner })).json
      .data;
    const seqs = [...first.items, ...rest.items].map((row) => row.seq);
    expect(seqs).toEqual([6, 5, 4, 3, 2, 1]);
    expect(rest.next_cursor).toBeNull();
  });
});

describe("the audit chain", () => {
  test("names the first row that was changed directly in the database", async () => {
    const owner = await setUpOwner(harness);
    for (let i = 0; i < 4; i++) await harness("/api/keys", { body: { name: `k${i}` }, cookie: owner });
    expect((await services.store.audit.verify()).brokenAt).toBeNull();
    const file = readdirSync(services.dataDirectory).find((name) => name.endsWith(".db")) ?? "";
    const database = new Database(path.join(services.dataDirectory, file));
    try {
      expect(() => database.exec("update audit set actor = 'forged' where seq = 3")).toThrow(/append-only/);
      expect(() => database.exec("delete from audit where seq = 3")).toThrow(/append-only/);
      database.exec("drop trigger audit_no_update");
      database.exec("update audit set actor = 'forged' where seq = 3");
    } finally {
      database.close();
    }
    expect((await services.store.audit.verify()).brokenAt).toBe(3);
  });

  test("verifies after a hundred concurrent changes", async () => {
    const owner = await setUpOwner(harness);
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => harness("/api/keys", { body: { name: `k${i}` }, cookie: owner })),
    );
    expect((await services.store.audit.verify()).brokenAt).toBeNull();
    const { items } = await services.store.audit.list({ limit: 100, cursor: null, q: null });
    expect(items[0]?.seq).toBe(101);
  });
});
