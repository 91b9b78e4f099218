import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";

/** Who can loosen the limits of a key, and what a management key can do to other keys. */

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
let ada: { id: string; cookie: string };
let mia: { id: string; cookie: string };
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
  ada = await addUser(harness, owner, { username: "ada", role: "admin" });
  mia = await addUser(harness, owner, { username: "mia" });
});
afterEach(() => services.close());

interface Caller {
  cookie?: string;
  headers?: Record<string, string>;
}
const session = (cookie: string): Caller => ({ cookie });
const make = async (fields: object, cookie: string) => {
  const reply = await harness("/api/keys", { body: { name: "robot", ...fields }, cookie });
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
};
const read = async (id: string) => (await harness(`/api/keys/${id}`, { cookie: owner })).json.data;
/** A change of the newest version of a key. */
const patch = async (id: string, fields: object, caller: Caller) => {
  const { version } = await read(id);
  return harness(`/api/keys/${id}`, { method: "PATCH", body: { ...fields, version }, ...caller });
};
const rotate = (id: string, body: object, caller: Caller) =>
  harness(`/api/keys/${id}/rotate`, { body, ...caller });
const expectRefused = (reply: Awaited<ReturnType<ConsoleHarness>>, field: string) => {
  expect([reply.status, reply.json.code]).toEqual([403, "forbidden"]);
  expect(reply.json.message).toContain(field);
};

/** A limit with its name, a value, a tighter one, and looser ones. */
const LIMITS: [string, object, object, object[]][] = [
  ["enabled", { enabled: false }, { enabled: false }, [{ enabled: true }]],
  [
    "expires_at",
    { expires_at: "2030-01-31T12:00:00Z" },
    { expires_at: "2030-01-31T11:59:59Z" },
    [{ expires_at: "2030-01-31T12:00:01Z" }, { expires_at: null }],
  ],
  [
    "operations",
    { operations: ["speech"] },
    { operations: ["speech"] },
    [{ operations: ["speech", "embeddings"] }, { operations: ["embeddings"] }],
  ],
  [
    "allowed_models",
    { allowed_models: ["a", "b"] },
    { allowed_models: ["b"] },
    [{ allowed_models: ["a", "c"] }, { allowed_models: ["a", "b", "c"] }, { allowed_models: [] }],
  ],
  [
    "allowed_addresses",
    { allowed_addresses: ["10.1.0.0/16", "2001:db8::/32"] },
    { allowed_addresses: ["10.1.2.0/24", "2001:db8::7"] },
    [
      { allowed_addresses: ["10.0.0.0/15"] },
      { allowed_addresses: ["10.1.0.1", "10.2.0.1"] },
      { allowed_addresses: ["::/0"] },
      { allowed_addresses: [] },
    ],
  ],
  ["rpm", { rpm: 60 }, { rpm: 59 }, [{ rpm: 61 }, { rpm: null }]],
  ["tpm", { tpm: 60 }, { tpm: 59 }, [{ tpm: 61 }, { tpm: null }]],
  ["concurrency", { concurrency: 4 }, { concurrency: 3 }, [{ concurrency: 5 }, { concurrency: null }]],
  ...["total_usd", "daily_usd", "monthly_usd"].map((period): [string, object, object, object[]] => [
    `budget.${period}`,
    { budget: { [period]: "5" } },
    { budget: { [period]: "4.999999999" } },
    [{ budget: { [period]: "5.000000001" } }, { budget: { [period]: null } }],
  ]),
];

