import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findLiveSession } from "../../lib/console/auth/find-live-session";
import { encryptSession } from "../../lib/http/console/session-cookie";
import {
  addUser,
  type ConsoleHarness,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const login = (body: object, call: object = {}) => harness("/api/user/login", { body, ...call });
const selfStatus = async (cookie: string) => (await harness("/api/user/self", { cookie })).status;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("name and password", () => {
  test("return the user and a session cookie", async () => {
    const reply = await login(OWNER);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data).toMatchObject({ username: "olivia", role: "owner", two_factor_enabled: false });
    expect(await selfStatus(reply.cookie)).toBe(200);
  });

  test("ignore case, normalization and surrounding spaces of the name, and accept the e-mail address", async () => {
    await harness("/api/user/self", {
      method: "PATCH",
      body: { email: "Olivia@Example.com" },
      cookie: owner,
    });
    for (const username of ["OLIVIA", " olivia ", "olivia@EXAMPLE.com"]) {
      expect((await login({ ...OWNER, username })).status, username).toBe(200);
    }
  });

  test("give the same reply for unknown name, wrong password and disabled user", async () => {
    const { id } = await addUser(harness, owner, { username: "mallory" });
    await harness(`/api/users/${id}`, {
      method: "PATCH",
      body: { enabled: false, version: 1 },
      cookie: owner,
    });
    const verify = vi.spyOn(services.hasher, "verify");
    const counted = vi.spyOn(services.metrics, "count");
    const replies = [
      await login({ username: "unknown", password: "seven green kettles hum" }),
      await login({ username: "olivia", password: "wrong wrong wrong" }),
      await login({ username: "mallory", password: "nine blue lanterns drift" }),
    ];
    expect(replies.map((reply) => reply.status)).toEqual([401, 401, 401]);
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(replies[0]?.json.code).toBe("invalid_credentials");
    expect(new Set(replies.map((reply) => JSON.stringify(reply.headers))).size).toBe(1);
    expect(replies.map((reply) => reply.setCookies)).toEqual([[], [], []]);
    expect(counted.mock.calls).toEqual(Array(3).fill(["login_failures"]));
    // One verification per attempt; null means against the dummy hash.
    expect(verify.mock.calls.map(([phc]) => phc === null)).toEqual([true, false, true]);
  });

  test("take at least the minimum time when refused", async () => {
    services.signIn.refusalFloorMs = 120;
    const began = performance.now();
    await login({ username: "unknown", password: "wrong wrong wrong" });
    expect(performance.now() - began).toBeGreaterThanOrEqual(115);
  });

  test.each([
    ["a list for a password", { username: "olivia", password: ["x"] }],
    ["a number for a password", { username: "olivia", password: 1 }],
    ["a password above 1,024 bytes", { username: "olivia", password: "x".repeat(1025) }],
    ["a NUL in the name", { username: "a\u0000", password: "x" }],
    ["a name of 4 KB", { username: "a".repeat(4096), password: "x" }],
    ["an unknown field", { ...OWNER, remember: true }],
  ])("answer 400 to %s", async (_name, body) => expect((await login(body)).status).toBe(400));

  test("rehashes passwords with weaker parameters at sign-in", async () => {
    vi.spyOn(services.hasher, "needsRehash").mockReturnValueOnce(true);
    const before = (await services.store.users.findByNameOrEmail("olivia"))?.passwordHash;
    expect((await login(OWNER)).status).toBe(200);
    expect((await services.store.users.findByNameOrEmail("olivia"))?.passwordHash).not.toBe(before);
    expect((await login(OWNER)).status).toBe(200);
  });
});

