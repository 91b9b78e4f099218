import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readAuditDetail } from "../../components/audit/audit-detail";
import { DEFAULT_SETTINGS } from "../../lib/contracts/console/settings";
import { DAY_MS } from "../../lib/contracts/durations";
import {
  addUser,
  type ConsoleHarness,
  changeSettings,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { readStoreBytes } from "../support/store-bytes";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const PASSWORD = "nine blue lanterns drift";
const create = (body: object, cookie = owner) =>
  harness("/api/users", { body: { username: "mia", password: PASSWORD, ...body }, cookie });
const patch = (id: string, body: object, cookie = owner) =>
  harness(`/api/users/${id}`, { method: "PATCH", body, cookie });
const ownerId = async () => (await services.store.users.findByNameOrEmail("olivia"))?.id ?? "";
const count = async () =>
  (await services.store.users.list({ limit: 100, cursor: null, q: null })).items.length;

describe("adding a user", () => {
  test("creates a member by default, with no trace of the password in replies or on disk", async () => {
    const reply = await create({ email: "mia@example.com", budget: { monthly_usd: "5" } });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data).toEqual({
      id: expect.stringMatching(/^usr_/),
      username: "mia",
      display_name: "mia",
      email: "mia@example.com",
      role: "member",
      enabled: true,
      two_factor_enabled: false,
      rpm: null,
      tpm: null,
      concurrency: null,
      created_at: new Date(services.clock.now()).toISOString(),
      version: 1,
      budget: { total_usd: null, daily_usd: null, monthly_usd: "5.000000000" },
      spent: { total_usd: "0.000000000", daily_usd: "0.000000000", monthly_usd: "0.000000000" },
      last_seen_at: null,
      locked_until: null,
    });
    const lists = await harness("/api/users", { cookie: owner });
    expect(lists.json.data.items).toHaveLength(2);
    expect(lists.text).not.toMatch(/argon2|password/);
    expect(readStoreBytes(services.dataDirectory).includes(PASSWORD)).toBe(false);
  });

  test.each<[string, object]>([
    ["role", { role: "owner" }],
    ["password", { password: "short" }],
    ["password", { password: "password123" }],
    ["password", { username: "longenough", password: "LongEnough" }],
    ["username", { username: "mia " }],
    ["username", { username: "a\u200bb" }],
    ["username", { username: "" }],
    ["email", { email: "nowhere" }],
    ["id", { id: "usr_1" }],
    ["two_factor_enabled", { two_factor_enabled: true }],
    ["password_hash", { password_hash: "x" }],
  ])("refuses an invalid or unknown %s with 400, and adds no user", async (field, body) => {
    const reply = await create(body);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json.issues.map((issue: { path: string }) => issue.path)).toContain(field);
    expect(await count()).toBe(1);
  });

  test.each([
    ["the same name in another case", { username: "OLIVIA" }],
    ["a name that is another user's address", { username: "o@example.com" }],
    ["an address that is another user's name", { email: "Olivia@Example.com" }],
  ])("answers 409 to %s", async (_name, body) => {
    await harness("/api/user/self", { method: "PATCH", body: { email: "o@example.com" }, cookie: owner });
    if ("email" in body) await create({ username: "olivia@example.com" });
    const before = await count();
    const reply = await create({ username: "other", ...body });
    expect([reply.status, reply.json.code]).toEqual([409, "conflict"]);
    expect(await count()).toBe(before);
  });

  test("accepts one of ten concurrent requests with one name", async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => create({})));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });
});

