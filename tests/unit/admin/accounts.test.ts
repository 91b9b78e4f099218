import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensureEmbedded } from "../../../lib/console/channels/ensure-embedded";
import { authenticateKey } from "../../../lib/gateway/admission/authenticate-key";
import { type AdminHarness, openAdminHarness } from "../../support/admin";
import {
  addUser,
  type ConsoleHarness,
  enrol,
  OWNER,
  openConsoleHarness,
} from "../../support/console-harness";
import type { TestServices } from "../../support/services";
import { totpCode } from "../../support/totp";
import { beginSignIn, signInWith, wrongCode } from "../../support/two-factor";

let admin: AdminHarness;
/** A server's services on the same store, running during the command. */
let services: TestServices;
let harness: ConsoleHarness;
beforeEach(async () => {
  admin = openAdminHarness();
  services = await admin.openServices({ realHasher: true });
  harness = openConsoleHarness(services);
});
afterEach(async () => {
  await services.close();
  admin.remove();
});

const NEW = "eleven grey herons wade";
const setUp = (...more: string[]) =>
  admin.run(["setup", "--username", OWNER.username, ...more], [OWNER.password]);
const lastAudit = async () => (await services.store.audit.list({ limit: 1, cursor: null, q: null })).items[0];
const login = (password: string, username = OWNER.username) =>
  harness("/api/user/login", { body: { username, password } });

describe("the command line", () => {
  test("lists all commands and exits with 2 without a command or with an unknown one", async () => {
    for (const args of [[], ["sing"]]) {
      const reply = await admin.run(args);
      expect(reply.code).toBe(2);
      for (const name of [
        "setup",
        "create-key",
        "reset-password",
        "reset-2fa",
        "unlock",
        "transfer-ownership",
        "backup",
        "restore",
        "rotate-secret",
      ]) {
        expect(reply.notes).toContain(`\n  ${name} `);
      }
    }
    expect((await admin.run(["help"])).code).toBe(0);
  });

  test.each([
    [["setup"], "--username is missing"],
    [["setup", "--username"], "argument missing"],
    [["setup", "--username", "x", "--password", "hunter2hunter2"], "--password"],
    [["create-key", "--user", "olivia"], "--name is missing"],
    [["create-key", "--user", "olivia", "--name", "x", "--rpm", "many"], "--rpm must be a whole number"],
    [["reset-password"], "<username> is missing"],
    [["reset-password", "olivia", "hunter2"], "'hunter2' is an unexpected argument"],
    [["unlock", "--all"], "--all"],
    [["backup"], "<file> is missing"],
    [["restore"], "<file> is missing"],
  ])("exits with 2 and prints the reason and the usage for %j", async (args, message) => {
    const reply = await admin.run(args);
    expect(reply.code).toBe(2);
    expect(reply.notes).toContain(message);
    expect(reply.notes).toContain(`Usage: npm run admin -- ${args[0]}`);
  });

  test.each([
    [["backup", "--help"], "backup <file>"],
    [["voices", "add", "-h"], "voices list | add <name|url|file>"],
    [["create-key", "--user", "olivia", "--help"], "create-key --user <name>"],
  ])("prints the command's usage and exits with 0 for %j", async (args, usage) => {
    const reply = await admin.run(args);
    expect(reply).toMatchObject({ code: 0, notes: "" });
    expect(reply.out).toContain(`Usage: npm run admin -- ${usage}`);
  });

  test("takes --help after -- as an argument", async () => {
    expect((await admin.run(["unlock", "--", "--help"])).notes).toBe("User '--help' not found.");
  });

  test("exits with 1 and names an invalid setting", async () => {
    admin.variables.PATCHBAY_PASSWORD_MIN = "none";
    const reply = await admin.run(["unlock", "olivia"]);
    expect([reply.code, reply.notes]).toEqual([1, expect.stringContaining("PATCHBAY_PASSWORD_MIN")]);
  });
});

