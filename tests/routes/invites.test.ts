import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  addUser,
  type ConsoleHarness,
  changeSettings,
  enrol,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { readStoreBytes } from "../support/store-bytes";
import { totpCode } from "../support/totp";

const HOUR = 3_600_000;
const PASSWORD = "nine blue lanterns drift";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const invite = (body: object = {}, cookie = owner) => harness("/api/invites", { body, cookie });
const tokenOf = async (body: object = {}, cookie = owner): Promise<string> => {
  const reply = await invite(body, cookie);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data.token;
};
const fields = (token: string, more: object = {}) => ({
  token,
  username: "mia",
  password: PASSWORD,
  confirmPassword: PASSWORD,
  ...more,
});
const accept = (token: string, more: object = {}) =>
  harness("/api/invites/accept", { body: fields(token, more) });
const inspect = (token: string) => harness("/api/invites/inspect", { body: { token } });
const openLinks = async (cookie = owner) => (await harness("/api/invites", { cookie })).json.data.items;
const minute = () => services.clock.advance(60_000);
const roleOf = async (username: string) => (await services.store.users.findByNameOrEmail(username))?.role;

describe("inviting a user", () => {
  test("shows the token once, and neither stores nor lists it", async () => {
    const reply = await invite({ role: "admin", email: "mia@example.com", expires_hours: 24 });
    expect(reply.status, reply.text).toBe(200);
    const { token, ...shown } = reply.json.data;
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(shown).toEqual({
      id: expect.stringMatching(/^inv_/),
      kind: "invite",
      role: "admin",
      email: "mia@example.com",
      user: null,
      made_by: { id: expect.stringMatching(/^usr_/), username: "olivia" },
      created_at: new Date(services.clock.now()).toISOString(),
      expires_at: new Date(services.clock.now() + 24 * HOUR).toISOString(),
      works: true,
    });
    const list = await harness("/api/invites", { cookie: owner });
    expect(list.json.data.items).toEqual([shown]);
    expect(list.text).not.toContain(token);
    expect(readStoreBytes(services.dataDirectory).includes(token)).toBe(false);
  });

  test.each<[string, object]>([
    ["role", { role: "owner" }],
    ["expires_hours", { expires_hours: 0 }],
    ["expires_hours", { expires_hours: 721 }],
    ["expires_hours", { expires_hours: 1.5 }],
    ["email", { email: "nowhere" }],
    ["made_by", { made_by: "usr_1" }],
    ["token", { token: "mine" }],
    ["kind", { kind: "password_reset" }],
  ])("answers 400 to an invalid or unknown %s and creates no link", async (field, body) => {
    const reply = await invite(body);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json.issues.map((issue: { path: string }) => issue.path)).toContain(field);
    expect(await openLinks()).toEqual([]);
  });

  test("an administrator may invite only members; members and anonymous callers may not invite", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const mia = await addUser(harness, owner, { username: "mo" });
    expect((await invite({ role: "admin" }, ada.cookie)).status).toBe(403);
    expect((await invite({}, ada.cookie)).status).toBe(200);
    expect((await invite({}, mia.cookie)).status).toBe(403);
    expect((await harness("/api/invites", { body: {} })).status).toBe(401);
    expect((await harness("/api/invites", { cookie: mia.cookie })).status).toBe(403);
  });

  test("refuses a taken e-mail address with 409", async () => {
    await addUser(harness, owner, { username: "ada@example.com" });
    expect((await invite({ email: "ADA@example.com" })).status).toBe(409);
  });
});

