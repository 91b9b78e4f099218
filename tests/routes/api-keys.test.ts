import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { authenticateKey } from "../../lib/gateway/admission/authenticate-key";
import type { Repositories } from "../../lib/ports/store";
import {
  addUser,
  type ConsoleHarness,
  type ConsoleReply,
  changeSettings,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { auditEntry, NO_BUDGET, PERIOD, usageRecord } from "../support/factories";
import { type TestServices, testServices } from "../support/services";
import { readStoreBytes } from "../support/store-bytes";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
let mia: { id: string; cookie: string };
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
  mia = await addUser(harness, owner, { username: "mia" });
});
afterEach(() => services.close());

const HOUR = 3_600_000;
const make = async (fields: object = {}, cookie = owner) => {
  const reply = await harness("/api/keys", { body: { name: "robot", ...fields }, cookie });
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
};
const read = (id: string, cookie = owner) => harness(`/api/keys/${id}`, { cookie });
const patch = (id: string, body: object, cookie = owner) =>
  harness(`/api/keys/${id}`, { method: "PATCH", body, cookie });
const rotate = (id: string, body: object = {}, cookie = owner) =>
  harness(`/api/keys/${id}/rotate`, { body, cookie });
const remove = (id: string, cookie = owner) => harness(`/api/keys/${id}`, { method: "DELETE", cookie });
const list = async (query = "", cookie = owner) => (await harness(`/api/keys${query}`, { cookie })).json.data;
/** Authenticates as the gateway does; returns "ok" or the error code. */
const use = async (key: string, address: string | null = "127.0.0.1") =>
  authenticateKey(services, key, { address }).then(
    () => "ok",
    (error: { code: string }) => error.code,
  );

describe("the quota of keys per user", () => {
  const CONFLICT = [409, "conflict"];
  const answer = ({ status, json }: Awaited<ReturnType<ConsoleHarness>>) => [status, json.code];
  /** Inserts `count` keys of mia directly into the store. */
  async function fill(count: number): Promise<void> {
    const first = await make({}, mia.cookie);
    const record = await services.store.keys.findById(first.id);
    if (record === null) throw new Error("The key does not exist.");
    await services.store.transaction(async (tx) => {
      for (let index = 1; index < count; index++)
        await tx.keys.insert({ ...record, id: `key_${index}`, digest: `digest_${index}` });
    });
  }

  test("a member can have a hundred unexpired keys, and one more after deleting one", async () => {
    await fill(100);
    const refused = await harness("/api/keys", { body: { name: "one more" }, cookie: mia.cookie });
    expect(answer(refused)).toEqual(CONFLICT);
    expect(refused.json.message).toContain("at most 100 unexpired API keys");
    expect((await remove("key_1", mia.cookie)).status).toBe(200);
    const expiresAt = new Date(services.clock.now() + HOUR / 2).toISOString();
    const made = await make({ expires_at: expiresAt }, mia.cookie);
    services.clock.advance(HOUR / 2);
    // An expired key does not count, but it needs room in the quota to become valid again.
    await make({}, mia.cookie);
    const again = { version: made.version, expires_at: null };
    expect(answer(await patch(made.id, again, mia.cookie))).toEqual(CONFLICT);
    expect(answer(await patch(made.id, { version: made.version, name: "late" }, mia.cookie))).toEqual([
      200,
      undefined,
    ]);
    // Administrators have no quota: their programs can create a key per customer.
    await make();
  });

  test("concurrent creation does not exceed the quota", async () => {
    await fill(95);
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => harness("/api/keys", { body: { name: "flood" }, cookie: mia.cookie })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(15);
  });

  test("allows a rotation without grace at twice the quota, and one with a grace period only below that", async () => {
    await fill(200);
    expect(answer(await rotate("key_1", { grace_hours: 1 }, mia.cookie))).toEqual(CONFLICT);
    expect((await rotate("key_1", {}, mia.cookie)).status).toBe(200);
    for (const id of ["key_2", "key_3"]) await remove(id, mia.cookie);
    expect((await rotate("key_4", { grace_hours: 1 }, mia.cookie)).status).toBe(200);
  });
});

