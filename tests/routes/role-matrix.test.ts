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

type Caller = "owner" | "admin" | "member" | "anonymous" | "manageKey";
const CALLERS: readonly Caller[] = ["owner", "admin", "member", "anonymous", "manageKey"];

/** The callers with permission. All others get 401 without a session or key, else 403. */
const ALLOWED = {
  everyone: CALLERS,
  signedIn: ["owner", "admin", "member"],
  anyoneWithAccess: ["owner", "admin", "member", "manageKey"],
  administrators: ["owner", "admin", "manageKey"],
  signedInAdministrators: ["owner", "admin"],
  owner: ["owner"],
} as const satisfies Record<string, readonly Caller[]>;

interface Entry {
  allowed: keyof typeof ALLOWED;
  body?: object;
  query?: string;
  /** Status for callers with permission; by default 200. */
  status?: number;
  /** Exceptions by role. */
  exceptions?: Partial<Record<Caller, number>>;
  /** Those of UNKNOWN_FIELDS that this route accepts. */
  acceptedFields?: readonly string[];
}

/** By method and path. */
type Matrix = Record<string, Entry>;

/** No input changes what another line needs: most name an ID that does not exist. */
const OPEN: Matrix = {
  "GET /api/health/live": { allowed: "everyone" },
  "GET /api/health/ready": { allowed: "everyone" },
  "GET /api/status": { allowed: "everyone" },
  "GET /api/setup": { allowed: "everyone" },
  "POST /api/setup": { allowed: "everyone", status: 409 },
  "POST /api/user/login": { allowed: "everyone", status: 400 },
  "POST /api/user/login/2fa": { allowed: "everyone", body: { code: "123456" }, status: 401 },
  "POST /api/user/logout": { allowed: "everyone" },
  "POST /api/user/register": { allowed: "everyone", status: 404 },
  "POST /api/invites/inspect": { allowed: "everyone", body: { token: "none" }, status: 404 },
  "POST /api/invites/accept": { allowed: "everyone", status: 400 },
  "POST /api/password-resets/accept": { allowed: "everyone", status: 400 },
};

const OWN: Matrix = {
  "GET /api/setup/progress": { allowed: "signedIn", exceptions: { admin: 404, member: 404 } },
  "PATCH /api/setup/progress": { allowed: "signedIn", exceptions: { admin: 404, member: 404 } },
  "GET /api/user/2fa/status": { allowed: "signedIn" },
  "POST /api/user/2fa/setup": { allowed: "signedIn" },
  "POST /api/user/2fa/enable": { allowed: "signedIn", body: { code: "000000" }, status: 400 },
  "POST /api/user/2fa/disable": { allowed: "signedIn", body: { password: "x", code: "000000" }, status: 409 },
  "POST /api/user/2fa/backup_codes": {
    allowed: "signedIn",
    body: { password: "x", code: "000000" },
    status: 409,
  },
  "GET /api/user/self": { allowed: "signedIn" },
  "GET /api/user/budget": { allowed: "signedIn" },
  "PATCH /api/user/self": { allowed: "signedIn" },
  "POST /api/user/password": { allowed: "signedIn", status: 400 },
  "GET /api/user/sessions": { allowed: "signedIn" },
  "DELETE /api/user/sessions": { allowed: "signedIn" },
  "DELETE /api/user/sessions/{id}": { allowed: "signedIn", status: 404 },
  "POST /api/keys/playground": { allowed: "signedIn" },
  "POST /api/recordings/encode": { allowed: "signedIn", status: 415 },
  "GET /api/events": { allowed: "signedIn" },
  "GET /api/keys": { allowed: "anyoneWithAccess" },
  "POST /api/keys": { allowed: "anyoneWithAccess", body: { name: "robot" } },
  "GET /api/keys/{id}": { allowed: "anyoneWithAccess", status: 404 },
  "PATCH /api/keys/{id}": { allowed: "anyoneWithAccess", body: { version: 1 }, status: 404 },
  "DELETE /api/keys/{id}": { allowed: "anyoneWithAccess", status: 404 },
  "POST /api/keys/{id}/rotate": { allowed: "anyoneWithAccess", status: 404 },
  "GET /api/usage": { allowed: "anyoneWithAccess" },
  "GET /api/usage/summary": { allowed: "anyoneWithAccess" },
  "GET /api/usage/rejected": { allowed: "anyoneWithAccess" },
  "GET /api/usage/rejected/export": { allowed: "anyoneWithAccess" },
  "GET /api/usage/export": { allowed: "anyoneWithAccess" },
  "GET /api/usage/{id}": { allowed: "anyoneWithAccess", status: 404 },
  "GET /api/overview": {
    allowed: "anyoneWithAccess",
    query: "?from=2026-09-20T00:00:00Z&to=2026-09-21T00:00:00Z&interval=hour",
  },
};