describe("a limit that a higher role set on a key", () => {
  test.each(LIMITS)(
    "%s: can be tightened but not loosened by a member",
    async (name, limit, tighter, looser) => {
      const { id } = await make({}, mia.cookie);
      expect((await patch(id, limit, session(ada.cookie))).status).toBe(200);
      expect((await read(id)).limits_set_by).toEqual({ [name]: "admin" });
      for (const fields of looser) expectRefused(await patch(id, fields, session(mia.cookie)), name);
      expect(await read(id)).toMatchObject({ version: 2 });
      const tightened = await patch(id, { name: "mine", ...tighter }, session(mia.cookie));
      expect(tightened.status, tightened.text).toBe(200);
      // The member cannot go back to the administrator's value.
      if (JSON.stringify(limit) !== JSON.stringify(tighter))
        expectRefused(await patch(id, limit, session(mia.cookie)), name);
      for (const fields of looser)
        expect((await patch(id, fields, session(ada.cookie))).status, JSON.stringify(fields)).toBe(200);
    },
  );

  test("refuses a looser value with a message that says who set the limit, its value, and what is accepted", async () => {
    const { id } = await make({}, mia.cookie);
    await patch(id, { rpm: 60 }, session(ada.cookie));
    const reply = await patch(id, { rpm: null }, session(mia.cookie));
    expect(reply.json.message).toBe(
      "rpm: Set to 60 by an administrator. You may tighten this limit, not loosen it; got null.",
    );
    expect(reply.json.issues).toEqual([{ path: "rpm", message: expect.stringContaining("not loosen") }]);
  });

  test.each(LIMITS)(
    "%s: cannot be loosened by an administrator if the owner set it",
    async (name, limit, _, looser) => {
      for (const { id } of [await make({}, mia.cookie), await make({}, ada.cookie)]) {
        expect((await patch(id, limit, session(owner))).status).toBe(200);
        expect((await read(id)).limits_set_by).toEqual({ [name]: "owner" });
        for (const fields of looser) expectRefused(await patch(id, fields, session(ada.cookie)), name);
        for (const fields of looser) expect((await patch(id, fields, session(owner))).status).toBe(200);
      }
    },
  );

  test("is kept by a rotation, with the role that set it", async () => {
    const { id } = await make({}, mia.cookie);
    const limits = { enabled: false, expires_at: "2030-01-31T12:00:00.000Z", rpm: 60, allowed_models: ["a"] };
    await patch(id, limits, session(ada.cookie));
    const fresh = await rotate(id, { grace_hours: 1 }, session(mia.cookie));
    expect(fresh.json.data).toMatchObject({
      ...limits,
      limits_set_by: { enabled: "admin", expires_at: "admin", rpm: "admin", allowed_models: "admin" },
    });
    for (const key of [id, fresh.json.data.id]) {
      expectRefused(await patch(key, { enabled: true }, session(mia.cookie)), "enabled");
      expectRefused(await patch(key, { expires_at: null }, session(mia.cookie)), "expires_at");
    }
  });

  test("keeps the role that set it when a form sends every field back", async () => {
    const { id } = await make({ tpm: 100 }, mia.cookie);
    await patch(id, { rpm: 60, allowed_addresses: ["10.0.0.0/8", "::1"] }, session(ada.cookie));
    const { rpm, tpm, operations } = await read(id);
    const same = { rpm, tpm, operations, allowed_addresses: ["::1", "10.0.0.0/8"] };
    expect((await patch(id, { ...same, name: "a" }, session(mia.cookie))).status).toBe(200);
    expect((await patch(id, { ...same, name: "b" }, session(owner))).status).toBe(200);
    expect((await read(id)).limits_set_by).toEqual({ rpm: "admin", allowed_addresses: "admin" });
    expect((await patch(id, { tpm: null }, session(mia.cookie))).status).toBe(200);
  });

  test("can be set by the member again after the higher role removed it", async () => {
    const { id } = await make({}, mia.cookie);
    await patch(id, { rpm: 60, enabled: false }, session(ada.cookie));
    await patch(id, { rpm: null, enabled: true }, session(ada.cookie));
    expect((await read(id)).limits_set_by).toEqual({});
    for (const fields of [
      { rpm: 5, enabled: false },
      { rpm: null, enabled: true },
    ])
      expect((await patch(id, fields, session(mia.cookie))).status).toBe(200);
  });

  test("can be loosened by its owner after promotion to administrator", async () => {
    const { id } = await make({}, mia.cookie);
    await patch(id, { rpm: 60 }, session(ada.cookie));
    const body = { role: "admin", version: 1 };
    await harness(`/api/users/${mia.id}`, { method: "PATCH", body, cookie: owner });
    const login = { username: "mia", password: "nine blue lanterns drift" };
    const { cookie } = await harness("/api/user/login", { body: login });
    expect((await patch(id, { rpm: 90 }, session(cookie))).status).toBe(200);
    expect((await read(id)).limits_set_by).toEqual({});
  });
});

test.each(LIMITS)("%s: a member can loosen their own limit", async (_, limit, __, looser) => {
  const { id } = await make(limit, mia.cookie);
  expect((await read(id)).limits_set_by).toEqual({});
  for (const fields of looser) expect((await patch(id, fields, session(mia.cookie))).status).toBe(200);
});

