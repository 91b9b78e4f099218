import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AppError, hasCode } from "../../lib/errors";
import { createSetupGuard } from "../../lib/server/process/setup-guard";
import { type ConsoleHarness, OWNER, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { startUpstream } from "../support/upstream/server";

let services: TestServices;
let harness: ConsoleHarness;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
});
afterEach(() => services.close());

const REMOTE_PEER = { address: "192.0.2.7", isLocal: false };
const users = async () => (await services.store.users.list({ limit: 100, cursor: null, q: null })).items;

describe("before setup", () => {
  test("returns what the wizard needs, and whether the caller must send a token", async () => {
    const here = await harness("/api/setup");
    expect(here.json).toEqual({
      success: true,
      message: "",
      data: {
        status: false,
        root_init: false,
        database_type: "sqlite",
        setup_token_required: false,
        version: "0.0.0",
        engines: [],
      },
    });
    expect((await harness("/api/setup", { peer: REMOTE_PEER })).json.data.setup_token_required).toBe(true);
  });

  test("sign-in answers 503 not_initialized", async () => {
    const reply = await harness("/api/user/login", { body: OWNER });
    expect(reply.status).toBe(503);
    expect(reply.json.code).toBe("not_initialized");
  });

  test("refuses an invalid field with 400 and its name, and creates no user", async () => {
    const cases: [string, object][] = [
      ["password", { ...OWNER, password: "short" }],
      ["password", { ...OWNER, password: "password123" }],
      ["password", { username: "longenough", password: "LongEnough" }],
      ["password", { ...OWNER, password: "x".repeat(1025) }],
      ["confirmPassword", { ...OWNER, confirmPassword: "another thing entirely" }],
      ["username", { ...OWNER, username: "a b" }],
      ["username", { ...OWNER, username: "olivia " }],
      ["username", { ...OWNER, username: ["olivia"] }],
      ["email", { ...OWNER, email: "not an address" }],
      ["role", { ...OWNER, role: "owner" }],
      ["is_admin", { ...OWNER, is_admin: true }],
    ];
    for (const [field, body] of cases) {
      const reply = await harness("/api/setup", { body });
      expect(reply.status, field).toBe(400);
      expect(reply.json.issues.map((issue: { path: string }) => issue.path)).toContain(field);
    }
    expect(await users()).toEqual([]);
  });

  test("reports all errors at once", async () => {
    const reply = await harness("/api/setup", {
      body: { username: "a b", password: "short", email: "x", id: 1 },
    });
    const paths = reply.json.issues.map((issue: { path: string }) => issue.path);
    expect(paths).toEqual(expect.arrayContaining(["username", "password", "email", "id"]));
  });

  test("reports a common password together with the errors of other fields", async () => {
    const body = { username: "alice", password: "password1", confirmPassword: "x" };
    const { status, json } = await harness("/api/setup", { body });
    expect([status, json.issues]).toEqual([
      400,
      [
        { path: "confirmPassword", message: "The two passwords differ." },
        { path: "password", message: expect.stringContaining("most common") },
      ],
    ]);
  });
});