describe("roles", () => {
  test("refuse changes of a user with an equal or a higher role, or of the caller", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const bob = await addUser(harness, owner, { username: "bob", role: "admin" });
    const self = await ownerId();
    const acts = (id: string, cookie: string) => [
      patch(id, { enabled: false, version: 1 }, cookie),
      patch(id, { password: "twelve red foxes nap", version: 1 }, cookie),
      harness(`/api/users/${id}`, { method: "DELETE", cookie }),
      harness(`/api/users/${id}/reset_2fa`, { body: {}, cookie }),
      harness(`/api/users/${id}/unlock`, { body: {}, cookie }),
    ];
    const attempts = [
      [bob.id, ada.cookie],
      [self, ada.cookie],
      [ada.id, ada.cookie],
      [self, owner],
    ] as const;
    for (const [id, cookie] of attempts) {
      const replies = await Promise.all(acts(id, cookie));
      expect(replies.map((reply) => reply.status)).toEqual([403, 403, 403, 403, 403]);
    }
    expect(await count()).toBe(3);
    expect((await harness("/api/user/login", { body: OWNER })).status).toBe(200);
  });

  test("an administrator cannot assign their own role", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    expect((await create({ role: "admin" }, ada.cookie)).status).toBe(403);
    const mia = (await create({}, ada.cookie)).json.data;
    expect((await patch(mia.id, { role: "admin", version: 1 }, ada.cookie)).status).toBe(403);
    expect((await patch(mia.id, { role: "owner", version: 1 }, owner)).status).toBe(400);
    expect((await patch(mia.id, { role: "admin", version: 1 }, owner)).status).toBe(200);
  });

  test("members and anonymous callers see no users", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const id = await ownerId();
    for (const [path, method] of [
      ["/api/users", "GET"],
      ["/api/users", "POST"],
      [`/api/users/${id}`, "GET"],
      [`/api/users/${mia.id}`, "GET"],
      ["/api/users/usr_unknown", "GET"],
      [`/api/users/${mia.id}`, "PATCH"],
      [`/api/users/${id}`, "DELETE"],
      [`/api/users/${mia.id}/reset_2fa`, "POST"],
      [`/api/users/${mia.id}/unlock`, "POST"],
      ["/api/settings", "GET"],
      ["/api/settings", "PATCH"],
      ["/api/audit", "GET"],
    ] as const) {
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      expect((await harness(path, { method, body, cookie: mia.cookie })).status, `${method} ${path}`).toBe(
        403,
      );
      expect((await harness(path, { method, body })).status, `${method} ${path}`).toBe(401);
    }
  });

  test("administrators get 404 for an unknown user", async () => {
    expect((await harness("/api/users/usr_unknown", { cookie: owner })).status).toBe(404);
    expect((await patch("usr_unknown", { version: 1 })).status).toBe(404);
    expect((await harness("/api/users/usr_unknown", { method: "DELETE", cookie: owner })).status).toBe(404);
  });
});

test("a demoted administrator sets no password that was still being hashed", async () => {
  const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
  const mia = await addUser(harness, owner, { username: "mia" });
  const before = await services.store.users.findById(mia.id);
  const hash = vi.spyOn(services.hasher, "hash");
  const setRole = async (role: "admin" | "member") => {
    const { version = 0 } = (await services.store.users.findById(ada.id)) ?? {};
    await services.store.users.update({ id: ada.id, version }, { role });
    return "hash";
  };
  hash.mockImplementationOnce(() => setRole("member"));
  expect((await patch(mia.id, { password: PASSWORD, version: 1 }, ada.cookie)).status).toBe(403);
  await setRole("admin");
  hash.mockImplementationOnce(() => setRole("member"));
  expect((await create({ username: "late" }, ada.cookie)).status).toBe(403);
  // An owner who has become an administrator meanwhile may still change members, but not appoint administrators.
  const olivia = await services.store.users.findByNameOrEmail("olivia");
  hash.mockImplementationOnce(async () => {
    const { id = "", version = 0 } = olivia ?? {};
    await services.store.users.update({ id, version }, { role: "admin" });
    return "hash";
  });
  const appointed = { password: PASSWORD, role: "admin", version: 1 };
  expect((await patch(mia.id, appointed)).status).toBe(403);
  expect(await services.store.users.findById(mia.id)).toEqual(before);
  expect(await count()).toBe(3);
});