describe("accepting an invite", () => {
  test("creates the user with the link's role and address, signs them in, and is audited", async () => {
    const token = await tokenOf({ role: "admin", email: "mia@example.com" });
    expect((await inspect(token)).json.data).toEqual({
      kind: "invite",
      role: "admin",
      email: "mia@example.com",
      made_by: "olivia",
      expires_at: expect.any(String),
    });
    const reply = await accept(token, { display_name: "Mia" });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data).toMatchObject({
      username: "mia",
      display_name: "Mia",
      role: "admin",
      email: "mia@example.com",
    });
    const self = await harness("/api/user/self", { cookie: reply.cookie });
    expect(self.json.data.username).toBe("mia");
    expect((await harness("/api/user/login", { body: { username: "mia", password: PASSWORD } })).status).toBe(
      200,
    );
    const { items } = (await harness("/api/audit?q=invite", { cookie: owner })).json.data;
    expect(items.map((row: { action: string }) => row.action)).toEqual(["invite.accept", "invite.create"]);
    expect(items[0]).toMatchObject({ actor: reply.json.data.id, target: reply.json.data.id });
    expect(JSON.stringify(items)).not.toContain(token);
  });

  test("creates one user for ten concurrent uses", async () => {
    const token = await tokenOf();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => accept(token, { username: `mia${index}` })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(9).fill(404)]);
    const users = await services.store.users.list({ limit: 100, cursor: null, q: null });
    expect(users.items).toHaveLength(2);
  });

  test.each<[string, (token: string) => unknown]>([
    ["used", (token) => accept(token, { username: "first" })],
    ["revoked", async () => revoke((await openLinks())[0].id)],
    ["expired", () => services.clock.advance(72 * HOUR)],
    ["of an inviter disabled since", () => changeInviter({ enabled: false })],
    ["of an inviter demoted since", () => changeInviter({ role: "member" })],
    ["of an inviter removed since", () => changeInviter(null)],
  ])("answers a link that is %s like an unknown one", async (_name, invalidate) => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    adaId = ada.id;
    const token = await tokenOf({}, ada.cookie);
    await invalidate(token);
    minute();
    const [known, unknown] = [await accept(token), await accept("A".repeat(43))];
    expect([known.status, known.text]).toEqual([404, unknown.text]);
    const [seen, unseen] = [await inspect(token), await inspect("A".repeat(43))];
    expect([seen.status, seen.text]).toEqual([404, unseen.text]);
    expect(known.cookie).toBe("");
    expect(await roleOf("mia")).toBeUndefined();
  });

  test("a link for an administrator is refused when its creator is no longer the owner", async () => {
    const token = await tokenOf({ role: "admin" });
    await services.store.users.update(
      { ...(await ownerRecord()), id: await idOf("olivia") },
      { role: "admin" },
    );
    expect((await accept(token)).status).toBe(404);
  });

  test.each<[string, object]>([
    ["role", { role: "admin" }],
    ["email", { email: "else@example.com" }],
    ["id", { id: "usr_1" }],
    ["budget", { budget: { monthly_usd: "5" } }],
    ["enabled", { enabled: true }],
    ["password", { password: "short", confirmPassword: "short" }],
    ["password", { password: "password123", confirmPassword: "password123" }],
    ["password", { username: "longenough", password: "LongEnough", confirmPassword: "LongEnough" }],
    ["confirmPassword", { confirmPassword: "another one entirely" }],
    ["username", { username: "a b" }],
  ])("refuses an invalid or unknown %s with 400, and the link stays valid", async (field, more) => {
    const token = await tokenOf();
    const reply = await accept(token, more);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json.issues.map((issue: { path: string }) => issue.path)).toContain(field);
    expect((await accept(token)).status).toBe(200);
  });

  test("refuses a taken name with 409, and the link stays valid", async () => {
    const token = await tokenOf();
    const reply = await accept(token, { username: "OLIVIA" });
    expect([reply.status, reply.json.issues[0].path]).toEqual([409, "username"]);
    expect((await accept(token)).status).toBe(200);
  });

  test("allows ten attempts a minute per address to open a link, and ten to accept one", async () => {
    await limitAttempts();
    const token = await tokenOf();
    for (let i = 0; i < 10; i++) expect((await inspect("x")).status).toBe(404);
    expect((await inspect(token)).status).toBe(429);
    for (let i = 0; i < 10; i++) expect((await accept("x")).status).toBe(404);
    const reply = await accept(token);
    expect([reply.status, reply.headers["retry-after"]]).toEqual([429, expect.any(String)]);
    minute();
    expect((await accept(token)).status).toBe(200);
  });

  test("refuses a request from another site", async () => {
    const token = await tokenOf();
    const reply = await harness("/api/invites/accept", {
      body: fields(token),
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect(reply.status).toBe(403);
    expect((await accept(token)).status).toBe(200);
  });
});

/** Restarts with the production limit of attempts per address. */
async function limitAttempts(): Promise<void> {
  await services.close();
  services = await testServices({ limits: { loginAttemptsPerMinute: 10 } });
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
}

let adaId = "";
const idOf = async (username: string) => (await services.store.users.findByNameOrEmail(username))?.id ?? "";
const ownerRecord = async () => ({
  version: (await services.store.users.findByNameOrEmail("olivia"))?.version ?? 0,
});
const revoke = (id: string, cookie = owner) => harness(`/api/invites/${id}`, { method: "DELETE", cookie });
/** Changes or removes ada, who sent the invite. */
async function changeInviter(change: object | null): Promise<void> {
  const path = `/api/users/${adaId}`;
  const reply =
    change === null
      ? await harness(path, { method: "DELETE", cookie: owner })
      : await harness(path, { method: "PATCH", body: { version: 1, ...change }, cookie: owner });
  expect(reply.status, reply.text).toBe(200);
}