describe("creating a key", () => {
  test("shows the key once: later replies have its display form, the store its digest", async () => {
    const made = await make();
    expect(made.key).toMatch(/^sk-pb-[0-9A-Za-z]{38}$/);
    expect(made.display).toBe(`sk-pb-${made.key.slice(6, 8)}…${made.key.slice(-4)}`);
    expect(await use(made.key)).toBe("ok");
    for (const reply of [await read(made.id), await harness("/api/keys", { cookie: owner })]) {
      expect(reply.text).not.toContain(made.key);
      expect(reply.text).not.toContain("digest");
    }
    expect(readStoreBytes(services.dataDirectory).includes(made.key)).toBe(false);
    expect(services.logged.join()).not.toContain(made.key);
  });

  test("returns exactly the contract's fields", async () => {
    const { key, ...made } = await make();
    expect((await read(made.id)).json.data).toEqual(made);
    expect(made).toEqual({
      id: expect.stringMatching(/^key_/),
      name: "robot",
      display: expect.any(String),
      enabled: true,
      created_at: new Date(services.clock.now()).toISOString(),
      expires_at: null,
      last_used_at: null,
      operations: ["speech", "embeddings"],
      allowed_models: [],
      allowed_addresses: [],
      rpm: null,
      tpm: null,
      concurrency: null,
      budget: { total_usd: null, daily_usd: null, monthly_usd: null },
      limits_set_by: {},
      spent: { total_usd: "0.000000000", daily_usd: "0.000000000", monthly_usd: "0.000000000" },
      last_rejected: null,
      owner_id: expect.stringMatching(/^usr_/),
      owner: { username: "olivia", display_name: "olivia", role: "owner" },
      version: 1,
    });
  });

  test("stores limits, and money to the nano-dollar", async () => {
    const fields = {
      enabled: false,
      expires_at: "2030-01-31T12:00:00+02:00",
      operations: ["embeddings"],
      allowed_models: ["patchbay-embed"],
      allowed_addresses: ["203.0.113.0/24", "2001:db8::/32"],
      rpm: 60,
      tpm: 10_000,
      concurrency: 4,
      budget: { total_usd: "12.5", daily_usd: "0.000000001" },
    };
    expect(await make(fields)).toMatchObject({
      ...fields,
      expires_at: "2030-01-31T10:00:00.000Z",
      budget: { total_usd: "12.500000000", daily_usd: "0.000000001", monthly_usd: null },
    });
  });

  test.each<[string, string, object]>([
    ["name", "no name", { name: undefined }],
    ["name", "a name with a zero-width space", { name: "a\u200bb" }],
    ["expires_at", "a time that has passed", { expires_at: "2020-01-01T00:00:00Z" }],
    ["expires_at", "an invalid time", { expires_at: "tomorrow" }],
    ["operations", "no operation", { operations: [] }],
    ["operations", "the same operation twice", { operations: ["speech", "speech"] }],
    ["operations.0", "an unknown operation", { operations: ["chat"] }],
    ["allowed_models.0", "a path as model", { allowed_models: ["../x"] }],
    ["allowed_addresses.0", "a host name", { allowed_addresses: ["example.com"] }],
    ["rpm", "zero per minute", { rpm: 0 }],
    ["rpm", "a number as text", { rpm: "60" }],
    ["budget.total_usd", "money as a number", { budget: { total_usd: 1 } }],
    ["budget.total_usd", "a negative amount", { budget: { total_usd: "-1" } }],
    ["owner_id", "another owner", { owner_id: "usr_x" }],
    ["kind", "a kind", { kind: "playground" }],
    ["digest", "a digest", { digest: "x" }],
    ["id", "an id", { id: "key_x" }],
    ["spent", "a spent amount", { spent: {} }],
  ])("answers 400 with the path %s to %s", async (field, _name, fields) => {
    const reply = await harness("/api/keys", { body: { name: "robot", ...fields }, cookie: owner });
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json.issues.map((issue: { path: string }) => issue.path)).toContain(field);
    expect((await list()).items).toEqual([]);
  });
});