describe("wrong passwords", () => {
  const wrong = (username: string, i = 0) =>
    login({ username, password: "wrong wrong wrong" }, { peer: { address: `192.0.2.${i}`, isLocal: false } });

  test.each(["olivia", "unknown"])("delay the name %s after ten, doubling to an hour", async (name) => {
    for (let i = 0; i < 10; i++) expect((await wrong(name, i)).status).toBe(401);
    for (const seconds of [30, 60, 120]) {
      const delayed = await wrong(name);
      expect(delayed.status).toBe(429);
      expect(delayed.headers["retry-after"]).toBe(String(seconds));
      services.clock.advance(seconds * 1000);
      expect((await wrong(name)).status).toBe(401);
    }
    services.clock.advance(24 * HOUR);
    for (let i = 0; i < 10; i++) {
      await wrong(name);
      services.clock.advance(HOUR);
    }
    await wrong(name);
    expect(Number((await wrong(name)).headers["retry-after"])).toBe(3600);
  });

  test("delay no name after a clock that was ahead has been set back", async () => {
    services.clock.advance(240 * HOUR);
    for (let i = 0; i < 10; i++) await wrong("olivia", i);
    expect((await login(OWNER)).status).toBe(429);
    services.clock.advance(-240 * HOUR);
    expect((await login(OWNER)).status).toBe(200);
  });

  test("count together for the user name and e-mail address of one account, also when concurrent", async () => {
    await harness("/api/user/self", {
      method: "PATCH",
      body: { email: "olivia@example.com" },
      cookie: owner,
    });
    const names = ["olivia", "olivia@example.com", "OLIVIA", " Olivia@Example.com "];
    for (let i = 0; i < 10; i++) expect((await wrong(names[i % 4] ?? "", i)).status).toBe(401);
    for (const name of names) {
      const delayed = await wrong(name);
      expect([name, delayed.status, delayed.headers["retry-after"]]).toEqual([name, 429, "30"]);
    }
    expect((await login({ ...OWNER, username: "olivia@example.com" })).status).toBe(429);
    services.clock.advance(30_000);
    expect((await login({ ...OWNER, username: "olivia@example.com" })).status).toBe(200);

    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => wrong(names[i % 4] ?? "", i)));
    expect(replies.filter((reply) => reply.status === 401)).toHaveLength(10);
  });

  test("are cleared for both names by a successful sign-in with one", async () => {
    await harness("/api/user/self", {
      method: "PATCH",
      body: { email: "olivia@example.com" },
      cookie: owner,
    });
    for (let i = 0; i < 9; i++) await wrong("olivia", i);
    expect((await login({ ...OWNER, username: "olivia@example.com" })).status).toBe(200);
    for (let i = 0; i < 10; i++) expect((await wrong("olivia", i)).status).toBe(401);
    expect((await wrong("olivia")).status).toBe(429);
  });

  test("count per unknown name, as for an account", async () => {
    await harness("/api/user/self", {
      method: "PATCH",
      body: { email: "olivia@example.com" },
      cookie: owner,
    });
    const answers = async (name: string) => {
      const replies = [];
      for (let i = 0; i < 11; i++) replies.push(await wrong(name, i));
      return replies.map(({ status, headers, text }) => [status, headers, text]);
    };
    const unknown = await answers("unknown");
    expect(unknown.map(([status]) => status)).toEqual([...Array(10).fill(401), 429]);
    expect(await answers("unknown@example.com")).toEqual(unknown);
    expect(await answers("olivia@example.com")).toEqual(unknown);
    // Case and spaces are ignored.
    expect((await wrong(" UNKNOWN ")).status).toBe(429);
  });

  test("are checked in at most ten of a hundred concurrent attempts", async () => {
    vi.spyOn(services.hasher, "verify").mockImplementation(
      async (_phc, password) => password === OWNER.password,
    );
    const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => wrong("olivia", i)));
    expect(replies.filter((reply) => reply.status === 401)).toHaveLength(10);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(90);
  });

  test("also delay the right password, and active sessions stay valid", async () => {
    for (let i = 0; i < 10; i++) await wrong("olivia", i);
    expect((await login(OWNER)).status).toBe(429);
    expect(await selfStatus(owner)).toBe(200);
    services.clock.advance(30_000);
    expect((await login(OWNER)).status).toBe(200);
    expect((await wrong("olivia")).status).toBe(401);
  });

  test("are limited to ten a minute per address over all names", async () => {
    await services.close();
    services = await testServices({ limits: { loginAttemptsPerMinute: 10 } });
    harness = openConsoleHarness(services);
    await setUpOwner(harness);
    const statuses = [];
    for (let i = 0; i < 11; i++)
      statuses.push((await login({ username: `n${i}`, password: "wrong" })).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    services.clock.advance(MINUTE + 1_000);
    expect((await login(OWNER)).status).toBe(200);
  });
});