describe("setup", () => {
  test("creates the owner, closes setup for a running server too, and removes the setup token", async () => {
    const token = path.join(admin.dataDirectory, "setup-token");
    expect(existsSync(token)).toBe(true);
    const reply = await setUp("--email", "o@example.com", "--self-use");
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.out).toBe("");
    expect((await harness("/api/setup")).json.data).toEqual({ status: true });
    expect((await harness("/api/setup", { body: { ...OWNER, username: "second" } })).status).toBe(409);
    expect(existsSync(token)).toBe(false);
    const signedIn = await login(OWNER.password);
    expect(signedIn.json.data).toMatchObject({ username: "olivia", role: "owner", email: "o@example.com" });
    expect(await services.store.settings.all()).toMatchObject({ self_use_mode: true, demo_site: false });
    const { items } = await services.store.audit.list({ limit: 5, cursor: null, q: null });
    expect(items.at(-1)).toMatchObject({ action: "setup.claim", actor: "admin-command" });
    expect((await services.store.audit.verify()).brokenAt).toBeNull();
  });

  test("prints a generated password, even when the setup token cannot be removed", async () => {
    const token = path.join(admin.dataDirectory, "setup-token");
    rmSync(token);
    mkdirSync(token);
    const reply = await admin.run(["setup", "--username", "olivia", "--generate"]);
    expect(reply.code, reply.notes).toBe(1);
    expect((await login(reply.out)).status).toBe(200);
  });

  test("does not start a session", async () => {
    await setUp();
    const owner = await services.store.users.findByNameOrEmail("olivia");
    expect(await services.store.sessions.listByUser(owner?.id ?? "")).toEqual([]);
  });

  test("exits with 1 the second time, without asking for a password", async () => {
    await setUp();
    const reply = await admin.run(["setup", "--username", "second"]);
    expect([reply.code, reply.notes]).toEqual([1, expect.stringContaining("already set up")]);
    expect((await services.store.users.list({ limit: 9, cursor: null, q: null })).items).toHaveLength(1);
  });

  test.each([
    ["a short password", ["--username", "olivia"], ["short"], "at least 8"],
    ["a common password", ["--username", "olivia"], ["password123"], "most common"],
    ["no password", ["--username", "olivia"], [], "--generate"],
    ["a bad name", ["--username", "a b"], [NEW], "--username 'a b': "],
    ["a bad address", ["--username", "olivia", "--email", "nowhere"], [NEW], "--email 'nowhere': "],
  ])("exits with 1 and creates no user when it gets %s", async (_what, args, input, message) => {
    const reply = await admin.run(["setup", ...args], input);
    expect([reply.code, reply.notes]).toEqual([1, expect.stringContaining(message)]);
    expect(await services.store.setup.isSetUp()).toBe(false);
  });

  test("creates one owner for ten concurrent setups, by the command and by the server's API", async () => {
    const codes = await Promise.all([
      ...Array.from({ length: 3 }, async (_, i) =>
        (await admin.run(["setup", "--username", `c${i}`], [NEW])).code === 0 ? "won" : "lost",
      ),
      ...Array.from({ length: 7 }, async (_, i) =>
        (await harness("/api/setup", { body: { ...OWNER, username: `v${i}` } })).status === 200
          ? "won"
          : "lost",
      ),
    ]);
    expect(codes.filter((code) => code === "won")).toHaveLength(1);
    expect((await services.store.users.list({ limit: 9, cursor: null, q: null })).items).toHaveLength(1);
  });

  test("prints a working password, and nothing else, to standard output with --generate", async () => {
    const reply = await admin.run(["setup", "--username", "olivia", "--generate"]);
    expect(reply.out).toMatch(/^[0-9A-Za-z]{20}$/);
    expect(reply.notes).not.toContain(reply.out);
    expect((await login(reply.out)).status).toBe(200);
  });
});