describe("ownership of keys", () => {
  test("a member sees and changes only their own keys; every route answers 404 for another's", async () => {
    const [memberKey, ownerKey] = [await make({}, mia.cookie), await make()];
    expect((await list("", mia.cookie)).items.map((one: { id: string }) => one.id)).toEqual([memberKey.id]);
    const body = { name: "taken", version: 1 };
    const calls = [
      await read(ownerKey.id, mia.cookie),
      await patch(ownerKey.id, body, mia.cookie),
      await rotate(ownerKey.id, {}, mia.cookie),
      await remove(ownerKey.id, mia.cookie),
      await read("key_unknown", mia.cookie),
    ];
    expect(calls.map((reply) => reply.status)).toEqual([404, 404, 404, 404, 404]);
    expect(new Set(calls.map((reply) => reply.text)).size).toBe(1);
    expect(await use(ownerKey.key)).toBe("ok");
  });

  test("an administrator changes keys of lower roles, sees the owner's, and rotates only their own", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const [memberKey, ownerKey] = [await make({}, mia.cookie), await make()];
    expect((await list("", ada.cookie)).items).toHaveLength(2);
    expect((await read(ownerKey.id, ada.cookie)).status).toBe(200);
    expect((await patch(ownerKey.id, { enabled: false, version: 1 }, ada.cookie)).status).toBe(403);
    expect((await remove(ownerKey.id, ada.cookie)).status).toBe(403);
    expect((await patch(memberKey.id, { enabled: false, version: 1 }, ada.cookie)).status).toBe(200);
    expect((await rotate(memberKey.id, {}, ada.cookie)).status).toBe(403);
    expect((await remove(memberKey.id, ada.cookie)).status).toBe(200);
  });

  test("deleting a user deletes their keys", async () => {
    const memberKey = await make({}, mia.cookie);
    const set = (enabled: boolean, version: number) =>
      harness(`/api/users/${mia.id}`, { method: "PATCH", body: { enabled, version }, cookie: owner });
    await set(false, 1);
    expect(await use(memberKey.key)).toBe("unauthenticated");
    await set(true, 2);
    expect(await use(memberKey.key)).toBe("ok");
    await harness(`/api/users/${mia.id}`, { method: "DELETE", cookie: owner });
    expect(await use(memberKey.key)).toBe("unauthenticated");
    expect((await read(memberKey.id)).status).toBe(404);
  });
});