describe("open links", () => {
  test("can be revoked once, by a user with a higher role than the link grants", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    await tokenOf({ role: "admin" });
    await tokenOf({}, ada.cookie);
    const [mine, theirs] = await openLinks(ada.cookie);
    const admins = [mine, theirs].find((one) => one.role === "admin");
    const members = [mine, theirs].find((one) => one.role === "member");
    expect((await revoke(admins.id, ada.cookie)).status).toBe(403);
    expect((await revoke(members.id, ada.cookie)).status).toBe(200);
    expect((await revoke(members.id)).status).toBe(404);
    expect((await revoke(admins.id)).status).toBe(200);
    expect(await openLinks()).toEqual([]);
  });

  test("show when a link is invalid because its creator was demoted", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    adaId = ada.id;
    await tokenOf({}, ada.cookie);
    await changeInviter({ role: "member" });
    expect(await openLinks()).toMatchObject([{ works: false, made_by: { username: "ada" } }]);
  });
});

describe("a password reset link", () => {
  const NEW = "twelve red foxes nap";
  const resetOf = async (id: string, cookie = owner): Promise<string> => {
    const reply = await harness(`/api/users/${id}/password_reset`, { body: {}, cookie });
    expect(reply.status, reply.text).toBe(200);
    return reply.json.data.token;
  };
  const reset = (token: string, more: object = {}) =>
    harness("/api/password-resets/accept", {
      body: { token, password: NEW, confirmPassword: NEW, ...more },
    });
  const login = (password: string) => harness("/api/user/login", { body: { username: "mia", password } });

  test("cannot be created for a disabled user, whom it could not sign in", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const token = await resetOf(mia.id);
    await patch(mia.id, { enabled: false });
    const reply = await harness(`/api/users/${mia.id}/password_reset`, { body: {}, cookie: owner });
    expect([reply.status, reply.json.code]).toEqual([409, "conflict"]);
    await patch(mia.id, { enabled: true, version: 2 });
    expect((await reset(token)).status).toBe(200);
  });

  test("sets the password, ends every session, clears delays, and signs the user in", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const token = await resetOf(mia.id);
    expect((await inspect(token)).json.data).toEqual({
      kind: "password_reset",
      username: "mia",
      two_factor_enabled: false,
      expires_at: new Date(services.clock.now() + 24 * HOUR).toISOString(),
    });
    expect((await openLinks())[0]).toMatchObject({ kind: "password_reset", user: { username: "mia" } });
    for (let i = 0; i < 9; i++) await login("wrong wrong wrong");
    minute();
    await login("wrong wrong wrong");
    const reply = await reset(token);
    expect(reply.status, reply.text).toBe(200);
    expect((await harness("/api/user/self", { cookie: mia.cookie })).status).toBe(401);
    expect((await harness("/api/user/self", { cookie: reply.cookie })).json.data.username).toBe("mia");
    expect((await login(mia.password)).status).toBe(401);
    expect((await login(NEW)).status).toBe(200);
    expect((await reset(token)).status).toBe(404);
    const { items } = (await harness("/api/audit?action=password.reset", { cookie: owner })).json.data;
    expect(items).toMatchObject([{ actor: mia.id, target: mia.id, detail: { factor: "password" } }]);
    expect(readStoreBytes(services.dataDirectory).includes(token)).toBe(false);
  });

  test("accepts one of five concurrent uses", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const token = await resetOf(mia.id);
    const replies = await Promise.all(Array.from({ length: 5 }, () => reset(token)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 404, 404, 404, 404]);
  });

  test("asks for a 2FA code and leaves 2FA on; a wrong code leaves the link valid", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const { secret, backupCodes } = await enrol(harness, services.clock, mia.cookie);
    const token = await resetOf(mia.id);
    expect((await inspect(token)).json.data.two_factor_enabled).toBe(true);
    const bare = await reset(token);
    expect([bare.status, bare.json.issues[0].path]).toEqual([400, "code"]);
    const counted = vi.spyOn(services.metrics, "count");
    const wrong = await reset(token, { code: "000000" });
    expect([wrong.status, wrong.json.code]).toEqual([401, "invalid_code"]);
    expect(counted.mock.calls).toEqual([["login_failures"]]);
    const right = await reset(token, { code: totpCode(secret, services.clock.now()) });
    expect(right.status, right.text).toBe(200);
    expect(right.json.data.two_factor_enabled).toBe(true);
    expect((await login(NEW)).json.data.require_2fa).toBe(true);
    const second = await resetOf(mia.id);
    minute();
    expect((await reset(second, { code: backupCodes[0] })).status).toBe(200);
    const third = await resetOf(mia.id);
    expect((await reset(third, { code: backupCodes[0] })).status).toBe(401);
  });

  test("locks 2FA of the whole account after wrong codes", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    await enrol(harness, services.clock, mia.cookie);
    const token = await resetOf(mia.id);
    for (let i = 0; i < 10; i++) {
      if (i % 5 === 0) minute();
      expect((await reset(token, { code: "000000" })).status).toBe(401);
    }
    minute();
    expect((await reset(token, { code: "000000" })).status).toBe(429);
  });

  test.each<[string, (id: string) => unknown]>([
    ["replaced by a newer one", (id) => resetOf(id)],
    ["older than a day", () => services.clock.advance(24 * HOUR)],
    ["of a user disabled since", (id) => patch(id, { enabled: false })],
    ["of a user whose password was changed since", (id) => patch(id, { password: "ten odd green socks" })],
    ["of a user promoted to its creator's role", (id) => patch(id, { role: "admin" })],
    ["of a creator demoted since", () => changeInviter({ role: "member" })],
    ["of a user removed since", (id) => harness(`/api/users/${id}`, { method: "DELETE", cookie: owner })],
  ])("that is %s is refused like an unknown one", async (_name, invalidate) => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    adaId = ada.id;
    const mia = await addUser(harness, owner, { username: "mia" });
    const token = await resetOf(mia.id, ada.cookie);
    await invalidate(mia.id);
    minute();
    const [known, unknown] = [await reset(token), await reset("A".repeat(43))];
    expect([known.status, known.text]).toEqual([404, unknown.text]);
  });

  test("cannot be created for an equal or a higher role, or for the caller", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const bob = await addUser(harness, owner, { username: "bob", role: "admin" });
    const mia = await addUser(harness, owner, { username: "mia" });
    const make = (id: string, cookie: string) =>
      harness(`/api/users/${id}/password_reset`, { body: {}, cookie });
    for (const id of [bob.id, ada.id, await idOf("olivia")]) {
      expect((await make(id, ada.cookie)).status).toBe(403);
      expect((await make(id, mia.cookie)).status).toBe(403);
    }
    expect((await make(await idOf("olivia"), owner)).status).toBe(403);
    expect((await make("usr_unknown", owner)).status).toBe(404);
    expect((await make(bob.id, owner)).status).toBe(200);
  });

  test("does not accept an invite's token, nor does an invite accept its token", async () => {
    const mia = await addUser(harness, owner, { username: "mo" });
    expect((await reset(await tokenOf())).status).toBe(404);
    expect((await accept(await resetOf(mia.id))).status).toBe(404);
  });

  const patch = (id: string, body: object) =>
    harness(`/api/users/${id}`, { method: "PATCH", body: { version: 1, ...body }, cookie: owner });
});