describe("create-key", () => {
  beforeEach(() => setUp());
  const create = (...more: string[]) =>
    admin.run(["create-key", "--user", "OLIVIA", "--name", "robot", ...more]);

  test("prints a working key, and nothing else, to standard output", async () => {
    const reply = await create();
    expect(reply.code, reply.notes).toBe(0);
    const { key } = await authenticateKey(services, reply.out, { address: "127.0.0.1" });
    expect(key).toMatchObject({ name: "robot", operations: ["speech", "embeddings"], kind: "api" });
    expect(await lastAudit()).toMatchObject({ action: "key.create", actor: "admin-command", target: key.id });
  });

  test("sets the given limits", async () => {
    const reply = await create(
      ...["--operations", "manage, speech", "--models", "patchbay-speech", "--addresses", "203.0.113.0/24"],
      ...["--expires", "2099-01-31T00:00:00Z", "--rpm", "5"],
    );
    expect(reply.code, reply.notes).toBe(0);
    const { key } = await authenticateKey(services, reply.out, { address: "203.0.113.9" });
    expect(key).toMatchObject({
      operations: ["manage", "speech"],
      allowedModels: ["patchbay-speech"],
      allowedAddresses: ["203.0.113.0/24"],
      expiresAt: Date.parse("2099-01-31T00:00:00Z"),
      rpm: 5,
    });
  });

  test.each([
    [["--operations", "speech,chat"], "--operations 'chat': Must be 'speech' or 'embeddings' or 'manage'."],
    [["--operations", ","], "--operations: Must have at least one operation."],
    [["--expires", "2001-01-01T00:00:00Z"], "--expires '2001-01-01T00:00:00Z': Must be in the future."],
    [["--expires", "soon"], "--expires 'soon': Must be a time such as 2027-01-31T12:00:00Z."],
    [["--models", "tts-1,!"], "--models '!': Must be a model's name, such as \"patchbay-speech\"."],
    [
      ["--addresses", "example.com", "--rpm", "0"],
      "--addresses 'example.com': Must be an address or a range such as 203.0.113.0/24.\n" +
        "--rpm '0': Must be 1 or more.",
    ],
  ])("exits with 1 and names the options for %j", async (args, message) => {
    expect(await create(...args)).toEqual({ code: 1, out: "", notes: message });
  });

  test("creates a key that lists unknown models, and prints their names", async () => {
    const args = ["--models", "patchbay-speech,patchbay-speach,tts-9"];
    const before = await create(...args);
    expect(before.notes, "without models, nothing can be said about names").not.toContain("Unknown");
    await ensureEmbedded(services.store, services.clock);
    const reply = await create(...args);
    expect(reply.code, reply.notes).toBe(0);
    expect(reply.notes).toContain(
      "Unknown model: patchbay-speach, tts-9. The key can use only the models listed",
    );
    const { key } = await authenticateKey(services, reply.out, { address: "127.0.0.1" });
    expect(key.allowedModels).toEqual(["patchbay-speech", "patchbay-speach", "tts-9"]);
    expect((await create("--models", "patchbay-embed")).notes).not.toContain("Unknown");
  });

  test("exits with 1 for an unknown user and for a member's key with the manage operation", async () => {
    const unknown = await admin.run(["create-key", "--user", "unknown", "--name", "x"]);
    expect([unknown.code, unknown.notes]).toEqual([1, "User 'unknown' not found."]);
    await addUser(harness, (await login(OWNER.password)).cookie, { username: "mia" });
    const reply = await admin.run(["create-key", "--user", "mia", "--name", "x", "--operations", "manage"]);
    expect([reply.code, reply.out]).toEqual([1, ""]);
  });
});

describe("reset-password", () => {
  beforeEach(() => setUp());

  test("sets a new password, ends sessions and lifts delays", async () => {
    const { cookie } = await login(OWNER.password);
    for (let i = 0; i < 11; i++) await login("wrong wrong wrong");
    expect((await login(OWNER.password)).status).toBe(429);
    const reply = await admin.run(["reset-password", "olivia"], [NEW]);
    expect(reply.code, reply.notes).toBe(0);
    expect((await harness("/api/user/self", { cookie })).status).toBe(401);
    expect((await login(OWNER.password)).status).toBe(401);
    expect((await login(NEW)).status).toBe(200);
    const { items } = await services.store.audit.list({ limit: 9, cursor: null, q: "password.reset" });
    expect(items[0]).toMatchObject({ actor: "admin-command" });
  });

  test("leaves 2FA on and prints that", async () => {
    const { cookie } = await login(OWNER.password);
    const { secret } = await enrol(harness, services.clock, cookie);
    const reply = await admin.run(["reset-password", "olivia", "--generate"]);
    expect(reply.notes).toContain("2FA is still on");
    const who = { username: "olivia", password: reply.out };
    const code = totpCode(secret, services.clock.now());
    expect((await signInWith(harness, code, who)).status).toBe(200);
  });

  test("exits with 1 for an invalid password, and the old one still works", async () => {
    expect((await admin.run(["reset-password", "olivia"], ["olivia"])).code).toBe(1);
    expect((await login(OWNER.password)).status).toBe(200);
    expect((await admin.run(["reset-password", "unknown"], [NEW])).code).toBe(1);
  });
});