describe("changing a key", () => {
  test("applies from the next request, needs a version, and answers 409 to a stale one", async () => {
    const { id, key } = await make();
    expect((await patch(id, { enabled: false })).status).toBe(400);
    const changed = await patch(id, { enabled: false, version: 1 });
    expect(changed.json.data).toMatchObject({ enabled: false, version: 2 });
    expect(await use(key)).toBe("unauthenticated");
    const stale = await patch(id, { enabled: true, version: 1 });
    expect([stale.status, stale.json.code]).toEqual([409, "conflict"]);
    await patch(id, { enabled: true, allowed_addresses: ["203.0.113.7"], version: 2 });
    expect(await use(key)).toBe("ip_not_allowed");
    expect(await use(key, null)).toBe("ip_not_allowed");
    expect(await use(key, "203.0.113.7")).toBe("ok");
  });

  test("leaves omitted fields unchanged, also parts of a budget", async () => {
    const { id } = await make({ rpm: 5, budget: { total_usd: "1", daily_usd: "2" } });
    const { data } = (await patch(id, { budget: { daily_usd: null }, version: 1 })).json;
    expect(data).toMatchObject({
      name: "robot",
      rpm: 5,
      budget: { total_usd: "1.000000000", daily_usd: null, monthly_usd: null },
    });
  });

  test("accepts one of ten concurrent updates of one version", async () => {
    const { id } = await make();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => patch(id, { name: `n${i}`, version: 1 })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  test("accepts an expiry that has passed when it is sent back unchanged", async () => {
    const expires_at = new Date(services.clock.now() + 60_000).toISOString();
    const { id, key } = await make({ expires_at });
    services.clock.advance(60_000);
    expect(await use(key)).toBe("unauthenticated");
    expect((await patch(id, { expires_at, name: "old", version: 1 })).status).toBe(200);
    expect((await patch(id, { expires_at: null, version: 2 })).status).toBe(200);
    expect(await use(key)).toBe("ok");
  });

  test.each(["owner_id", "kind", "digest", "display", "created_at", "spent", "key"])(
    "answers 400 to a change of %s",
    async (field) => {
      const { id } = await make();
      const reply = await patch(id, { [field]: "x", version: 1 });
      expect(reply.status).toBe(400);
      expect(reply.json.issues[0].path).toBe(field);
    },
  );
});

describe("the rotation of an API key", () => {
  const spend = async (key: { id: string; owner_id: string }, costNano: number) => {
    const row = usageRecord(key.id, key.owner_id, { costNano, reservedNano: costNano });
    await services.store.ledger.reserve({ row, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD });
    await services.store.ledger.settle(row, PERIOD);
  };
  const all = (usd: string) => ({ total_usd: usd, daily_usd: usd, monthly_usd: usd });

  test("creates a key with the same limits, and by default ends the old one at once", async () => {
    const old = await make({ rpm: 7, operations: ["speech"], budget: { total_usd: "3" } });
    const reply = await rotate(old.id);
    expect(reply.status, reply.text).toBe(200);
    const fresh = reply.json.data;
    expect(fresh.key).not.toBe(old.key);
    expect(fresh).toMatchObject({
      name: "robot",
      rpm: 7,
      operations: ["speech"],
      expires_at: null,
      version: 1,
    });
    expect(fresh.budget.total_usd).toBe("3.000000000");
    expect([await use(old.key), await use(fresh.key)]).toEqual(["unauthenticated", "ok"]);
  });

  test("gives the new key what is left of the budget; after that each key spends its own copy", async () => {
    const old = await make({ budget: { total_usd: "5" } });
    const spent = async (id: string) => (await read(id)).json.data.spent;
    await spend(old, 4_000_000_000);
    const fresh = (await rotate(old.id, { grace_hours: 1 })).json.data;
    expect(fresh).toMatchObject({ budget: { total_usd: "5.000000000" }, spent: all("4.000000000") });
    await spend(old, 500_000_000);
    expect([await spent(old.id), await spent(fresh.id)]).toEqual([all("4.500000000"), all("4.000000000")]);
  });

  test("counts what deleted replacements have spent when the key is rotated again", async () => {
    const old = await make({ budget: { total_usd: "5" } });
    await spend(old, 1_000_000_000);
    const first = (await rotate(old.id, { grace_hours: 1 })).json.data;
    await spend(first, 4_000_000_000);
    await remove(first.id);
    const second = (await rotate(old.id, { grace_hours: 1 })).json.data;
    expect(second.spent).toEqual(all("5.000000000"));
    await remove(second.id);
    expect((await rotate(old.id, { grace_hours: 1 })).json.data.spent).toEqual(all("5.000000000"));
  });

  test("counts what a deleted chain of replacements has spent when the first key is rotated again", async () => {
    const old = await make({ budget: { total_usd: "5" } });
    const first = (await rotate(old.id, { grace_hours: 1 })).json.data;
    const second = (await rotate(first.id, { grace_hours: 1 })).json.data;
    await spend(second, 4_000_000_000);
    await remove(first.id);
    expect((await rotate(old.id, { grace_hours: 1 })).status).toBe(409);
    await remove(second.id);
    expect((await rotate(old.id, { grace_hours: 1 })).json.data.spent).toEqual(all("4.000000000"));
  });

  test("does not pass a grace period on as the expiry of a later replacement", async () => {
    const inAnHour = new Date(services.clock.now() + HOUR).toISOString();
    const inADay = new Date(services.clock.now() + 24 * HOUR).toISOString();
    const rotateTwice = async (id: string) => {
      const first = (await rotate(id, { grace_hours: 2 })).json.data;
      await remove(first.id);
      services.clock.advance(1);
      const second = (await rotate(id, { grace_hours: 2 })).json.data;
      await remove(second.id);
      return (await rotate(id, { grace_hours: 2 })).json.data.expires_at;
    };
    const [open, ending] = [await make(), await make({ expires_at: inADay })];
    expect([await rotateTwice(open.id), await rotateTwice(ending.id)]).toEqual([null, inADay]);
    // An expiry that an operator sets during the grace period passes on to the replacement.
    const ended = await make();
    const first = (await rotate(ended.id, { grace_hours: 2 })).json.data;
    await remove(first.id);
    const { version } = (await read(ended.id)).json.data;
    await patch(ended.id, { expires_at: inAnHour, version });
    expect((await rotate(ended.id)).json.data.expires_at).toBe(inAnHour);
  });

  test("moves the alert rule of a key to its replacement, also after a replacement was deleted", async () => {
    const readAlerts = async () => (await harness("/api/settings", { cookie: owner })).json.data;
    const [old, other] = [await make({}, mia.cookie), await make()];
    const ruleOf = (key_id: string) => ({ scope: "key", key_id, error_rate_percent: 5, budgets: false });
    const { alerts, version } = await readAlerts();
    const rules = [ruleOf(other.id), ruleOf(old.id)];
    await changeSettings(harness, owner, { alerts: { ...alerts, rules } });
    const first = (await rotate(old.id, { grace_hours: 1 }, mia.cookie)).json.data;
    expect((await readAlerts()).alerts.rules).toEqual([ruleOf(other.id), ruleOf(first.id)]);
    await remove(first.id, mia.cookie);
    const second = (await rotate(old.id, { grace_hours: 1 }, mia.cookie)).json.data;
    const after = await readAlerts();
    expect(after.alerts.rules).toEqual([ruleOf(other.id), ruleOf(second.id)]);
    // Each change raises the version, so a form that was opened before, with the old key's ID, is stale.
    expect(after.version).toBe(version + 3);
    expect((await rotate((await make()).id)).status).toBe(200);
    expect((await readAlerts()).version).toBe(after.version);
  });

  test("answers 409 to a second rotation also after many rotations of other keys", async () => {
    const old = await make();
    expect((await rotate(old.id, { grace_hours: 1 })).status).toBe(200);
    const at = services.clock.now();
    for (let index = 0; index < 120; index++)
      await services.store.audit.append(
        auditEntry({ at, action: "key.rotate", target: `key_${index}`, detail: { replaced_by: "key_none" } }),
      );
    expect((await rotate(old.id, { grace_hours: 1 })).status).toBe(409);
  });

  test("keeps the old key valid for the grace period, never past its own expiry", async () => {
    const [open, ending] = [
      await make(),
      await make({ expires_at: new Date(services.clock.now() + HOUR).toISOString() }),
    ];
    await rotate(open.id, { grace_hours: 2 });
    await rotate(ending.id, { grace_hours: 24 });
    services.clock.advance(HOUR - 1);
    expect([await use(open.key), await use(ending.key)]).toEqual(["ok", "ok"]);
    services.clock.advance(1);
    expect([await use(open.key), await use(ending.key)]).toEqual(["ok", "unauthenticated"]);
    services.clock.advance(HOUR);
    expect(await use(open.key)).toBe("unauthenticated");
  });

  test.each([-1, 24.1, "2", null])("answers 400 to %j hours of grace", async (grace_hours) => {
    const { id } = await make();
    expect((await rotate(id, { grace_hours })).status).toBe(400);
  });

  test("stores a fraction of an hour as whole milliseconds", async () => {
    const { id } = await make();
    expect((await rotate(id, { grace_hours: 1e-7 })).status).toBe(200);
    expect(Number.isSafeInteger((await services.store.keys.findById(id))?.expiresAt)).toBe(true);
  });

  test("answers 409 to a second rotation in the grace period, one after the other or at once", async () => {
    const [first, second] = [await make(), await make()];
    const replies = [
      await rotate(first.id, { grace_hours: 24 }),
      await rotate(first.id, { grace_hours: 24 }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 409]);
    expect(replies[1]?.json).toMatchObject({ code: "conflict", message: expect.stringContaining("already") });
    const parallel = await Promise.all(
      Array.from({ length: 6 }, () => rotate(second.id, { grace_hours: 1 })),
    );
    expect(parallel.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(409)]);
    expect((await list()).items).toHaveLength(4);
    expect([await use(first.key), await use(second.key)]).toEqual(["ok", "ok"]);
  });

  test("rotates a key again when its replacement was deleted, or after its grace period was lifted", async () => {
    const old = await make();
    const fresh = (await rotate(old.id, { grace_hours: 1 })).json.data;
    await remove(fresh.id);
    expect((await rotate(old.id, { grace_hours: 1 })).status).toBe(200);
    expect((await rotate(old.id, { grace_hours: 1 })).status).toBe(409);
    const { version } = (await read(old.id)).json.data;
    expect((await patch(old.id, { expires_at: null, version })).status).toBe(200);
    expect((await rotate(old.id)).status).toBe(200);
  });

  test("looks for an earlier rotation before its write transaction, and answers 409 if one commits in between", async () => {
    const old = await make({ expires_at: new Date(services.clock.now() + HOUR).toISOString() });
    const { audit, transaction } = services.store;
    const reads = { before: 0, inside: 0 };
    let winner: ConsoleReply | undefined;
    Object.assign(services.store, {
      audit: {
        ...audit,
        list: async (query: Parameters<typeof audit.list>[0]) => {
          const page = await audit.list(query);
          reads.before++;
          if (reads.before === 1) winner = await rotate(old.id, { grace_hours: 1 });
          return page;
        },
      },
      transaction: (work: (tx: Repositories) => Promise<unknown>) =>
        transaction((tx) => {
          const list: typeof audit.list = (query) => {
            reads.inside++;
            return tx.audit.list(query);
          };
          return work({ ...tx, audit: { ...tx.audit, list } });
        }),
    });
    const loser = await rotate(old.id, { grace_hours: 1 });
    expect([winner?.status, loser.status, loser.json.code]).toEqual([200, 409, "conflict"]);
    expect(reads).toEqual({ before: 2, inside: 0 });
    expect((await list()).items).toHaveLength(2);
  });

  test("refuses to rotate an expired key", async () => {
    const { id } = await make({ expires_at: new Date(services.clock.now() + 1_000).toISOString() });
    services.clock.advance(1_000);
    expect((await rotate(id)).status).toBe(409);
    expect((await list()).items).toHaveLength(1);
  });
});

describe("management keys", () => {
  const withKey = (key: string, call: object = {}) => ({
    ...call,
    headers: { authorization: `Bearer ${key}` },
  });

  test("can only be created by an administrator's session", async () => {
    const refused = await harness("/api/keys", {
      body: { name: "m", operations: ["manage"] },
      cookie: mia.cookie,
    });
    expect(refused.status).toBe(403);
    const { id, key } = await make({ operations: ["manage"] });
    const byKey = await harness("/api/keys", withKey(key, { body: { name: "m2", operations: ["manage"] } }));
    expect(byKey.status).toBe(403);
    const plain = await harness("/api/keys", withKey(key, { body: { name: "plain" } }));
    expect(plain.status, plain.text).toBe(200);
    const raised = { method: "PATCH", body: { operations: ["speech", "manage"], version: 1 } };
    expect((await harness(`/api/keys/${plain.json.data.id}`, withKey(key, raised))).status).toBe(403);
    expect((await harness(`/api/keys/${id}/rotate`, withKey(key, { body: {} }))).status).toBe(403);
    expect((await harness(`/api/keys/${id}`, withKey(key, { method: "DELETE" }))).status).toBe(403);
  });

  test("stop working when their owner becomes a member, and a member's key cannot be turned into one", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const { key } = await make({ operations: ["manage"] }, ada.cookie);
    expect((await harness("/api/keys", withKey(key))).status).toBe(200);
    const body = { role: "member", version: 1 };
    await harness(`/api/users/${ada.id}`, { method: "PATCH", body, cookie: owner });
    const refused = await harness("/api/keys", withKey(key));
    expect([refused.status, refused.json.message]).toEqual([
      403,
      expect.stringContaining("its owner is a member"),
    ]);
    const memberKey = await make({}, mia.cookie);
    expect((await patch(memberKey.id, { operations: ["manage"], version: 1 })).status).toBe(403);
  });

  test("a key without the manage operation is refused, even with a valid cookie", async () => {
    const { key } = await make();
    expect((await harness("/api/keys", withKey(key))).status).toBe(403);
    expect((await harness("/api/keys", { ...withKey(key), cookie: owner })).status).toBe(403);
    expect((await harness("/api/keys", withKey(`${key.slice(0, -1)}!`))).status).toBe(401);
    expect((await harness("/api/keys", { headers: { "x-goog-api-key": key } })).status).toBe(401);
    expect((await harness(`/api/keys?key=${key}`)).status).toBe(401);
  });

  test("cannot reach users, account settings or passwords", async () => {
    const { key } = await make({ operations: ["manage"] });
    for (const path of ["/api/users", `/api/users/${mia.id}`, "/api/audit"]) {
      expect((await harness(path, withKey(key))).status, path).toBe(403);
    }
    const change = { method: "PATCH", body: { self_use_mode: true } };
    expect((await harness("/api/settings", withKey(key, change))).status).toBe(403);
  });

  test("an invalid key does not block a public endpoint", async () => {
    const { key } = await make();
    const body = { username: "mia", password: "nine blue lanterns drift" };
    expect((await harness("/api/user/login", withKey(key, { body }))).status).toBe(200);
    expect((await harness("/api/user/login", withKey("nonsense", { body }))).status).toBe(200);
    expect((await harness("/api/setup", withKey(key))).status).toBe(200);
  });
});