describe("the session cookie", () => {
  const flags = (cookie: string | undefined) => (cookie ?? "").split("; ").slice(1).sort();

  test("is HttpOnly, SameSite=Lax, valid for every path, and small", async () => {
    const { setCookies } = await login(OWNER);
    const [session] = setCookies;
    expect(session).toMatch(/^next-auth\.session-token=ey/);
    expect(flags(session)).toEqual(["HttpOnly", "Max-Age=86400", "Path=/", "SameSite=Lax"]);
    expect(session?.length).toBeLessThan(1024);
  });

  test("is Secure with __Host- over https, and the plain cookie is refused there", async () => {
    const { setCookies, cookie } = await login(OWNER, { peer: { isSecure: true } });
    expect(setCookies[0]).toMatch(/^__Host-next-auth\.session-token=ey/);
    expect(flags(setCookies[0])).toContain("Secure");
    const secure = { isSecure: true };
    expect((await harness("/api/user/self", { cookie, peer: secure })).status).toBe(200);
    expect(
      (await harness("/api/user/self", { cookie: cookie.replaceAll("__Host-", ""), peer: secure })).status,
    ).toBe(401);
  });

  test("has a new session for every sign-in", async () => {
    const [one, two] = [await login(OWNER), await login(OWNER, { cookie: owner })];
    expect(one.cookie).not.toBe(two.cookie);
    expect(two.cookie).not.toContain(owner);
  });

  test.each([
    [
      "of another secret",
      () => encryptSession({ signIn: { cookieSecret: "another", refusalFloorMs: 0 } }, "sid", 600),
    ],
    ["of an unknown session", () => encryptSession(services, "unknown", 600)],
    [
      "without an authentication tag",
      async () => `${Buffer.from('{"alg":"none"}').toString("base64url")}.e30.`,
    ],
    [
      "of another encryption",
      async () => `${Buffer.from('{"alg":"dir","enc":"A128CBC-HS256"}').toString("base64url")}....`,
    ],
    ["of garbage", async () => "%%%"],
    ["of 4 KB", async () => "e".repeat(4096)],
  ])("%s gives no session", async (_name, make) => {
    expect(await selfStatus(`next-auth.session-token=${await make()}`)).toBe(401);
  });

  test("is refused as a Bearer token", async () => {
    const value = owner.split("=")[1] ?? "";
    const reply = await harness("/api/user/self", { headers: { authorization: `Bearer ${value}` } });
    expect(reply.status).toBe(401);
  });
});

describe("session expiry", () => {
  test("ends an hour after an administrator's last call and 24 hours after sign-in", async () => {
    services.clock.advance(59 * MINUTE);
    expect(await selfStatus(owner)).toBe(200);
    services.clock.advance(59 * MINUTE);
    expect(await selfStatus(owner)).toBe(200);
    services.clock.advance(HOUR);
    expect(await selfStatus(owner)).toBe(401);

    const { cookie } = await login(OWNER);
    for (let hour = 0; hour < 24.5; hour += 0.5) {
      services.clock.advance(HOUR / 2);
      expect(await selfStatus(cookie), `${hour} h`).toBe(hour < 23.5 ? 200 : 401);
    }
  });

  test("ends after 24 hours without use and 7 days in total for a member", async () => {
    const { cookie } = await addUser(harness, owner, { username: "mia" });
    services.clock.advance(23 * HOUR);
    expect(await selfStatus(cookie)).toBe(200);
    services.clock.advance(24 * HOUR);
    expect(await selfStatus(cookie)).toBe(401);
  });

  test("is extended in the store at most once a minute", async () => {
    const touch = vi.spyOn(services.store.sessions, "touch");
    services.clock.advance(30_000);
    for (let i = 0; i < 5; i++) await selfStatus(owner);
    expect(touch).not.toHaveBeenCalled();
    services.clock.advance(30_000);
    for (let i = 0; i < 5; i++) await selfStatus(owner);
    expect(touch).toHaveBeenCalledTimes(1);
  });

  test("reads role and status from the store on every request", async () => {
    const { id, cookie } = await addUser(harness, owner, { username: "ada", role: "admin" });
    expect((await harness("/api/users", { cookie })).status).toBe(200);
    const user = await services.store.users.findById(id);
    await services.store.users.update({ id, version: user?.version ?? 0 }, { role: "member" });
    expect((await harness("/api/users", { cookie })).status).toBe(403);
  });
});

describe("sign-out", () => {
  test("ends the session: the old cookie is anonymous", async () => {
    const reply = await harness("/api/user/logout", { body: {}, cookie: owner });
    expect(reply.status).toBe(200);
    expect(reply.setCookies[0]).toContain("Max-Age=0");
    expect(await selfStatus(owner)).toBe(401);
  });

  test("works for a signed-out caller", async () => {
    expect((await harness("/api/user/logout", { body: {} })).status).toBe(200);
  });
});

test("records failed and successful sign-ins without names or passwords, in an intact chain", async () => {
  await login({ username: "typed-my-password-here", password: "wrong wrong wrong" });
  await login(OWNER);
  const { items } = await services.store.audit.list({ limit: 10, cursor: null, q: null });
  expect(items.map((row) => row.action)).toEqual(["login.ok", "login.fail", "setup.claim"]);
  expect(items[1]?.actor).toBe("anonymous");
  expect(items[0]?.detail).toMatchObject({ factor: "password", address: "127.0.0.1" });
  expect((await services.store.audit.verify()).brokenAt).toBeNull();
  expect(JSON.stringify(items)).not.toMatch(/typed-my-password|wrong wrong|kettles/);
});

test("findLiveSession returns null for an unknown session ID", async () => {
  expect(await findLiveSession(services, "nothing")).toBeNull();
});
