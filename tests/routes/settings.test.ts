import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { applyStoredSettings } from "../../lib/console/settings/apply-settings";
import { DEFAULT_LIMITS } from "../../lib/contracts/limits";
import { AppError } from "../../lib/errors";
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

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;

beforeEach(async () => {
  services = await testServices({
    limits: { wrongKeysPerMinute: 77 },
    upstreamAllow: ["10.0.0.0/8", "tts:5000", "10.0.0.0/8"],
  });
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const change = (body: object, cookie = owner) => changeSettings(harness, cookie, body);
const read = async (cookie = owner) => (await harness("/api/settings", { cookie })).json.data;
const facts = async () => (await harness("/api/settings/instance", { cookie: owner })).json.data;

describe("the version of the settings", () => {
  test("is required by every change", async () => {
    const before = await read();
    for (const body of [{}, { self_use_mode: true }]) {
      const reply = await harness("/api/settings", { method: "PATCH", body, cookie: owner });
      expect([reply.status, reply.json.issues[0].path]).toEqual([400, "version"]);
    }
    expect(await read()).toEqual(before);
  });

  test("answers 409 to a change with an older version and changes nothing", async () => {
    const { version } = await read();
    expect((await change({ self_use_mode: true, version })).status).toBe(200);
    const late = await change({ self_registration: true, version });
    expect([late.status, late.json.code]).toEqual([409, "conflict"]);
    expect(await read()).toMatchObject({
      self_use_mode: true,
      self_registration: false,
      version: version + 1,
    });
  });

  test("accepts one of two concurrent changes with the same version", async () => {
    const { version } = await read();
    const replies = await Promise.all([
      change({ password_minimum: 10, version }),
      change({ password_minimum: 12, version }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

test("audits the old and new values of a change, but only the host of a webhook URL", async () => {
  const alerts = { ...(await read()).alerts, webhook_url: "https://hooks.example.com/services/T0/SECRET" };
  await change({ password_minimum: 10, alerts });
  const rows = (await services.store.audit.list({ limit: 10, cursor: null, q: null })).items;
  const row = rows.find(({ action }) => action === "settings.update");
  expect(row?.detail).toMatchObject({
    before: { password_minimum: null },
    change: { password_minimum: 10, alerts: { webhook_url: "https://hooks.example.com" } },
  });
  expect(JSON.stringify(row)).not.toContain("SECRET");
});

test("shows a webhook URL's host and last characters to those who can change it, else the host only", async () => {
  const alerts = { ...(await read()).alerts, webhook_url: "https://hooks.example.com/services/T0/SECRET" };
  await change({ alerts });
  const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
  const shown = async (call: object) => (await harness("/api/settings", call)).json.data.alerts.webhook_url;
  expect(await shown({ cookie: ada.cookie })).toBe("https://hooks.example.com/****CRET");
  await change({ demo_site: true });
  expect(await shown({ cookie: ada.cookie })).toBe("https://hooks.example.com");
  expect(await shown({ cookie: owner })).toBe("https://hooks.example.com/****CRET");
});

describe("2FA required for a role", () => {
  test("users without 2FA cannot require it of their own role", async () => {
    const reply = await change({ two_factor_roles: ["owner", "admin"] });
    expect([reply.status, reply.json.issues[0].path]).toEqual([400, "two_factor_roles"]);
    expect((await read()).two_factor_roles).toEqual([]);
  });

  test("restricts users without 2FA to their account until they enable it", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const key = (
      await harness("/api/keys", { body: { name: "ops", operations: ["manage"] }, cookie: ada.cookie })
    ).json.data.key;
    expect((await change({ two_factor_roles: ["admin"] })).status).toBe(200);

    for (const path of ["/api/keys", "/api/users", "/api/settings", "/api/channels", "/api/usage/summary"]) {
      const reply = await harness(path, { cookie: ada.cookie });
      expect([path, reply.status, reply.json.code]).toEqual([path, 403, "forbidden"]);
      expect(reply.json.message).toContain("2FA");
    }
    const made = await harness("/api/keys/playground", { body: {}, cookie: ada.cookie });
    expect(made.status).toBe(403);
    for (const path of ["/api/user/self", "/api/user/sessions", "/api/user/2fa/status"])
      expect([path, (await harness(path, { cookie: ada.cookie })).status]).toEqual([path, 200]);
    // A management key acts as its owner, and is refused with the same error as the owner's session.
    const withKey = { headers: { authorization: `Bearer ${key}` } };
    for (const path of ["/api/keys", "/api/channels", "/api/usage/summary"]) {
      const [byKey, bySession] = [await harness(path, withKey), await harness(path, { cookie: ada.cookie })];
      expect([path, byKey.status, byKey.json]).toEqual([path, 403, bySession.json]);
    }
    expect((await harness("/api/setup", withKey)).status).toBe(200);
    // The setting does not include the owner's role.
    expect((await harness("/api/keys", { cookie: owner })).status).toBe(200);

    await enrol(harness, services.clock, ada.cookie);
    expect((await harness("/api/channels", { cookie: ada.cookie })).status).toBe(200);
    expect((await harness("/api/channels", withKey)).status).toBe(200);
  });

  test("lets users without 2FA sign out", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    await change({ two_factor_roles: ["member"] });
    expect((await harness("/api/user/logout", { body: {}, cookie: mia.cookie })).status).toBe(200);
    expect((await harness("/api/user/self", { cookie: mia.cookie })).status).toBe(401);
  });

  test("can be required of the owner only by the owner", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    expect((await change({ two_factor_roles: ["owner"] }, ada.cookie)).status).toBe(403);
    await enrol(harness, services.clock, owner);
    expect((await change({ two_factor_roles: ["owner"] })).status).toBe(200);
    expect((await harness("/api/keys", { cookie: owner })).status).toBe(200);
  });
});

describe("the minimum password length", () => {
  const withPassword = (password: string, username: string) =>
    harness("/api/users", { body: { username, password }, cookie: owner });

  test("applies to the next password, and to the running instance", async () => {
    expect((await change({ password_minimum: 20 })).status).toBe(200);
    const short = await withPassword("green kettle hums", "mia");
    expect([short.status, short.json.issues[0].message]).toEqual([400, "Must have at least 20 characters."]);
    expect((await withPassword("green kettles hum on high", "mia")).status).toBe(200);
    expect(services.instance.passwordMinimum).toBe(20);
  });

  test("cannot be set below the environment's minimum", async () => {
    const strict = await testServices({ passwordMinimum: 16 });
    const strictHarness = openConsoleHarness(strict);
    const cookie = await setUpOwner(strictHarness);
    const set = (password_minimum: number) => changeSettings(strictHarness, cookie, { password_minimum });
    const refused = await set(15);
    expect([refused.status, refused.json.issues]).toEqual([
      400,
      [{ path: "password_minimum", message: "Must be at least 16." }],
    ]);
    expect((await set(16)).status).toBe(200);
    await strict.close();
  });
});

test("the facts of the instance name each private upstream of the environment once", async () => {
  expect((await facts()).upstream_allow).toEqual(["10.0.0.0/8", "tts:5000"]);
});

describe("limits", () => {
  test("apply from the next request, and fall back to the environment's", async () => {
    const { limits } = services.instance;
    await change({ limits: { attemptsPerCall: 5, consoleBodyBytes: 128 * 1024, wrongKeysPerMinute: 5 } });
    expect(limits).toMatchObject({
      attemptsPerCall: 5,
      consoleBodyBytes: 128 * 1024,
      wrongKeysPerMinute: 5,
      idleMs: DEFAULT_LIMITS.idleMs,
    });
    expect((await facts()).base_limits).toMatchObject({ attemptsPerCall: 3, wrongKeysPerMinute: 77 });
    await change({ limits: {} });
    expect(limits).toMatchObject({ attemptsPerCall: 3, wrongKeysPerMinute: 77 });
  });

  test("set the sign-in attempts per minute and address", async () => {
    await change({ limits: { loginAttemptsPerMinute: 3 } });
    const body = { username: "nobody", password: "not the password" };
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await harness("/api/user/login", { body })).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  test.each<[string, object]>([
    ["a console body limit that would block the console", { consoleBodyBytes: 10 }],
    ["a limit of the setup", { wrongSetupTokensPerMinute: 5 }],
    ["an unknown limit", { wings: 2 }],
    ["a fraction of a connection", { connectionsPerAddress: 16.5 }],
  ])("answer 400 to %s", async (_name, limits) => {
    expect((await change({ limits })).status).toBe(400);
  });
});

describe("caches", () => {
  test("have the size of the settings, and store nothing at 0", async () => {
    const { vectorCache } = services.state;
    for (const name of ["a", "b", "c"]) vectorCache.put(name, new Float32Array(100_000));
    await change({ caches: { embeddings_mb: 1, speech_mb: 2 } });
    expect([vectorCache.get("a"), vectorCache.get("c")?.length]).toEqual([undefined, 100_000]);
    expect((await facts()).caches).toEqual({
      embeddings: { limit_bytes: 1_048_576, bytes: 800_400, entries: 2, hits: 1, misses: 1 },
      speech: { limit_bytes: 2_097_152, bytes: 0, entries: 0, hits: 0, misses: 0 },
    });
    await change({ caches: { embeddings_mb: 0, speech_mb: 2 } });
    vectorCache.put("d", new Float32Array(4));
    expect([vectorCache.isOn, vectorCache.get("c"), vectorCache.get("d")]).toEqual([
      false,
      undefined,
      undefined,
    ]);
  });

  test("are shared between users only while enabled", async () => {
    expect([(await read()).share_caches, services.instance.sharesCaches]).toEqual([false, false]);
    await change({ share_caches: true });
    expect([(await read()).share_caches, services.instance.sharesCaches]).toEqual([true, true]);
    await change({ share_caches: false });
    expect(services.instance.sharesCaches).toBe(false);
  });

  test("are cleared, with an audit row", async () => {
    const { state } = services;
    const { vectorCache } = state;
    const generations: number[] = [];
    state.sharedCache = {
      find: async () => [],
      store() {},
      setGeneration: (generation) => void generations.push(generation),
    };
    vectorCache.put("a", new Float32Array(4));
    expect((await harness("/api/settings/caches/clear", { body: {}, cookie: owner })).status).toBe(200);
    expect(vectorCache.get("a")).toBeUndefined();
    const [generation = 0] = generations;
    expect([generations.length, state.cacheGeneration]).toEqual([1, generation]);
    expect(Number.isSafeInteger(generation) && generation !== 0).toBe(true);
    // Another instance sets the same generation when it starts.
    await applyStoredSettings(services);
    expect(generations).toEqual([generation, generation]);
    state.sharedCache = null;
  });
});

describe("the token of /metrics", () => {
  const make = (password = OWNER.password, cookie = owner) =>
    harness("/api/settings/metrics-token", { body: { password }, cookie });

  test("is shown although the settings cannot be read after it is stored, and applied as soon as they can", async () => {
    const { settings } = services.store;
    const all = settings.all.bind(settings);
    const transaction = services.store.transaction.bind(services.store);
    services.store.transaction = async (work) => {
      const result = await transaction(work);
      settings.all = async () => {
        throw new AppError("storage_unavailable", "All connections are in use.");
      };
      return result;
    };
    const made = await make();
    expect([made.status, made.json.data.token]).toEqual([200, expect.stringMatching(/^pbm_/)]);
    settings.all = all;
    await vi.waitFor(() => expect(services.instance.metricsTokenDigest).toMatch(/^[0-9a-f]{64}$/), 5_000);
  });

  test("is created by the owner with the password, shown once, and stored as a digest", async () => {
    expect((await make("not the password")).status).toBe(403);
    const made = await make();
    const { token } = made.json.data;
    expect(token).toMatch(/^pbm_[\w-]{32}$/);
    expect(JSON.stringify(await services.store.settings.all())).not.toContain(token);
    expect((await facts()).metrics).toMatchObject({ token: "console" });
    expect(services.instance.metricsTokenDigest).toMatch(/^[0-9a-f]{64}$/);

    const again = (await make()).json.data.token;
    expect(again).not.toBe(token);
    const removed = await harness("/api/settings/metrics-token", { method: "DELETE", cookie: owner });
    expect(removed.status).toBe(200);
    expect((await facts()).metrics).toEqual({ token: null, made_at: null });
    expect(services.instance.metricsTokenDigest).toBeNull();
  });

  test("can be created and removed only by the owner", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    expect((await make(ada.password, ada.cookie)).status).toBe(403);
    const removed = await harness("/api/settings/metrics-token", { method: "DELETE", cookie: ada.cookie });
    expect(removed.status).toBe(403);
  });
});

test("only the owner can change settings on a demo site", async () => {
  const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
  await change({ demo_site: true });
  expect((await change({ self_use_mode: true }, ada.cookie)).status).toBe(403);
  expect((await harness("/api/settings/caches/clear", { body: {}, cookie: ada.cookie })).status).toBe(403);
  expect((await change({ self_use_mode: true })).status).toBe(200);
});

test.each<[string, unknown]>([
  ["a wildcard", "*"],
  ["null", "null"],
  ["a path", "https://app.example.com/page"],
  ["a trailing slash", "https://app.example.com/"],
  ["a default port", "https://app.example.com:443"],
  ["upper case", "https://App.example.com"],
  ["another scheme", "ftp://app.example.com"],
  ["a host without scheme", "app.example.com"],
])("rejects %s as a CORS origin", async (_name, origin) => {
  expect((await change({ cors_origins: [origin] })).status).toBe(400);
});