describe("ending all of a user's sessions", () => {
  const end = (id: string, cookie: string) =>
    harness(`/api/users/${id}/sessions`, { method: "DELETE", cookie });

  test("needs a higher role than the user has, and is written to the audit log", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const mia = await addUser(harness, owner, { username: "mia" });
    expect((await end(await idOf("olivia"), ada.cookie)).status).toBe(403);
    expect((await end(ada.id, ada.cookie)).status).toBe(403);
    expect((await end(ada.id, mia.cookie)).status).toBe(403);
    expect((await end(mia.id, ada.cookie)).status).toBe(200);
    expect((await harness("/api/user/self", { cookie: mia.cookie })).status).toBe(401);
    expect((await harness("/api/user/self", { cookie: ada.cookie })).status).toBe(200);
    expect((await end("usr_unknown", owner)).status).toBe(404);
    const { items } = (await harness("/api/audit?q=session.end_all", { cookie: owner })).json.data;
    expect(items).toMatchObject([{ target: mia.id, actor: ada.id, detail: { ended: 1 } }]);
  });
});

describe("self-registration", () => {
  const register = (more: object = {}) => {
    const { token: _, ...body } = { ...fields(""), ...more } as Record<string, unknown>;
    return harness("/api/user/register", { body });
  };
  const turnOn = () => changeSettings(harness, owner, { self_registration: true });

  test("answers 404 to any body while it is disabled", async () => {
    for (const body of [{}, { username: "mia" }, fields("x")]) {
      expect((await harness("/api/user/register", { body })).status).toBe(404);
    }
    expect((await register()).status).toBe(404);
    await turnOn();
    expect((await register()).status).toBe(200);
  });

  test("reports a common password together with the errors of other fields", async () => {
    await turnOn();
    const reply = await register({ password: "password1", confirmPassword: "x", username: "a b" });
    const paths = reply.json.issues.map((issue: { path: string }) => issue.path);
    expect([reply.status, paths.sort()]).toEqual([400, ["confirmPassword", "password", "username"]]);
  });

  test("creates a signed-in member and nothing else", async () => {
    await turnOn();
    const reply = await register();
    expect(reply.json.data).toMatchObject({ username: "mia", role: "member", email: null });
    expect((await harness("/api/users", { cookie: reply.cookie })).status).toBe(403);
    expect((await harness("/api/keys", { cookie: reply.cookie })).status).toBe(200);
  });

  test("gives new users the monthly budget of the settings", async () => {
    await turnOn();
    const budgetOf = async (username: string) =>
      (await services.store.users.findByNameOrEmail(username))?.budget;
    await register();
    expect(await budgetOf("mia")).toEqual({ totalNano: null, dailyNano: null, monthlyNano: 5_000_000_000 });
    for (const [username, amount, nano] of [
      ["noor", "0.25", 250_000_000],
      ["omar", null, null],
    ] as const) {
      const body = { registration_budget_usd: amount };
      expect((await changeSettings(harness, owner, body)).status).toBe(200);
      await register({ username });
      expect((await budgetOf(username))?.monthlyNano).toBe(nano);
    }
    const wrong = { registration_budget_usd: "a lot" };
    const refused = await changeSettings(harness, owner, wrong);
    expect([refused.status, refused.json.issues[0].path]).toEqual([400, "registration_budget_usd"]);
  });

  test.each<[string, object]>([
    ["role", { role: "admin" }],
    ["email", { email: "mia@example.com" }],
    ["budget", { budget: {} }],
    ["version", { version: 9 }],
    ["password", { password: "mia", confirmPassword: "mia" }],
    ["confirmPassword", { confirmPassword: "else else else" }],
  ])("answers 400 to an invalid or unknown %s", async (field, more) => {
    await turnOn();
    const reply = await register(more);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json.issues.map((issue: { path: string }) => issue.path)).toContain(field);
    expect(await roleOf("mia")).toBeUndefined();
  });

  test("members can remove their e-mail address afterwards but not set one; an administrator can", async () => {
    await turnOn();
    const mia = await register();
    const own = { method: "PATCH", body: { email: "boss@example.com" }, cookie: mia.cookie };
    const refused = await harness("/api/user/self", own);
    expect([refused.status, refused.json.issues?.[0]?.path]).toEqual([403, "email"]);
    const { id, version } = mia.json.data;
    const given = { method: "PATCH", body: { email: "mia@example.com", version }, cookie: owner };
    const changed = await harness(`/api/users/${id}`, given);
    expect(changed.status).toBe(200);
    const removed = { method: "PATCH", body: { email: null }, cookie: mia.cookie };
    expect((await harness("/api/user/self", removed)).json.data.email).toBeNull();
  });

  test("refuses a name in the form of an e-mail address", async () => {
    await turnOn();
    const anna = { username: "anna", email: "anna@example.com", password: PASSWORD };
    expect((await harness("/api/users", { body: anna, cookie: owner })).status).toBe(200);
    const replies = [
      await register({ username: "anna@example.com" }),
      await register({ username: "mia@example.com" }),
    ];
    for (const { status, json } of replies) {
      expect(status).toBe(400);
      expect(json.issues[0].path).toBe("username");
    }
    expect(replies[0]?.json).toEqual(replies[1]?.json);
    expect((await invite({ email: "mia@example.com" })).status).toBe(200);
  });

  test("hashes the password before it answers 409 to a taken name, and allows ten attempts a minute per address", async () => {
    await limitAttempts();
    await turnOn();
    let hashes = 0;
    const { hash } = services.hasher;
    services.hasher.hash = (...given) => {
      hashes += 1;
      return hash.apply(services.hasher, given);
    };
    expect((await register({ username: "olivia" })).status).toBe(409);
    expect(hashes).toBe(1);
    for (let i = 0; i < 9; i++) expect((await register({ username: "olivia" })).status).toBe(409);
    expect((await register()).status).toBe(429);
    minute();
    expect((await register()).status).toBe(200);
  });

  test("accepts one of ten concurrent registrations of one name", async () => {
    await turnOn();
    const replies = await Promise.all(Array.from({ length: 10 }, () => register()));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });
});