const PEOPLE: Matrix = {
  "GET /api/users": { allowed: "signedInAdministrators" },
  "POST /api/users": {
    allowed: "signedInAdministrators",
    body: { username: "olivia", password: "twelve red foxes nap" },
    status: 409,
    acceptedFields: ["role"],
  },
  "GET /api/users/{id}": { allowed: "signedInAdministrators", status: 404 },
  "PATCH /api/users/{id}": {
    allowed: "signedInAdministrators",
    body: { version: 1 },
    status: 404,
    acceptedFields: ["role"],
  },
  "DELETE /api/users/{id}": { allowed: "signedInAdministrators", status: 404 },
  "POST /api/users/{id}/reset_2fa": { allowed: "signedInAdministrators", status: 404 },
  "POST /api/users/{id}/unlock": { allowed: "signedInAdministrators", status: 404 },
  "POST /api/users/{id}/password_reset": { allowed: "signedInAdministrators", status: 404 },
  "DELETE /api/users/{id}/sessions": { allowed: "signedInAdministrators", status: 404 },
  "GET /api/invites": { allowed: "signedInAdministrators" },
  "POST /api/invites": { allowed: "signedInAdministrators", acceptedFields: ["role"] },
  "DELETE /api/invites/{id}": { allowed: "signedInAdministrators", status: 404 },
  "GET /api/audit": { allowed: "signedInAdministrators" },
  "GET /api/audit/verify": { allowed: "signedInAdministrators" },
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
  "GET /api/instances": { allowed: "signedInAdministrators" },
  "GET /api/settings": { allowed: "signedInAdministrators" },
  "PATCH /api/settings": { allowed: "signedInAdministrators", body: { version: 0 }, status: 409 },
  "GET /api/settings/instance": { allowed: "signedInAdministrators" },
  "POST /api/settings/caches/clear": { allowed: "signedInAdministrators" },
  "POST /api/settings/metrics-token": { allowed: "owner", body: WRONG, status: 403 },
  "DELETE /api/settings/metrics-token": { allowed: "owner", status: 404 },
  "POST /api/settings/export": { allowed: "signedInAdministrators" },
  "POST /api/settings/import": { allowed: "signedInAdministrators", body: { dry_run: true, file: FILE } },
  "POST /api/settings/backup": { allowed: "owner", body: WRONG, status: 403 },
  "GET /api/alerts": { allowed: "signedInAdministrators" },
  "GET /api/alerts/summary": { allowed: "signedInAdministrators" },
  "POST /api/alerts/{id}/seen": { allowed: "signedInAdministrators", status: 404 },
  "POST /api/alerts/{id}/check": { allowed: "signedInAdministrators", status: 404 },
  "POST /api/alerts/{id}/snooze": { allowed: "signedInAdministrators", status: 404, body: { for: "1h" } },
  "POST /api/alerts/{id}/unsnooze": { allowed: "signedInAdministrators", status: 404 },
  "POST /api/alerts/webhook/secret": { allowed: "signedInAdministrators" },
  "POST /api/alerts/webhook/test": { allowed: "signedInAdministrators", status: 400 },
};

const CATALOGUE: Matrix = {
  "GET /api/voices": { allowed: "owner" },
  "POST /api/voices": { allowed: "owner", body: { name: "unknown" }, status: 404 },
  "DELETE /api/voices/{name}": { allowed: "owner", status: 404 },
  "DELETE /api/voices/{name}/installation": { allowed: "owner", status: 404 },
  "POST /api/voices/{name}/upload": { allowed: "owner", status: 415 },
  "POST /api/voices/{name}/verify": { allowed: "owner", status: 404 },
  "GET /api/channels": { allowed: "administrators" },
  "GET /api/channels/attempts": { allowed: "administrators" },
  "POST /api/channels": { allowed: "administrators", status: 400 },
  "GET /api/channels/{id}": { allowed: "administrators", status: 404 },
  "GET /api/channels/{id}/errors": { allowed: "administrators", status: 404 },
  "PATCH /api/channels/{id}": { allowed: "administrators", body: { version: 1 }, status: 404 },
  "DELETE /api/channels/{id}": { allowed: "administrators", status: 404 },
  "POST /api/channels/{id}/test": { allowed: "administrators", status: 404 },
  "POST /api/channels/{id}/models": { allowed: "administrators", status: 404 },
  "POST /api/channels/{id}/close": { allowed: "administrators", status: 404 },
  "POST /api/channels/order": { allowed: "administrators", status: 400 },
  "POST /api/channels/draft/models": { allowed: "administrators", status: 400 },
  "POST /api/channels/draft/test": { allowed: "administrators", status: 400 },
  "GET /api/providers": { allowed: "administrators" },
  "GET /api/upstreams/allowed": { allowed: "administrators" },
  "POST /api/upstreams/allowed": {
    allowed: "owner",
    body: { base_url: "http://127.0.0.1:9", ...WRONG },
    status: 403,
  },
  "DELETE /api/upstreams/allowed/{target}": { allowed: "owner", status: 404 },
  "GET /api/models": { allowed: "administrators" },
  "POST /api/models": { allowed: "administrators", status: 400 },
  "PATCH /api/models/{model}": { allowed: "administrators", body: { version: 1 }, status: 404 },
  "DELETE /api/models/{model}": { allowed: "administrators", status: 404 },
  "GET /api/models/{model}/route": { allowed: "administrators", status: 404 },
};

