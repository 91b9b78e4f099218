import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AppError } from "../../lib/errors";
import {
  addUser,
  type ConsoleHarness,
  enrol,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { usageRecord } from "../support/factories";
import { type TestServices, testServices } from "../support/services";
import { readStoreBytes } from "../support/store-bytes";
import { totpCode } from "../support/totp";
import { wrongCode } from "../support/two-factor";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const patch = (body: object, cookie = owner) => harness("/api/user/self", { method: "PATCH", body, cookie });
const self = async (cookie = owner) => (await harness("/api/user/self", { cookie })).json.data;
const NEW = "eleven grey herons wade";

describe("the caller's own profile", () => {
  test("refuses e-mail changes after ten attempts a minute from one address, by any user", async () => {
    await services.close();
    services = await testServices({ limits: { loginAttemptsPerMinute: 10 } });
    harness = openConsoleHarness(services);
    owner = await setUpOwner(harness);
    const mia = await addUser(harness, owner, { username: "mia" });
    await patch({ email: "o@example.com" });
    for (let i = 0; i < 9; i++)
      expect((await patch({ email: "o@example.com" }, mia.cookie)).status).toBe(409);
    expect((await patch({ email: "o@example.com" }, mia.cookie)).status).toBe(429);
    expect((await patch({ display_name: "Mia" }, mia.cookie)).status).toBe(200);
    services.clock.advance(60_000);
    expect((await patch({ email: "mia@example.com" }, mia.cookie)).status).toBe(200);
    // Sending the current address is not an attempt.
    for (let i = 0; i < 12; i++)
      expect((await patch({ email: "mia@example.com" }, mia.cookie)).status).toBe(200);
  });

  test("writes no audit row and no version for a request without fields", async () => {
    const rows = async () => (await services.store.audit.list({ limit: 50, cursor: null, q: null })).items;
    const before = (await rows()).length;
    const { version } = await self();
    for (const body of [{}, { version }]) expect((await patch(body)).json.data.version).toBe(version);
    expect((await patch({ version: version + 1 })).status).toBe(409);
    expect(await rows()).toHaveLength(before);
    expect((await patch({ version, display_name: "Liv" })).status).toBe(200);
    expect(await rows()).toHaveLength(before + 1);
  });

  test("returns exactly the contract's fields", async () => {
    expect(await self()).toEqual({
      id: expect.stringMatching(/^usr_/),
      username: "olivia",
      display_name: "olivia",
      email: null,
      role: "owner",
      enabled: true,
      two_factor_enabled: false,
      rpm: null,
      tpm: null,
      concurrency: null,
      budget: { total_usd: null, daily_usd: null, monthly_usd: null },
      created_at: new Date(services.clock.now()).toISOString(),
      version: 1,
      locale: null,
      login_method: "setup",
      session_expires_at: new Date(services.clock.now() + 24 * 3_600_000).toISOString(),
    });
  });

  test("changes and removes name, e-mail address and language", async () => {
    const reply = await patch({
      display_name: " Olivia W. ",
      email: "o@example.com",
      locale: "zh",
      version: 1,
    });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data).toMatchObject({
      display_name: "Olivia W.",
      email: "o@example.com",
      locale: "zh",
      version: 2,
    });
    expect((await patch({ email: null, locale: null })).json.data).toMatchObject({
      email: null,
      locale: null,
    });
  });

  test("refuses a stale version with 409 and changes nothing", async () => {
    const reply = await patch({ display_name: "Else", version: 7 });
    expect([reply.status, reply.json.code]).toEqual([409, "conflict"]);
    expect((await self()).display_name).toBe("olivia");
  });

  test.each<[string, object]>([
    ["role", { role: "owner" }],
    ["id", { id: "usr_1" }],
    ["username", { username: "root" }],
    ["password", { password: NEW }],
    ["enabled", { enabled: true }],
    ["two_factor_enabled", { two_factor_enabled: true }],
    ["budget", { budget: { total_usd: null } }],
  ])("answers 400 to a user who changes their own %s", async (field, body) => {
    const reply = await patch({ display_name: "x", ...body });
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toEqual([{ path: field, message: "Unknown field." }]);
    expect((await self()).version).toBe(1);
  });

  test("refuses an e-mail address or name of another user with 409", async () => {
    const mia = await addUser(harness, owner, { username: "mia@example.com" });
    await patch({ email: "o@example.com" });
    for (const email of ["MIA@example.com", "o@EXAMPLE.com"]) {
      const cookie = email.startsWith("MIA") ? owner : mia.cookie;
      const reply = await patch({ email }, cookie);
      expect(reply.status, email).toBe(409);
      expect(reply.json.issues[0].path).toBe("email");
    }
  });

  test.each([
    ["a direction mark", "a\u202eb"],
    ["only spaces", "   "],
    ["65 characters", "x".repeat(65)],
  ])("answers 400 to a display name of %s", async (_name, display_name) => {
    expect((await patch({ display_name })).status).toBe(400);
  });
});