describe("the setup token", () => {
  test("is required from other machines; a missing or wrong one changes nothing", async () => {
    for (const body of [OWNER, { ...OWNER, setup_token: "x".repeat(43) }]) {
      const reply = await harness("/api/setup", { body, peer: REMOTE_PEER });
      expect(reply.status).toBe(401);
      expect(reply.json).toMatchObject({ code: "setup_token_required", message: /prints it when it starts/ });
    }
    expect(await users()).toEqual([]);
  });

  test("is refused when wrong on this machine too, where none is required", async () => {
    const reply = await harness("/api/setup", { body: { ...OWNER, setup_token: "of an earlier start" } });
    expect([reply.status, reply.json.code]).toEqual([401, "setup_token_required"]);
    expect(reply.json.message).toMatch(/^The setup token is wrong\. The server prints it when it starts/);
    expect(await users()).toEqual([]);
    expect((await harness("/api/setup", { body: { ...OWNER, setup_token: "" } })).status).toBe(200);
  });

  test("is written to its file by the process that generated it only", async () => {
    const { dataDirectory } = services;
    const first = createSetupGuard({ dataDirectory, isSetUp: false });
    const second = createSetupGuard({ dataDirectory, isSetUp: false, sharedToken: first.token });
    first.publishToken();
    expect(second.accepts(first.token ?? "")).toBe(true);
    await first.retire();
    second.publishToken();
    expect(existsSync(path.join(dataDirectory, "setup-token"))).toBe(false);
  });

  test("is stored in a file that only its owner can read, and deleted after use", async () => {
    const file = path.join(services.dataDirectory, "setup-token");
    const token = readFileSync(file, "utf8").trim();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const reply = await harness("/api/setup", { body: { ...OWNER, setup_token: token }, peer: REMOTE_PEER });
    expect(reply.status, reply.text).toBe(200);
    expect(existsSync(file)).toBe(false);
    expect(services.setupGuard.accepts(token)).toBe(false);
  });

  test("can be wrong ten times a minute; the right one is still accepted then", async () => {
    const wrong = { body: { ...OWNER, setup_token: "wrong" }, peer: REMOTE_PEER };
    for (let i = 0; i < 10; i++) expect((await harness("/api/setup", wrong)).status).toBe(401);
    const eleventh = await harness("/api/setup", wrong);
    expect(eleventh.status).toBe(429);
    expect(Number(eleventh.headers["retry-after"])).toBeGreaterThan(0);
    const right = { ...OWNER, setup_token: services.setupToken };
    expect((await harness("/api/setup", { body: right, peer: REMOTE_PEER })).status).toBe(200);
  });

  test("is required from every caller if the operator set it", async () => {
    const strict = await testServices({ setupToken: "a token of the operator" });
    try {
      const strictHarness = openConsoleHarness(strict);
      expect((await strictHarness("/api/setup", { body: OWNER })).status).toBe(401);
      const body = { ...OWNER, setup_token: "a token of the operator" };
      expect((await strictHarness("/api/setup", { body })).status).toBe(200);
    } finally {
      await strict.close();
    }
  });
});

describe("creating the owner", () => {
  test("creates the owner, the settings, an audit row and a session in one transaction", async () => {
    const reply = await harness("/api/setup", {
      body: { ...OWNER, email: "Olivia@Example.com", SelfUseModeEnabled: true },
    });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data.user).toMatchObject({
      username: "olivia",
      role: "owner",
      email: "Olivia@Example.com",
    });
    expect(Object.keys(reply.json.data.user).sort()).toEqual(
      [
        "created_at",
        "display_name",
        "email",
        "enabled",
        "id",
        "role",
        "two_factor_enabled",
        "username",
        "version",
      ].sort(),
    );
    const self = await harness("/api/user/self", { cookie: reply.cookie });
    expect(self.json.data).toMatchObject({ username: "olivia", login_method: "setup" });
    const audit = await services.store.audit.list({ limit: 10, cursor: null, q: null });
    expect(audit.items.map((row) => row.action)).toEqual(["setup.claim"]);
    expect(await services.store.settings.all()).toMatchObject({ self_use_mode: true, demo_site: false });
  });

  test("accepts one of fifty concurrent setups, answers 409 to the others, and hashes one password", async () => {
    const hash = vi.spyOn(services.hasher, "hash");
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        harness("/api/setup", { body: { ...OWNER, username: `owner${i}` } }),
      ),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(49).fill(409)]);
    expect(hash).toHaveBeenCalledTimes(1);
    expect(await users()).toHaveLength(1);
  });

  test("succeeds in exactly one of two processes on one store", async () => {
    const other = await testServices({ dataDirectory: services.dataDirectory });
    try {
      const otherHarness = openConsoleHarness(other);
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? harness : otherHarness)("/api/setup", { body: { ...OWNER, username: `owner${i}` } }),
        ),
      );
      expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(9).fill(409)]);
      expect(await users()).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  test("answers 503 and creates no owner when the store fails; a second attempt works", async () => {
    const isSetUp = vi
      .spyOn(services.store.setup, "isSetUp")
      .mockRejectedValue(new AppError("storage_unavailable", "The store is unavailable."));
    expect((await harness("/api/setup", { body: OWNER })).status).toBe(503);
    expect((await harness("/api/setup")).status).toBe(503);
    isSetUp.mockRestore();
    expect((await harness("/api/setup", { body: OWNER })).status).toBe(200);
  });
});