const MATRIX: Matrix = { ...OPEN, ...OWN, ...PEOPLE, ...INSTANCE, ...CATALOGUE };

const CONSOLE = ROUTES.filter((route): route is ConsoleRoute => route.surface === "console");
const nameOf = (route: Pick<Route, "method" | "path">) => `${route.method} ${route.path}`;
const LINES = CONSOLE.map((route) => [nameOf(route), route] as const);
const PASSWORD = "nine blue lanterns drift";
/** Codes of a missing permission, unlike those of a wrong password or code. */
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

/** The credentials of a caller. */
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
    case "anonymous":
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
    const { query = "", status = 200, exceptions = {} } = entry;
    const allowed: readonly Caller[] = ALLOWED[entry.allowed];
    for (const caller of CALLERS) {
      const reply = await harness(route.path.replaceAll(/\{\w+\}/g, "unknown") + query, {
        method: route.method,
        body: bodyOf(route, entry.body),
        ...(await asCaller(caller)),
      });
      const outcome = [caller, reply.status, reply.text];
      if (allowed.includes(caller)) {
        expect(outcome).toEqual([caller, exceptions[caller] ?? status, reply.text]);
        if (reply.status >= 400) expect(REFUSALS).not.toContain(reply.json.code);
      } else if (caller === "anonymous") {
        expect(outcome).toEqual([caller, 401, reply.text]);
        expect(/'manage'/.test(reply.json.message)).toBe(allowed.includes("manageKey"));
      } else {
        expect([...outcome, reply.json.code]).toEqual([caller, 403, reply.text, "forbidden"]);
      }
    }
  });
});

describe("the role is checked before the body", () => {
  const writes = LINES.filter(([, { method, body }]) => method !== "GET" && body !== undefined);

  test.each(writes)("by %s", async (name, route) => {
    const entry = MATRIX[name];
    const allowed: readonly Caller[] = entry === undefined ? CALLERS : ALLOWED[entry.allowed];
    const refused = CALLERS.filter((caller) => !allowed.includes(caller));
    for (const caller of refused) {
      const reply = await harness(route.path.replaceAll(/\{\w+\}/g, "unknown"), {
        method: route.method,
        body: { no_such_field: true },
        ...(await asCaller(caller)),
      });
      expect([caller, reply.status], reply.text).toEqual([caller, caller === "anonymous" ? 401 : 403]);
    }
  });
});

test("a management key reaches only the routes of keys, channels, models and usage", () => {
  const nouns = LINES.filter(
    ([, { auth }]) => auth === "sessionOrManageKey" || auth === "adminOrManageKey",
  ).map(([, { path }]) => path.split("/")[2]);
  expect([...new Set(nouns)].sort()).toEqual([
    "channels",
    "keys",
    "models",
    // Usage figures on one page.
    "overview",
    // The providers and addresses that channels can have.
    "providers",
    "upstreams",
    "usage",
  ]);
});

describe("unknown fields and fields that no role can set", () => {
  const UNKNOWN_FIELDS = ["id", "owner_id", "role", "spent", "is_admin", "__proto__x"];
  /** These answer before they validate fields, or take no JSON. */
  const OTHER_ERRORS = [
    "POST /api/setup",
    "POST /api/user/register",
    "POST /api/recordings/encode",
    "POST /api/voices/{name}/upload",
  ];
  const writes = LINES.filter(([name, route]) => route.method !== "GET" && !OTHER_ERRORS.includes(name));

  test.each(writes)("are refused by %s", async (name, route) => {
    const entry = MATRIX[name];
    const { cookie } = await asCaller("owner");
    for (const field of UNKNOWN_FIELDS.filter((one) => !entry?.acceptedFields?.includes(one))) {
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
  /** IDs of a key and a session of noor. */
  async function createKeyAndSession(): Promise<Record<string, string>> {
    const cookie = await signIn("noor");
    const key = await harness("/api/keys", { body: { name: "noor's" }, cookie });
    const sessions = await harness("/api/user/sessions", { cookie });
    return { key: key.json.data.id, session: sessions.json.data.items[0].id };
  }

  test("gets 404 for keys and sessions of others", async () => {
    const { key, session } = await createKeyAndSession();
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