test("shows the caller's budget, what their keys spent, and when it resets", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  const limited = { method: "PATCH", body: { version: 1, budget: { daily_usd: "5.00" } }, cookie: owner };
  expect((await harness(`/api/users/${mia.id}`, limited)).status).toBe(200);
  const day = new Date(services.clock.now()).toISOString().slice(0, 10);
  const spend = (costNano: number, at: { day: string; month: string }) =>
    services.store.ledger.settle(usageRecord("key_1", mia.id, { at: services.clock.now(), costNano }), at);
  await spend(1_250_000_000, { day, month: day.slice(0, 7) });
  await spend(250_000_000, { day: "2000-01-31", month: day.slice(0, 7) });
  await spend(500_000_000, { day: "2000-01-31", month: "2000-01" });
  const { data } = (await harness("/api/user/budget", { cookie: mia.cookie })).json;
  expect(data.budget).toEqual({ total_usd: null, daily_usd: "5.000000000", monthly_usd: null });
  expect(data.spent).toEqual({
    total_usd: "2.000000000",
    daily_usd: "1.250000000",
    monthly_usd: "1.500000000",
  });
  expect(Date.parse(data.daily_resets_at) - services.clock.now()).toBeGreaterThan(0);
  expect(Date.parse(data.daily_resets_at) - services.clock.now()).toBeLessThanOrEqual(25 * 3_600_000);
  expect(Date.parse(data.monthly_resets_at)).toBeGreaterThanOrEqual(Date.parse(data.daily_resets_at));
});