describe("reset-2fa and unlock", () => {
  let cookie: string;
  let secret: string;
  beforeEach(async () => {
    await setUp();
    ({ cookie } = await login(OWNER.password));
    ({ secret } = await enrol(harness, services.clock, cookie));
  });

  test("reset-2fa turns off 2FA and ends sessions and pending sign-ins; without 2FA it exits with 1", async () => {
    const { token } = await beginSignIn(harness);
    expect((await admin.run(["reset-2fa", "olivia"])).code).toBe(0);
    expect((await harness("/api/user/self", { cookie })).status).toBe(401);
    const code = totpCode(secret, services.clock.now());
    const late = await harness("/api/user/login/2fa", { body: { code, flow_token: token } });
    expect(late.json.code).toBe("flow_expired");
    expect(await lastAudit()).toMatchObject({ action: "2fa.reset", actor: "admin-command" });
    expect((await login(OWNER.password)).json.data.require_2fa).toBeUndefined();
    expect((await admin.run(["reset-2fa", "olivia"])).code).toBe(1);
  });

  test("unlock says that a disabled user still cannot sign in", async () => {
    expect((await admin.run(["unlock", "olivia"])).notes).toBe("olivia may sign in again.");
    const mia = await addUser(harness, cookie, { username: "mia" });
    const change = { method: "PATCH", cookie, body: { version: 1, enabled: false } };
    expect((await harness(`/api/users/${mia.id}`, change)).status).toBe(200);
    expect((await admin.run(["unlock", "mia"])).notes).toBe(
      "mia has no delay or lock any more.\nTheir account is disabled, so they cannot sign in yet.",
    );
  });

  test("unlock lifts the 2FA lock and the sign-in delay of a user", async () => {
    for (let i = 0; i < 10; i++) await signInWith(harness, wrongCode(secret, services.clock));
    const code = () => totpCode(secret, services.clock.now());
    expect((await signInWith(harness, code())).status).toBe(429);
    for (let i = 0; i < 10; i++) await login("wrong wrong wrong");
    expect((await login(OWNER.password)).status).toBe(429);
    expect((await admin.run(["unlock", "olivia"])).code).toBe(0);
    expect(await lastAudit()).toMatchObject({ action: "user.unlock", actor: "admin-command" });
    expect((await signInWith(harness, code())).status).toBe(200);
    expect((await harness("/api/user/self", { cookie })).status).toBe(200);
  });
});

test("transfer-ownership makes a user the owner and the owner an administrator, and ends their sessions", async () => {
  await setUp();
  const { cookie } = await login(OWNER.password);
  const mia = await addUser(harness, cookie, { username: "mia" });
  const kim = await addUser(harness, cookie, { username: "kim" });
  const change = { method: "PATCH", cookie, body: { version: 1, enabled: false } };
  expect((await harness(`/api/users/${kim.id}`, change)).status).toBe(200);
  for (const name of ["olivia", "kim", "nobody"])
    expect((await admin.run(["transfer-ownership", name])).code).toBe(1);
  const reply = await admin.run(["transfer-ownership", "mia"]);
  expect([reply.code, reply.notes]).toEqual([
    0,
    "mia is the owner, olivia an administrator; their sessions have ended.",
  ]);
  for (const session of [cookie, mia.cookie])
    expect((await harness("/api/user/self", { cookie: session })).status).toBe(401);
  expect((await login(mia.password, "mia")).json.data.role).toBe("owner");
  expect((await login(OWNER.password)).json.data.role).toBe("admin");
  const { items } = await services.store.audit.list({ limit: 10, cursor: null, q: null });
  expect(items.filter(({ action }) => action === "user.update").slice(0, 2)).toMatchObject([
    { target: mia.id, actor: "admin-command", detail: { change: { role: "owner" } } },
    { actor: "admin-command", detail: { change: { role: "admin" } } },
  ]);
});

test("a command exits with 1 and changes nothing when the secret does not match the store", async () => {
  await setUp();
  writeFileSync(path.join(admin.dataDirectory, "secret"), "another secret, of forty characters at least\n");
  const reply = await admin.run(["reset-password", "olivia"], [NEW]);
  expect([reply.code, reply.notes]).toEqual([1, expect.stringContaining("another secret (key id ")]);
  expect((await login(OWNER.password)).status).toBe(200);
});