describe("the playground's key", () => {
  test("expires after 15 minutes, is never listed, and cannot be read or changed", async () => {
    const made = (await harness("/api/keys/playground", { body: {}, cookie: mia.cookie })).json.data;
    expect(Object.keys(made).sort()).toEqual(["expires_at", "key"]);
    expect(Date.parse(made.expires_at)).toBe(services.clock.now() + 15 * 60_000);
    expect((await list()).items).toEqual([]);
    const { key } = await authenticateKey(services, made.key, { address: null });
    expect(key).toMatchObject({ ownerId: mia.id, kind: "playground", operations: ["speech", "embeddings"] });
    expect(key.id).toMatch(/^play_/);
    for (const cookie of [owner, mia.cookie]) {
      expect((await read(key.id, cookie)).status).toBe(404);
      expect((await patch(key.id, { expires_at: null, version: 1 }, cookie)).status).toBe(404);
      expect((await rotate(key.id, {}, cookie)).status).toBe(404);
    }
    services.clock.advance(15 * 60_000);
    expect(await use(made.key)).toBe("unauthenticated");
  });

  test("is removed when its session creates twenty newer ones; keys of other sessions stay valid", async () => {
    const one = async (cookie: string): Promise<string> => {
      services.clock.advance(1);
      return (await harness("/api/keys/playground", { body: {}, cookie })).json.data.key;
    };
    const others = await one(owner);
    const keys: string[] = [];
    for (let i = 0; i < 21; i++) keys.push(await one(mia.cookie));
    expect(await use(others)).toBe("ok");
    const uses = [];
    for (const key of keys) uses.push(await use(key));
    expect(uses).toEqual(["unauthenticated", ...Array(20).fill("ok")]);
  });
});