describe("changing the password", () => {
  const change = (body: object, cookie = owner) => harness("/api/user/password", { body, cookie });

  test("needs the current password: answers 400 without it, 403 if it is wrong, and changes nothing", async () => {
    expect((await change({ new_password: NEW })).status).toBe(400);
    const wrong = await change({ current_password: "wrong wrong wrong", new_password: NEW });
    expect([wrong.status, wrong.json.code]).toEqual([403, "invalid_credentials"]);
    expect((await harness("/api/user/login", { body: OWNER })).status).toBe(200);
  });

  test.each([
    ["too short", "short"],
    ["too common", "password123"],
    ["the username", "Olivia"],
    ["longer than 1,024 bytes", "x".repeat(1025)],
    ["a list", ["x"]],
  ])("answers 400 to a new password that is %s", async (_name, new_password) => {
    const reply = await change({ current_password: OWNER.password, new_password });
    expect(reply.status).toBe(400);
    expect(reply.json.issues[0].path).toBe("new_password");
  });

  test("refuses a current password above 1,024 bytes with 400 before any hashing", async () => {
    const reply = await change({ current_password: "x".repeat(1025), new_password: NEW });
    expect(reply.status).toBe(400);
    expect(reply.json.issues[0].path).toBe("current_password");
  });

  test("starts a new session; only the new password signs in", async () => {
    const reply = await change({ current_password: OWNER.password, new_password: NEW });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.setCookies[0]).toMatch(/^next-auth\.session-token=ey/);
    expect((await self(reply.cookie)).username).toBe("olivia");
    expect((await harness("/api/user/login", { body: OWNER })).status).toBe(401);
    expect((await harness("/api/user/login", { body: { ...OWNER, password: NEW } })).status).toBe(200);
    expect(readStoreBytes(services.dataDirectory).includes(NEW)).toBe(false);
  });

  test("asks for a code when 2FA is on, and consumes it", async () => {
    const { secret } = await enrol(harness, services.clock, owner);
    const code = totpCode(secret, services.clock.now());
    const body = { current_password: OWNER.password, new_password: NEW };
    for (const missing of [{}, { code: "" }, { code: "12345" }]) {
      const reply = await change({ ...body, ...missing });
      expect(reply.status).toBe(400);
      expect(reply.json.issues[0].path).toBe("code");
    }
    expect((await change({ ...body, code: wrongCode(secret, services.clock) })).status).toBe(403);
    const reply = await change({ ...body, code });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data.two_factor_enabled).toBe(true);
    const flow = await harness("/api/user/login", { body: { ...OWNER, password: NEW } });
    const replay = await harness("/api/user/login/2fa", { body: { code }, cookie: flow.cookie });
    expect(replay.json.code).toBe("invalid_code");
  });

  test.each([
    ["with 2FA", true],
    ["without 2FA", false],
  ])("hashes no new password for a wrong current one %s, and consumes no code", async (_name, has2fa) => {
    const enrolled = has2fa ? await enrol(harness, services.clock, owner) : null;
    const code = enrolled ? totpCode(enrolled.secret, services.clock.now()) : undefined;
    const hash = vi.spyOn(services.hasher, "hash");
    const wrong = { current_password: "wrong wrong wrong", new_password: NEW, code };
    expect((await change(wrong)).status).toBe(403);
    expect(hash).not.toHaveBeenCalled();
    hash.mockRejectedValueOnce(new AppError("overloaded", "Too many sign-ins at once."));
    expect((await change({ ...wrong, current_password: OWNER.password })).status).toBe(503);
    expect((await change({ ...wrong, current_password: OWNER.password })).status).toBe(200);
  });

  test("checks twenty passwords a minute: sign-ins wait in the same queue", async () => {
    const setUp = () => harness("/api/user/2fa/setup", { body: { password: OWNER.password }, cookie: owner });
    for (let i = 0; i < 20; i++) expect((await setUp()).status).toBe(200);
    const refused = await setUp();
    expect([refused.status, refused.json.code]).toEqual([429, "rate_limited"]);
    services.clock.advance(60_000);
    expect((await setUp()).status).toBe(200);
  });

  test("accepts one of ten concurrent changes", async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        change({ current_password: OWNER.password, new_password: `${NEW} ${i}` }),
      ),
    );
    const statuses = replies.map((reply) => reply.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    for (const status of statuses) expect([200, 401, 403, 409]).toContain(status);
  });
});

test("limits a member, but not an administrator, to 120 changes a minute", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  for (let i = 0; i < 120; i++) expect((await patch({}, mia.cookie)).status).toBe(200);
  const refused = await patch({}, mia.cookie);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
  expect((await self(mia.cookie)).username).toBe("mia");
  // Changes that stop a misuse of the account, deleting a key and changing the password, are not limited.
  expect((await harness("/api/keys/key_unknown", { method: "DELETE", cookie: mia.cookie })).status).toBe(404);
  const password = { body: { current_password: "wrong wrong wrong", new_password: NEW }, cookie: mia.cookie };
  expect((await harness("/api/user/password", password)).status).toBe(403);
  for (let i = 0; i < 121; i++) expect((await patch({})).status).toBe(200);
});

test("every account route answers 401 without a session and 403 to a key", async () => {
  const made = await harness("/api/keys", { body: { name: "m", operations: ["manage"] }, cookie: owner });
  const headers = { authorization: `Bearer ${made.json.data.key}` };
  const calls: [string, object][] = [
    ["/api/user/self", {}],
    ["/api/user/self", { method: "PATCH", body: {} }],
    ["/api/user/budget", {}],
    ["/api/user/password", { body: {} }],
    ["/api/user/sessions", {}],
    ["/api/user/sessions", { method: "DELETE" }],
    ["/api/user/sessions/x", { method: "DELETE" }],
    ["/api/user/2fa/status", {}],
    ["/api/user/2fa/setup", { body: {} }],
    ["/api/user/2fa/enable", { body: {} }],
    ["/api/user/2fa/disable", { body: {} }],
    ["/api/user/2fa/backup_codes", { body: {} }],
    ["/api/keys/playground", { body: {} }],
    ["/api/setup/progress", {}],
  ];
  for (const [path, call] of calls) {
    expect((await harness(path, call)).status, path).toBe(401);
    expect((await harness(path, { ...call, headers })).status, path).toBe(403);
  }
});