describe("a management key", () => {
  const manageKey = async (fields: object, cookie = owner): Promise<Caller> => {
    const { key } = await make({ ...fields, operations: ["manage"] }, cookie);
    return { headers: { authorization: `Bearer ${key}` } };
  };
  const create = (body: object, caller: Caller) =>
    harness("/api/keys", { body: { name: "child", ...body }, ...caller });

  const COUNTED_LIMITS: [string, object][] = [
    ["rpm", { rpm: 60 }],
    ["tpm", { tpm: 1_000 }],
    ["concurrency", { concurrency: 4 }],
    ["budget.total_usd", { budget: { total_usd: "5" } }],
    ["budget.daily_usd", { budget: { daily_usd: "2" } }],
    ["budget.monthly_usd", { budget: { monthly_usd: "3" } }],
  ];

  test.each(COUNTED_LIMITS)("with %s cannot create, rotate or loosen a key", async (name, limit) => {
    const caller = await manageKey(limit);
    const tighter = {
      rpm: 1,
      tpm: 1,
      concurrency: 1,
      budget: { total_usd: "0", daily_usd: "0", monthly_usd: "0" },
    };
    const plain = await make({ ...tighter, allowed_models: ["a"] }, owner);
    const keys = async () => (await harness("/api/keys", { cookie: owner })).json.data.items.length;
    const before = await keys();
    for (const reply of [
      await create({}, caller),
      await create(tighter, caller),
      await rotate(plain.id, {}, caller),
      await patch(plain.id, limit, caller),
      await patch(plain.id, { allowed_models: [] }, caller),
    ]) {
      expectRefused(reply, name);
      expect(reply.json.message).toContain("limits count per key");
    }
    expect([await keys(), (await read(plain.id)).version]).toEqual([before, 1]);
    // Other changes are still possible.
    const narrower = { name: "narrower", enabled: false };
    expect((await patch(plain.id, narrower, caller)).status).toBe(200);
    expectRefused(await patch(plain.id, { enabled: true }, caller), name);
    expect((await harness(`/api/keys/${plain.id}`, { method: "DELETE", ...caller })).status).toBe(200);
  });

  const KEY_FIELDS = {
    expires_at: "2030-01-31T12:00:00.000Z",
    allowed_models: ["patchbay-embed", "patchbay-speech"],
    allowed_addresses: ["127.0.0.0/8"],
  };
  const WIDER: [string, object][] = [
    ["expires_at", { expires_at: "2030-02-01T00:00:00Z" }],
    ["allowed_models", { allowed_models: ["patchbay-embed", "gpt-4o-mini-tts"] }],
    ["allowed_addresses", { allowed_addresses: ["126.0.0.0/7"] }],
    ["allowed_addresses", { allowed_addresses: ["127.0.0.1", "::/0"] }],
  ];
  const REMOVED: [string, object][] = [
    ["expires_at", { expires_at: null }],
    ["allowed_models", { allowed_models: [] }],
    ["allowed_addresses", { allowed_addresses: [] }],
  ];

  test("passes its expiry, models and addresses on to a key created without them", async () => {
    const made = await create({}, await manageKey(KEY_FIELDS));
    expect(made.status, made.text).toBe(200);
    expect(made.json.data).toMatchObject(KEY_FIELDS);
  });

  test("creates a narrower key as asked", async () => {
    const narrow = {
      rpm: 5,
      allowed_addresses: ["127.0.0.1", "127.1.0.0/16"],
      allowed_models: ["patchbay-embed"],
    };
    const made = await create(narrow, await manageKey(KEY_FIELDS));
    expect(made.json.data).toMatchObject({ ...narrow, tpm: null });
  });

  test.each(WIDER)("cannot create a key with a wider %s than its own", async (field, fields) => {
    expectRefused(await create(fields, await manageKey(KEY_FIELDS)), field);
  });

  test.each([...WIDER, ...REMOVED])(
    "cannot widen %s of another key beyond its own",
    async (field, fields) => {
      const caller = await manageKey(KEY_FIELDS);
      const child = await make(KEY_FIELDS, owner);
      expectRefused(await patch(child.id, fields, caller), field);
      expectRefused(await patch(child.id, { ...fields, enabled: false }, caller), field);
    },
  );

  test.each(COUNTED_LIMITS)("with %s cannot change or rotate a key without that limit", async (_, limit) => {
    const wide = await make({}, owner);
    const caller = await manageKey(limit);
    expect((await patch(wide.id, { name: "mine" }, caller)).status).toBe(403);
    expect((await rotate(wide.id, {}, caller)).status).toBe(403);
    expect((await read(wide.id)).version).toBe(1);
  });

  test.each([
    ...COUNTED_LIMITS,
    ...Object.entries(KEY_FIELDS).map(([name, value]) => [name, { [name]: value }] as const),
  ])("with %s can disable a key without that limit, and not enable it", async (_, limit) => {
    const wide = await make({}, owner);
    const caller = await manageKey(limit);
    expect((await patch(wide.id, { enabled: false, expires_at: null }, caller)).status).toBe(200);
    expect((await patch(wide.id, { enabled: true }, caller)).status).toBe(403);
    expect((await read(wide.id)).enabled).toBe(false);
  });

  test("cannot rotate a key in its grace period into one that outlives its own expiry", async () => {
    const { id } = await make({}, owner);
    const fresh = (await rotate(id, { grace_hours: 1 }, session(owner))).json.data;
    await harness(`/api/keys/${fresh.id}`, { method: "DELETE", cookie: owner });
    const caller = await manageKey({ expires_at: KEY_FIELDS.expires_at });
    expectRefused(await rotate(id, { grace_hours: 1 }, caller), "expires_at");
  });

  test("cannot loosen a limit set by a higher role than its owner's", async () => {
    const { id } = await make({}, ada.cookie);
    await patch(id, { rpm: 60 }, session(owner));
    expectRefused(await patch(id, { rpm: 61 }, await manageKey({}, ada.cookie)), "rpm");
  });
});
