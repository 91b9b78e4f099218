import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  addUser,
  type ConsoleHarness,
  changeSettings,
  enrol,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { totpCode } from "../support/totp";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const selfStatus = async (cookie: string) => (await harness("/api/user/self", { cookie })).status;
const login = async (who: { username: string; password: string } = OWNER, call: object = {}) =>
  (await harness("/api/user/login", { body: { username: who.username, password: who.password }, ...call }))
    .cookie;
const versionOf = async (id: string) => (await services.store.users.findById(id))?.version;

describe("the list of sessions", () => {
  test("shows the user's sessions with device, address and times, the current one marked, and no secret", async () => {
    services.clock.advance(MINUTE);
    const peer = { address: "198.51.100.7", isLocal: false };
    const other = await login(OWNER, { headers: { "user-agent": FIREFOX }, peer });
    await addUser(harness, owner, { username: "mia" });
    const { items } = (await harness("/api/user/sessions", { cookie: other })).json.data;
    expect(items).toHaveLength(2);
    expect(Object.keys(items[0]).sort()).toEqual(
      ["address", "created_at", "current", "device", "id", "last_seen_at"].sort(),
    );
    expect(items.find((one: { current: boolean }) => one.current)).toMatchObject({
      device: "Firefox on Linux",
      address: "198.51.100.7",
    });
    expect(items.filter((one: { current: boolean }) => one.current)).toHaveLength(1);
  });

  test("an ID from the list cannot be used as a session", async () => {
    const [first] = (await harness("/api/user/sessions", { cookie: owner })).json.data.items;
    expect(await selfStatus(`next-auth.session-token=${first.id}`)).toBe(401);
  });

  test("leaves out idle sessions", async () => {
    await login();
    services.clock.advance(50 * MINUTE);
    expect(await selfStatus(owner)).toBe(200);
    services.clock.advance(20 * MINUTE);
    expect((await harness("/api/user/sessions", { cookie: owner })).json.data.items).toHaveLength(1);
  });
});

describe("ending sessions", () => {
  test("ends one session at once", async () => {
    const other = await login();
    const { items } = (await harness("/api/user/sessions", { cookie: owner })).json.data;
    const id = items.find((one: { current: boolean }) => !one.current).id;
    const reply = await harness(`/api/user/sessions/${id}`, { method: "DELETE", cookie: owner });
    expect([reply.status, reply.json.data]).toEqual([200, null]);
    expect(await selfStatus(other)).toBe(401);
    expect(await selfStatus(owner)).toBe(200);
    expect((await harness(`/api/user/sessions/${id}`, { method: "DELETE", cookie: owner })).status).toBe(404);
  });

  test("answers 404 for another user's session, also to the owner, and the session stays valid", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const [memberSession] = (await harness("/api/user/sessions", { cookie: mia.cookie })).json.data.items;
    const [ownerSession] = (await harness("/api/user/sessions", { cookie: owner })).json.data.items;
    const end = (id: string, cookie: string) =>
      harness(`/api/user/sessions/${id}`, { method: "DELETE", cookie });
    expect((await end(memberSession.id, owner)).status).toBe(404);
    expect((await end(ownerSession.id, mia.cookie)).status).toBe(404);
    expect([await selfStatus(mia.cookie), await selfStatus(owner)]).toEqual([200, 200]);
  });

  test("ends all sessions of the user except the current one", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const others = [await login(), await login()];
    expect((await harness("/api/user/sessions", { method: "DELETE", cookie: owner })).status).toBe(200);
    for (const cookie of others) expect(await selfStatus(cookie)).toBe(401);
    expect([await selfStatus(mia.cookie), await selfStatus(owner)]).toEqual([200, 200]);
  });

  test("deletes the session's playground key", async () => {
    const other = await login();
    await harness("/api/keys/playground", { body: {}, cookie: other });
    const digestCount = async () => (await services.store.sessions.listByUser((await findOwner()).id)).length;
    expect(await digestCount()).toBe(2);
    const key = (await harness("/api/keys/playground", { body: {}, cookie: other })).json.data.key;
    const { authenticateKey } = await import("../../lib/gateway/admission/authenticate-key");
    const use = () => authenticateKey(services, key, { address: "127.0.0.1" });
    await expect(use()).resolves.toMatchObject({ key: { kind: "playground" } });
    await harness("/api/user/logout", { body: {}, cookie: other });
    await expect(use()).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

async function findOwner() {
  const user = await services.store.users.findByNameOrEmail("olivia");
  if (user === null) throw new Error("There is no owner.");
  return user;
}

describe("an old cookie is anonymous on the next request", () => {
  test("after sign-out", async () => {
    await harness("/api/user/logout", { body: {}, cookie: owner });
    expect(await selfStatus(owner)).toBe(401);
  });

  test("after the user is disabled, even if enabled again", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    for (const enabled of [false, true]) {
      const body = { enabled, version: await versionOf(mia.id) };
      expect((await harness(`/api/users/${mia.id}`, { method: "PATCH", body, cookie: owner })).status).toBe(
        200,
      );
      expect(await selfStatus(mia.cookie)).toBe(401);
    }
  });

  test("after a change of role", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const body = { role: "admin", version: await versionOf(mia.id) };
    expect((await harness(`/api/users/${mia.id}`, { method: "PATCH", body, cookie: owner })).status).toBe(
      200,
    );
    expect(await selfStatus(mia.cookie)).toBe(401);
  });

  test("after a change of password, by the user or an administrator", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const other = await login({ username: "mia", password: mia.password });
    const changed = await harness("/api/user/password", {
      body: { current_password: mia.password, new_password: "eleven grey herons wade" },
      cookie: mia.cookie,
    });
    expect(changed.status, changed.text).toBe(200);
    for (const cookie of [mia.cookie, other]) expect(await selfStatus(cookie)).toBe(401);
    expect(await selfStatus(changed.cookie)).toBe(200);
    const body = { password: "twelve red foxes nap", version: await versionOf(mia.id) };
    expect((await harness(`/api/users/${mia.id}`, { method: "PATCH", body, cookie: owner })).status).toBe(
      200,
    );
    expect(await selfStatus(changed.cookie)).toBe(401);
  });

  test("after 2FA is enabled, disabled or reset", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const who = { username: "mia", password: mia.password };
    const before = await login(who);
    const { secret, backupCodes } = await enrol(harness, services.clock, mia.cookie);
    expect(await selfStatus(before)).toBe(401);
    const flow = await harness("/api/user/login", { body: who });
    const other = await harness("/api/user/login/2fa", {
      body: { code: backupCodes[0] },
      cookie: flow.cookie,
    });
    const off = await harness("/api/user/2fa/disable", {
      body: { password: mia.password, code: totpCode(secret, services.clock.now()) },
      cookie: mia.cookie,
    });
    expect(off.status, off.text).toBe(200);
    expect(await selfStatus(other.cookie)).toBe(401);
    const last = await login(who);
    expect((await harness(`/api/users/${mia.id}/reset_2fa`, { body: {}, cookie: owner })).status).toBe(200);
    expect(await selfStatus(last)).toBe(401);
  });

  test("after the user is removed", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    await harness(`/api/users/${mia.id}`, { method: "DELETE", cookie: owner });
    expect(await selfStatus(mia.cookie)).toBe(401);
  });

  test("in another process on the same store", async () => {
    const otherServices = await testServices({ dataDirectory: services.dataDirectory });
    try {
      const otherHarness = openConsoleHarness(otherServices);
      expect((await otherHarness("/api/user/self", { cookie: owner })).status).toBe(200);
      await harness("/api/user/logout", { body: {}, cookie: owner });
      expect((await otherHarness("/api/user/self", { cookie: owner })).status).toBe(401);
    } finally {
      await otherServices.close();
    }
  });
});