describe("the list of API keys", () => {
  test.each([1, 3, 4])(
    "is paged from the newest to the oldest, without gaps or repeats, by %i",
    async (limit) => {
      const names: string[] = [];
      for (let i = 0; i < 7; i++) {
        // Robots 2 and 3 have the same creation time; in pages of four, they are on different pages.
        if (i !== 3) services.clock.advance(1_000);
        names.unshift((await make({ name: `robot ${i}` })).name);
      }
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { items: { name: string }[]; next_cursor: string | null } = await list(
          `?limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
        );
        expect(page.items).toHaveLength(Math.min(limit, names.length - seen.length));
        seen.push(...page.items.map((one) => one.name));
        cursor = page.next_cursor;
      } while (cursor !== null);
      // The order of the two is that of their IDs.
      expect([...seen.slice(0, 3), ...seen.slice(3, 5).sort().reverse(), ...seen.slice(5)]).toEqual(names);
    },
  );

  test("shows owners and filters by owner; a member gets only their own keys", async () => {
    await make({ name: "of the owner" });
    services.clock.advance(1);
    await make({ name: "of mia" }, mia.cookie);
    const ask = async (query: string, cookie = owner) =>
      (await list(query, cookie)).items.map((key: { name: string; owner: { username: string } }) => [
        key.name,
        key.owner.username,
      ]);
    const [own, memberKey] = [
      ["of the owner", "olivia"],
      ["of mia", "mia"],
    ];
    expect(await ask("")).toEqual([memberKey, own]);
    expect(await ask("?owner_id=me")).toEqual([own]);
    expect(await ask(`?owner_id=${mia.id}`)).toEqual([memberKey]);
    expect(await ask("?owner_id=usr_unknown")).toEqual([]);
    expect(await ask("?owner_id=me", mia.cookie)).toEqual([memberKey]);
    expect(await ask(`?owner_id=${mia.id}`, mia.cookie)).toEqual([memberKey]);
    for (const id of ["usr_unknown", (await services.store.users.findByNameOrEmail("olivia"))?.id ?? ""]) {
      expect((await harness(`/api/keys?owner_id=${id}`, { cookie: mia.cookie })).status).toBe(404);
    }
  });

  test("searches literally, including the database's wildcards", async () => {
    for (const name of ["100% sure", "100 sure", "under_score", "underscore", "back\\slash", "it's"]) {
      await make({ name });
    }
    const found = async (q: string) =>
      (await list(`?q=${encodeURIComponent(q)}`)).items.map((one: { name: string }) => one.name);
    expect(await found("0%")).toEqual(["100% sure"]);
    expect(await found("r_s")).toEqual(["under_score"]);
    expect(await found("k\\s")).toEqual(["back\\slash"]);
    expect(await found("t's")).toEqual(["it's"]);
    expect(await found("%%")).toEqual([]);
    expect(await found("UNDER")).toHaveLength(2);
    expect(await found("' or 1=1 --")).toEqual([]);
  });

  test("takes an empty cursor and an empty search as absent", async () => {
    const { name } = await make({ name: "robot" });
    const page = await list("?limit=50&cursor=&q=");
    expect(page.items.map((one: { name: string }) => one.name)).toEqual([name]);
  });

  test.each([
    "?q=x",
    "?limit=",
    "?cursor=&cursor=",
    "?limit=0",
    "?limit=101",
    "?limit=ten",
    "?cursor=nonsense",
    "?order=name",
    "?limit=1&limit=2",
  ])("answers 400 to the query %s", async (query) => {
    const reply = await harness(`/api/keys${query}`, { cookie: owner });
    expect([reply.status, reply.json.code]).toEqual([400, "invalid"]);
  });
});

test("records every change of an API key with actor, target and address in the audit log; never the key", async () => {
  const made = await make();
  await patch(made.id, { rpm: 5, version: 1 });
  const fresh = (await rotate(made.id, { grace_hours: 1 })).json.data;
  const manage = await make({ operations: ["manage"] });
  await harness(`/api/keys/${fresh.id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${manage.key}` },
  });
  const { items } = await services.store.audit.list({ limit: 5, cursor: null, q: null });
  expect(items.map((row) => row.action)).toEqual([
    "key.delete",
    "key.create",
    "key.rotate",
    "key.update",
    "key.create",
  ]);
  const [deleted, , rotated, updated] = items;
  expect(deleted?.detail).toMatchObject({ key: manage.id, address: "127.0.0.1", request: "req-1" });
  expect(rotated).toMatchObject({ target: made.id, detail: { replaced_by: fresh.id, grace_hours: 1 } });
  expect(updated?.detail).toMatchObject({ before: { rpm: null }, after: { rpm: 5 } });
  expect(items.every((row) => row.actor.startsWith("usr_"))).toBe(true);
  const text = JSON.stringify(items);
  for (const { key } of [made, fresh, manage]) expect(text).not.toContain(key);
  expect((await services.store.audit.verify()).brokenAt).toBeNull();
});