describe("changing a user", () => {
  test("needs a version, and answers 409 to a stale one", async () => {
    const { id } = (await create({})).json.data;
    expect((await patch(id, { display_name: "Mia" })).status).toBe(400);
    expect((await patch(id, { display_name: "Mia", version: 1 })).json.data.display_name).toBe("Mia");
    expect((await patch(id, { display_name: "Else", version: 1 })).status).toBe(409);
  });

  test("shows a changed budget in the audit log with its old and new amount", async () => {
    const { id } = (await create({ budget: { monthly_usd: "5" } })).json.data;
    const budget = { total_usd: null, daily_usd: null, monthly_usd: "7.5" };
    expect((await patch(id, { budget, version: 1 })).status).toBe(200);
    expect((await patch(id, { budget, display_name: "Mia", version: 2 })).status).toBe(200);
    const rows = (await harness("/api/audit?action=user.update", { cookie: owner })).json.data.items;
    const changes = rows.map(
      (row: { detail: Record<string, unknown> }) => readAuditDetail(row.detail).changes,
    );
    expect(changes).toEqual([
      [{ field: "display_name", before: "mia", after: "Mia" }],
      [{ field: "budget.monthly_usd", before: "5.000000000", after: "7.500000000" }],
    ]);
  });

  test("checks a new password like any other, and accepts it at sign-in", async () => {
    const { id } = (await create({})).json.data;
    expect((await patch(id, { password: "mia", version: 1 })).status).toBe(400);
    expect((await patch(id, { password: "twelve red foxes nap", version: 1 })).status).toBe(200);
    const login = (password: string) => harness("/api/user/login", { body: { username: "mia", password } });
    expect((await login(PASSWORD)).status).toBe(401);
    expect((await login("twelve red foxes nap")).status).toBe(200);
  });

  test.each(["unlocking", "a new password"])(
    "lets the user sign in after %s clears their delay",
    async (by) => {
      const { id } = (await create({ email: "mia@example.com" })).json.data;
      for (let i = 0; i < 10; i++) {
        const username = i % 2 === 0 ? "mia" : "mia@example.com";
        await harness("/api/user/login", { body: { username, password: "wrong wrong wrong" } });
      }
      const login = () => harness("/api/user/login", { body: { username: "mia", password: PASSWORD } });
      expect((await login()).status).toBe(429);
      const seen = async () => (await harness(`/api/users/${id}`, { cookie: owner })).json.data;
      expect(Date.parse((await seen()).locked_until)).toBeGreaterThan(services.clock.now());
      services.clock.advance(-DAY_MS);
      expect((await seen()).locked_until).toBeNull();
      services.clock.advance(DAY_MS);
      if (by === "unlocking")
        expect((await harness(`/api/users/${id}/unlock`, { body: {}, cookie: owner })).status).toBe(200);
      else expect((await patch(id, { version: 1, password: PASSWORD })).status).toBe(200);
      expect((await login()).status).toBe(200);
      const now = new Date(services.clock.now()).toISOString();
      expect(await seen()).toMatchObject({ locked_until: null, last_seen_at: now });
    },
  );
});

test("on a demo site only its owner changes users and settings", async () => {
  const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
  const zoe = await addUser(harness, owner, { username: "zoe" });
  const settings = (body: object, cookie: string) => changeSettings(harness, cookie, body);
  expect((await settings({ demo_site: true }, ada.cookie)).status).toBe(403);
  expect((await settings({ demo_site: true }, owner)).status).toBe(200);
  expect((await settings({ self_use_mode: true }, ada.cookie)).status).toBe(403);
  expect((await create({}, ada.cookie)).status).toBe(403);
  for (const verb of ["unlock", "reset_2fa"]) {
    const call = (cookie: string) => harness(`/api/users/${zoe.id}/${verb}`, { body: {}, cookie });
    expect([verb, (await call(ada.cookie)).status]).toEqual([verb, 403]);
    expect([verb, (await call(owner)).status]).not.toEqual([verb, 403]);
  }
  const invite = (cookie: string) => harness("/api/invites", { body: {}, cookie });
  expect((await invite(ada.cookie)).status).toBe(403);
  expect((await invite(owner)).status).toBe(200);
  expect((await harness("/api/settings", { cookie: ada.cookie })).status).toBe(200);
  expect((await create({}, owner)).status).toBe(200);
});

describe("settings", () => {
  test("return only names and values, and change one at a time", async () => {
    const before = (await harness("/api/settings", { cookie: owner })).json.data;
    expect(Object.keys(before).sort()).toEqual([...Object.keys(DEFAULT_SETTINGS), "version"].sort());
    const reply = await changeSettings(harness, owner, { self_use_mode: true });
    expect(reply.json.data).toEqual({ ...before, self_use_mode: true, version: before.version + 1 });
  });

  test.each<[string, object]>([
    ["an unknown name", { secret_check: "x" }],
    ["an internal name", { setup_progress: { step: "key", finished: false } }],
    ["a boolean as a string", { demo_site: "true" }],
    [
      "an idle time of 0",
      { session_hours: { admin_absolute: 1, admin_idle: 0, member_absolute: 1, member_idle: 1 } },
    ],
    ["an incomplete object", { session_hours: { admin_idle: 1 } }],
  ])("answer 400 to %s", async (_name, body) => {
    expect((await changeSettings(harness, owner, body)).status).toBe(400);
  });
});