describe("after setup", () => {
  beforeEach(() => setUpOwner(harness));

  test("the state contains only `status`", async () => {
    expect((await harness("/api/setup")).json).toEqual({
      success: true,
      message: "",
      data: { status: true },
    });
  });

  test("a second setup gets 409 with the same message for any body, and hashes nothing", async () => {
    const hash = vi.spyOn(services.hasher, "hash");
    const late = [
      await harness("/api/setup", { body: { ...OWNER, username: "second" } }),
      await harness("/api/setup", { body: { nonsense: true }, peer: REMOTE_PEER }),
      await harness("/api/setup", { body: { ...OWNER, setup_token: "wrong" }, peer: REMOTE_PEER }),
    ];
    expect(late.map((reply) => reply.status)).toEqual([409, 409, 409]);
    expect(new Set(late.map((reply) => reply.text)).size).toBe(1);
    expect(hash).not.toHaveBeenCalled();
    expect(await users()).toHaveLength(1);
  });

  /** Changes the database directly. */
  function runSql(sql: string): void {
    const database = new Database(path.join(services.dataDirectory, "patchbay.db"));
    try {
      database.exec(sql);
    } finally {
      database.close();
    }
  }

  test.each([
    ["the setup row is missing", "delete from setup", true],
    ["all users are deleted from the database", "delete from users", false],
  ])("setup stays closed when %s", async (_name, sql, isLost) => {
    runSql(sql);
    expect(await services.store.setup.isSetupRowMissing()).toBe(isLost);
    expect((await harness("/api/setup")).json.data).toEqual({ status: true });
    expect((await harness("/api/setup", { body: { ...OWNER, username: "second" } })).status).toBe(409);
    expect((await users()).map((user) => user.username)).toEqual(isLost ? ["olivia"] : []);
  });

  test("limits state requests to 30 a minute per address", async () => {
    const statuses = [];
    for (let i = 0; i < 31; i++) statuses.push((await harness("/api/setup", { peer: REMOTE_PEER })).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.at(-1)).toBe(429);
  });

  test("refuses a request from another site's page", async () => {
    const reply = await harness("/api/setup", { body: OWNER, headers: { "sec-fetch-site": "cross-site" } });
    expect(reply.status).toBe(403);
  });
});

describe("the wizard's progress", () => {
  test("stores progress for the owner until finished; other users get 404", async () => {
    const cookie = await setUpOwner(harness);
    const path = "/api/setup/progress";
    expect((await harness(path, { cookie })).json.data).toEqual({ step: "second-factor", finished: false });
    await harness(path, { method: "PATCH", body: { step: "key" }, cookie });
    expect((await harness(path, { cookie })).json.data).toEqual({ step: "key", finished: false });
    await harness(path, { method: "PATCH", body: { finished: true }, cookie });
    const back = await harness(path, { method: "PATCH", body: { finished: false }, cookie });
    expect(back.json.data).toEqual({ step: "key", finished: true });
    expect((await harness(path)).status).toBe(401);
  });

  test("loads the built-in speech engine at a new step, without a ledger entry", async () => {
    const upstream = await startUpstream();
    await services.close();
    services = await testServices({ upstreamAllow: ["127.0.0.1"] });
    harness = openConsoleHarness(services);
    const cookie = await setUpOwner(harness);
    const models = [{ name: "patchbay-speech", upstream_name: "tts-routed", operation: "speech" }];
    const body = {
      name: "Engine",
      provider: "openai",
      base_url: `${upstream.origin}/v1`,
      keys: ["sk-1"],
      models,
    };
    const made = (await harness("/api/channels", { body, cookie })).json.data;
    const record = await services.store.channels.find(made.id);
    if (record === null) throw new Error("no channel");
    const embedded = async (id: string, upstreamName: string, enabled: boolean) => {
      const served = [{ name: "patchbay-speech", upstreamName }];
      await services.store.channels.insert({
        ...record,
        id,
        enabled,
        embedded: true,
        keys: [],
        models: served,
      });
    };
    await embedded("chn_x", "tts-off", false);
    await embedded("chn_y", "tts-1", true);
    const path = "/api/setup/progress";
    await harness(path, { method: "PATCH", body: { step: "key" }, cookie });
    const calls = () => upstream.ledger.filter((entry) => entry.method === "POST");
    await expect.poll(() => calls().map(({ model }) => model)).toEqual(["tts-1"]);
    await harness(path, { method: "PATCH", body: { step: "key" }, cookie });
    expect(calls()).toHaveLength(1);
    const usage = await harness("/api/usage", { cookie });
    expect(usage.json.data.items).toEqual([]);
    await upstream.close();
  });
});

test("recording a second owner in the store fails with conflict", async () => {
  await setUpOwner(harness);
  const taken = services.store.transaction((tx) => tx.setup.recordOwner({ setUpAt: 1, ownerId: "usr_x" }));
  await expect(taken).rejects.toSatisfy((error) => hasCode(error, "conflict"));
});
