import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleRoute, Route } from "../../lib/http/core/route";
import { ROUTES } from "../../lib/http/routes";
import {
  addUser,
  type ConsoleHarness,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";

type Caller = "owner" | "admin" | "member" | "nobody" | "manageKey";
const CALLERS: readonly Caller[] = ["owner", "admin", "member", "nobody", "manageKey"];

/** Who gets through; everybody else is refused, without a session or key with 401, with one with 403. */
const MAY = {
  everybody: CALLERS,
  signedIn: ["owner", "admin", "member"],
  keepers: ["owner", "admin", "member", "manageKey"],
  administrators: ["owner", "admin", "manageKey"],
  signedInAdministrators: ["owner", "admin"],
  owner: ["owner"],
} as const satisfies Record<string, readonly Caller[]>;

interface Entry {
  may: keyof typeof MAY;
  body?: object;
  query?: string;
  /** Status for callers with permission; by default 200. */
  gives?: number;
  /** Exceptions by role. */
  but?: Partial<Record<Caller, number>>;
  /** Those of UNKNOWN's fields that this route accepts. */
  takes?: readonly string[];
}

/** By method and path. */
type Matrix = Record<string, Entry>;

/** Input that changes nothing another line relies on: mostly of something that is not there. */
const OPEN: Matrix = {
  "GET /api/health/live": { may: "everybody" },
  "GET /api/health/ready": { may: "everybody" },
  "GET /api/status": { may: "everybody" },
  "GET /api/setup": { may: "everybody" },
  "POST /api/setup": { may: "everybody", gives: 409 },
  "POST /api/user/login": { may: "everybody", gives: 400 },
  "POST /api/user/login/2fa": { may: "everybody", body: { code: "123456" }, gives: 401 },
  "POST /api/user/logout": { may: "everybody" },
  "POST /api/user/register": { may: "everybody", gives: 404 },
  "POST /api/invites/inspect": { may: "everybody", body: { token: "none" }, gives: 404 },
  "POST /api/invites/accept": { may: "everybody", gives: 400 },
  "POST /api/password-resets/accept": { may: "everybody", gives: 400 },
};

const OWN: Matrix = {
  "GET /api/setup/progress": { may: "signedIn", but: { admin: 404, member: 404 } },
  "PATCH /api/setup/progress": { may: "signedIn", but: { admin: 404, member: 404 } },
  "GET /api/user/2fa/status": { may: "signedIn" },
  "POST /api/user/2fa/setup": { may: "signedIn" },
  "POST /api/user/2fa/enable": { may: "signedIn", body: { code: "000000" }, gives: 400 },
  "POST /api/user/2fa/disable": { may: "signedIn", body: { password: "x", code: "000000" }, gives: 409 },
  "POST /api/user/2fa/backup_codes": { may: "signedIn", body: { password: "x", code: "000000" }, gives: 409 },
  "GET /api/user/self": { may: "signedIn" },
  "GET /api/user/budget": { may: "signedIn" },
  "PATCH /api/user/self": { may: "signedIn" },
  "POST /api/user/password": { may: "signedIn", gives: 400 },
  "GET /api/user/sessions": { may: "signedIn" },
  "DELETE /api/user/sessions": { may: "signedIn" },
  "DELETE /api/user/sessions/{id}": { may: "signedIn", gives: 404 },
  "POST /api/keys/playground": { may: "signedIn" },
  "POST /api/recordings/encode": { may: "signedIn", gives: 415 },
  "GET /api/events": { may: "signedIn" },
  "GET /api/keys": { may: "keepers" },
  "POST /api/keys": { may: "keepers", body: { name: "robot" } },
  "GET /api/keys/{id}": { may: "keepers", gives: 404 },
  "PATCH /api/keys/{id}": { may: "keepers", body: { version: 1 }, gives: 404 },
  "DELETE /api/keys/{id}": { may: "keepers", gives: 404 },
  "POST /api/keys/{id}/rotate": { may: "keepers", gives: 404 },
  "GET /api/usage": { may: "keepers" },
  "GET /api/usage/summary": { may: "keepers" },
  "GET /api/usage/rejected": { may: "keepers" },
  "GET /api/usage/rejected/export": { may: "keepers" },
  "GET /api/usage/export": { may: "keepers" },
  "GET /api/usage/{id}": { may: "keepers", gives: 404 },
  "GET /api/overview": {
    may: "keepers",
    query: "?from=2026-09-20T00:00:00Z&to=2026-09-21T00:00:00Z&interval=hour",
  },
};

const PEOPLE: Matrix = {
  "GET /api/users": { may: "signedInAdministrators" },
  "POST /api/users": {
    may: "signedInAdministrators",
    body: { username: "olivia", password: "twelve red foxes nap" },
    gives: 409,
    takes: ["role"],
  },
  "GET /api/users/{id}": { may: "signedInAdministrators", gives: 404 },
  "PATCH /api/users/{id}": {
    may: "signedInAdministrators",
    body: { version: 1 },
    gives: 404,
    takes: ["role"],
  },
  "DELETE /api/users/{id}": { may: "signedInAdministrators", gives: 404 },
  "POST /api/users/{id}/reset_2fa": { may: "signedInAdministrators", gives: 404 },
  "POST /api/users/{id}/unlock": { may: "signedInAdministrators", gives: 404 },
  "POST /api/users/{id}/password_reset": { may: "signedInAdministrators", gives: 404 },
  "DELETE /api/users/{id}/sessions": { may: "signedInAdministrators", gives: 404 },
  "GET /api/invites": { may: "signedInAdministrators" },
  "POST /api/invites": { may: "signedInAdministrators", takes: ["role"] },
  "DELETE /api/invites/{id}": { may: "signedInAdministrators", gives: 404 },
  "GET /api/audit": { may: "signedInAdministrators" },
  "GET /api/audit/verify": { may: "signedInAdministrators" },
};

const WRONG = { password: "not the password" };
const FILE = {
  format: "patchbay-settings",
  version: 1,
  exported_at: "2026-09-20T00:00:00Z",
  patchbay: "0.1.0",
  settings: {},
  models: [],
  channels: [],
};

const INSTANCE: Matrix = {
  "GET /api/instances": { may: "signedInAdministrators" },
  "GET /api/settings": { may: "signedInAdministrators" },
  "PATCH /api/settings": { may: "signedInAdministrators" },
  "GET /api/settings/instance": { may: "signedInAdministrators" },
  "POST /api/settings/caches/clear": { may: "signedInAdministrators" },
  "POST /api/settings/metrics-token": { may: "owner", body: WRONG, gives: 403 },
  "DELETE /api/settings/metrics-token": { may: "owner", gives: 404 },
  "POST /api/settings/export": { may: "signedInAdministrators" },
  "POST /api/settings/import": { may: "signedInAdministrators", body: { dry_run: true, file: FILE } },
  "POST /api/settings/backup": { may: "owner", body: WRONG, gives: 403 },
  "GET /api/alerts": { may: "signedInAdministrators" },
  "GET /api/alerts/summary": { may: "signedInAdministrators" },
  "POST /api/alerts/{id}/seen": { may: "signedInAdministrators", gives: 404 },
  "POST /api/alerts/{id}/check": { may: "signedInAdministrators", gives: 404 },
  "POST /api/alerts/{id}/snooze": { may: "signedInAdministrators", gives: 404, body: { for: "1h" } },
  "POST /api/alerts/{id}/unsnooze": { may: "signedInAdministrators", gives: 404 },
  "POST /api/alerts/webhook/secret": { may: "signedInAdministrators" },
  "POST /api/alerts/webhook/test": { may: "signedInAdministrators", gives: 400 },
};

const CATALOGUE: Matrix = {
  "GET /api/voices": { may: "owner" },
  "POST /api/voices": { may: "owner", body: { name: "unknown" }, gives: 404 },
  "DELETE /api/voices/{name}": { may: "owner", gives: 404 },
  "DELETE /api/voices/{name}/installation": { may: "owner", gives: 404 },
  "POST /api/voices/{name}/upload": { may: "signedIn", gives: 415 },
  "POST /api/voices/{name}/verify": { may: "owner", gives: 404 },
  "GET /api/channels": { may: "administrators" },
  "GET /api/channels/attempts": { may: "administrators" },
  "POST /api/channels": { may: "administrators", gives: 400 },
  "GET /api/channels/{id}": { may: "administrators", gives: 404 },
  "GET /api/channels/{id}/errors": { may: "administrators", gives: 404 },
  "PATCH /api/channels/{id}": { may: "administrators", body: { version: 1 }, gives: 404 },
  "DELETE /api/channels/{id}": { may: "administrators", gives: 404 },
  "POST /api/channels/{id}/test": { may: "administrators", gives: 404 },
  "POST /api/channels/{id}/models": { may: "administrators", gives: 404 },
  "POST /api/channels/{id}/close": { may: "administrators", gives: 404 },
  "POST /api/channels/order": { may: "administrators", gives: 400 },
  "POST /api/channels/draft/models": { may: "administrators", gives: 400 },
  "POST /api/channels/draft/test": { may: "administrators", gives: 400 },
  "GET /api/providers": { may: "administrators" },
  "GET /api/upstreams/allowed": { may: "administrators" },
  "POST /api/upstreams/allowed": {
    may: "owner",
    body: { base_url: "http://127.0.0.1:9", ...WRONG },
    gives: 403,
  },
  "DELETE /api/upstreams/allowed/{target}": { may: "owner", gives: 404 },
  "GET /api/models": { may: "administrators" },
  "POST /api/models": { may: "administrators", gives: 400 },
  "PATCH /api/models/{model}": { may: "administrators", body: { version: 1 }, gives: 404 },
  "DELETE /api/models/{model}": { may: "administrators", gives: 404 },
  "GET /api/models/{model}/route": { may: "administrators", gives: 404 },
};

const MATRIX: Matrix = { ...OPEN, ...OWN, ...PEOPLE, ...INSTANCE, ...CATALOGUE };

const CONSOLE = ROUTES.filter((route): route is ConsoleRoute => route.surface === "console");
const nameOf = (route: Pick<Route, "method" | "path">) => `${route.method} ${route.path}`;
const LINES = CONSOLE.map((route) => [nameOf(route), route] as const);
const PASSWORD = "nine blue lanterns drift";
/** A refusal for want of a role, not for a wrong password or code. */
const REFUSALS = ["unauthenticated", "forbidden"];

let services: TestServices;
let harness: ConsoleHarness;
let manageKey: string;
const ids: Record<string, string> = {};
beforeAll(async () => {
  services = await testServices();
  harness = openConsoleHarness(services, ROUTES);
  const owner = await setUpOwner(harness);
  const made = await harness("/api/keys", { body: { name: "robot", operations: ["manage"] }, cookie: owner });
  manageKey = made.json.data.key;
  for (const [username, role] of [
    ["ada", "admin"],
    ["mia", "member"],
    ["noor", "member"],
  ] as const) {
    ids[username] = (await addUser(harness, owner, { username, role })).id;
  }
});
afterAll(() => services.close());

const signIn = async (username: string, password = PASSWORD) =>
  (await harness("/api/user/login", { body: { username, password } })).cookie;

/** What a call shows of who makes it. */
async function asCaller(caller: Caller): Promise<{ cookie?: string; headers?: Record<string, string> }> {
  switch (caller) {
    case "owner":
      return { cookie: await signIn(OWNER.username, OWNER.password) };
    case "admin":
      return { cookie: await signIn("ada") };
    case "member":
      return { cookie: await signIn("mia") };
    case "manageKey":
      return { headers: { authorization: `Bearer ${manageKey}` } };
    case "nobody":
      return {};
    default:
      return caller satisfies never;
  }
}

const bodyOf = (route: ConsoleRoute, body: object = {}) =>
  route.method === "GET" || route.method === "DELETE" ? undefined : body;

test("the matrix has exactly the console's routes", () => {
  expect(Object.keys(MATRIX).sort()).toEqual(LINES.map(([name]) => name).sort());
});

describe("permissions by role", () => {
  test.each(LINES)("%s", async (name, route) => {
    const entry = MATRIX[name];
    if (entry === undefined) throw new Error(`${name} has no line in the matrix.`);
    const { may, query = "", gives = 200, but = {} } = entry;
    const allowed: readonly Caller[] = MAY[may];
    for (const caller of CALLERS) {
      const reply = await harness(route.path.replaceAll(/\{\w+\}/g, "unknown") + query, {
        method: route.method,
        body: bodyOf(route, entry.body),
        ...(await asCaller(caller)),
      });
      const outcome = [caller, reply.status, reply.text];
      if (allowed.includes(caller)) {
        expect(outcome).toEqual([caller, but[caller] ?? gives, reply.text]);
        if (reply.status >= 400) expect(REFUSALS).not.toContain(reply.json.code);
      } else if (caller === "nobody") {
        expect(outcome).toEqual([caller, 401, reply.text]);
      } else {
        expect([...outcome, reply.json.code]).toEqual([caller, 403, reply.text, "forbidden"]);
      }
    }
  });
});

test("a manage key reaches only keys, channels, models and usage", () => {
  const nouns = LINES.filter(([, { auth }]) => auth === "manage" || auth === "admin").map(
    ([, { path }]) => path.split("/")[2],
  );
  expect([...new Set(nouns)].sort()).toEqual([
    "channels",
    "keys",
    "models",
    // Figures of usage on one page.
    "overview",
    // What channels may be made of, and where they may lead.
    "providers",
    "upstreams",
    "usage",
  ]);
});

describe("fields that no role may set", () => {
  const FOREIGN = ["id", "owner_id", "role", "spent", "is_admin", "__proto__x"];
  /** Answered before any field is looked at, or not in JSON. */
  const OTHERWISE = [
    "POST /api/setup",
    "POST /api/user/register",
    "POST /api/recordings/encode",
    "POST /api/voices/{name}/upload",
  ];
  const writes = LINES.filter(([name, route]) => route.method !== "GET" && !OTHERWISE.includes(name));

  test.each(writes)("%s refuses them", async (name, route) => {
    const entry = MATRIX[name];
    const { cookie } = await asCaller("owner");
    for (const field of FOREIGN.filter((one) => !entry?.takes?.includes(one))) {
      const reply = await harness(route.path.replaceAll(/\{\w+\}/g, "unknown"), {
        method: route.method,
        body: { ...entry?.body, [field]: "admin" },
        cookie,
      });
      expect([field, reply.status, reply.text]).toEqual([field, 400, reply.text]);
      if (route.body !== undefined) {
        const paths = reply.json.issues.map((issue: { path: string }) => issue.path);
        expect([field, paths]).toEqual([field, expect.arrayContaining([field])]);
      }
    }
  });
});

describe("a member who knows IDs of others", () => {
  /** Rows that belong to noor, by path. */
  async function noorsOwn(): Promise<Record<string, string>> {
    const cookie = await signIn("noor");
    const key = await harness("/api/keys", { body: { name: "noor's" }, cookie });
    const sessions = await harness("/api/user/sessions", { cookie });
    return { key: key.json.data.id, session: sessions.json.data.items[0].id };
  }

  test("gets 404 for keys and sessions of others", async () => {
    const { key, session } = await noorsOwn();
    const { cookie } = await asCaller("member");
    const asked = [
      harness(`/api/keys/${key}`, { cookie }),
      harness(`/api/keys/${key}`, { method: "PATCH", body: { version: 1, enabled: false }, cookie }),
      harness(`/api/keys/${key}/rotate`, { body: {}, cookie }),
      harness(`/api/keys/${key}`, { method: "DELETE", cookie }),
      harness(`/api/user/sessions/${session}`, { method: "DELETE", cookie }),
      harness(`/api/keys?owner_id=${ids.noor}`, { cookie }),
      harness(`/api/usage/summary?user_id=${ids.noor}`, { cookie }),
    ];
    for (const reply of await Promise.all(asked)) expect(reply.status, reply.text).toBe(404);
    const list = await harness("/api/keys", { cookie });
    expect(list.text).not.toContain(key);
    const calls = await harness(`/api/usage?user_id=${ids.noor}`, { cookie });
    expect(calls.json.data?.items ?? []).toEqual([]);
  });

  test("gets the same reply for users and channels, whether they exist or not", async () => {
    const { cookie } = await asCaller("member");
    const channel =
      (await harness("/api/channels", await asCaller("owner"))).json.data.items[0]?.id ?? "unknown";
    for (const [real, none] of [
      [`/api/users/${ids.noor}`, "/api/users/unknown"],
      [`/api/channels/${channel}`, "/api/channels/unknown"],
    ] as const) {
      const [known, unknown] = [await harness(real, { cookie }), await harness(none, { cookie })];
      expect([known.status, known.text]).toEqual([403, unknown.text]);
    }
  });
});

test("users cannot change their own user limits, by session or by key", async () => {
  const [owner, admin, member] = [await asCaller("owner"), await asCaller("admin"), await asCaller("member")];
  const self = async (caller: object) => (await harness("/api/user/self", caller)).json.data;
  const limits = { rpm: 9, tpm: 8, concurrency: 7, budget: { monthly_usd: "6" } };
  const set = (id: string, version: number, fields: object, caller: object) =>
    harness(`/api/users/${id}`, { method: "PATCH", body: { ...fields, version }, ...caller });
  const mia = await self(member);
  expect((await set(mia.id, mia.version, limits, admin)).status).toBe(200);
  const limited = await self(member);
  expect(limited).toMatchObject({ rpm: 9, tpm: 8, concurrency: 7, budget: { monthly_usd: "6.000000000" } });
  const made = { name: "ops", operations: ["manage"] };
  const { key } = (await harness("/api/keys", { body: made, ...admin })).json.data;
  const ada = await self(admin);
  expect((await set(ada.id, ada.version, limits, owner)).status).toBe(200);
  const { version } = await self(admin);
  for (const [id, at, caller] of [
    [mia.id, limited.version, member],
    [ada.id, version, admin],
    [ada.id, version, { headers: { authorization: `Bearer ${key}` } }],
    [mia.id, limited.version, { headers: { authorization: `Bearer ${key}` } }],
  ] as const) {
    const reply = await set(id, at, { rpm: null }, caller);
    expect([reply.status, reply.json.code]).toEqual([403, "forbidden"]);
  }
  const own = { method: "PATCH", body: { rpm: null }, ...member };
  expect((await harness("/api/user/self", own)).status).toBe(400);
  expect([(await self(member)).rpm, (await self(admin)).rpm]).toEqual([9, 9]);
});

test("a demotion ends the user's sessions", async () => {
  const cookie = await signIn("ada");
  const { cookie: owner } = await asCaller("owner");
  const { version } = (await harness(`/api/users/${ids.ada}`, { cookie: owner })).json.data;
  const demote = { role: "member", version };
  expect(
    (await harness(`/api/users/${ids.ada}`, { method: "PATCH", body: demote, cookie: owner })).status,
  ).toBe(200);
  expect((await harness("/api/users", { cookie })).status).toBe(401);
  expect((await harness("/api/users", { cookie: await signIn("ada") })).status).toBe(403);
});