describe("session lifetime", () => {
  test("follows the settings, with fractions of an hour", async () => {
    const hours = { admin_absolute: 1 / 3 + 1, admin_idle: 1 / 3, member_absolute: 2, member_idle: 1 };
    const saved = await changeSettings(harness, owner, { session_hours: hours });
    expect(saved.status, saved.text).toBe(200);
    const cookie = await login();
    const [session] = await services.store.sessions.listByUser((await findOwner()).id);
    expect(Number.isSafeInteger(session?.expiresAt)).toBe(true);
    services.clock.advance(19 * MINUTE);
    expect(await selfStatus(cookie)).toBe(200);
    services.clock.advance(20 * MINUTE);
    expect(await selfStatus(cookie)).toBe(401);
  });

  test("ends after seven days for an active member", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    for (let hour = 12; hour < 7 * 24; hour += 12) {
      services.clock.advance(12 * HOUR);
      expect(await selfStatus(mia.cookie), `${hour} h`).toBe(200);
    }
    services.clock.advance(12 * HOUR);
    expect(await selfStatus(mia.cookie)).toBe(401);
  });
});

describe("a permission that ends while the body arrives", () => {
  test("an ended session is refused", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const whileReading = () => services.store.sessions.deleteByUser(mia.id);
    const body = { name: "late" };
    const reply = await harness("/api/keys", { body, cookie: mia.cookie, whileReading });
    expect(reply.status).toBe(401);
  });

  test("a demoted administrator cannot create a user", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const whileReading = async () => {
      const version = (await versionOf(ada.id)) ?? 0;
      await services.store.users.update({ id: ada.id, version }, { role: "member" });
    };
    const body = { username: "late", password: "nine blue lanterns drift" };
    const reply = await harness("/api/users", { body, cookie: ada.cookie, whileReading });
    expect([reply.status, reply.json.code]).toEqual([403, "forbidden"]);
  });

  test("a deleted key is refused", async () => {
    const body = { name: "m", operations: ["manage"] };
    const { id, key } = (await harness("/api/keys", { body, cookie: owner })).json.data;
    const reply = await harness("/api/keys", {
      body: { name: "late" },
      headers: { authorization: `Bearer ${key}` },
      whileReading: () => services.store.keys.delete(id),
    });
    expect(reply.status).toBe(401);
  });
});
