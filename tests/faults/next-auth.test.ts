import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../support/postgres";
import { OWNER, type Product, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";
import { openTcpGate } from "../support/tcp-gate";

/** next-auth's own endpoints, as any client reaches them. */
let product: Product;
let cookie: string;
beforeAll(async () => {
  product = await startProduct();
  cookie = await setUp(product.url);
});
afterAll(() => product?.close());

const JSON_HEADERS = { "content-type": "application/json" };
const get = (path: string, headers: Record<string, string> = {}) =>
  sendRaw(product.url, { method: "GET", path, headers });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  sendRaw(product.url, { path, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) });

async function csrf(): Promise<{ token: string; cookie: string }> {
  const reply = await get("/api/auth/csrf");
  const cookies = [reply.headers["set-cookie"] ?? []].flat().map((one) => one.split(";")[0]);
  // A reply in next-auth's own format.
  return { token: (reply.json as { csrfToken: string }).csrfToken, cookie: cookies.join("; ") };
}

test("returns the session only to its own cookie", async () => {
  expect((await get("/api/auth/session")).json).toEqual({});
  const session = (await get("/api/auth/session", { cookie })).json;
  expect(session).toMatchObject({ user: { name: OWNER.username } });
  expect(JSON.stringify(session)).not.toMatch(/password|sid|hash/i);
});

test("refuses a password at the credentials callback and starts no session", async () => {
  const { token, cookie: csrfCookie } = await csrf();
  const fields = new URLSearchParams({ ...OWNER, csrfToken: token, json: "true" });
  const reply = await sendRaw(product.url, {
    path: "/api/auth/callback/credentials",
    headers: { "content-type": "application/x-www-form-urlencoded", cookie: csrfCookie },
    body: fields.toString(),
  });
  expect(reply.status).toBe(401);
  expect(JSON.stringify(reply.headers["set-cookie"] ?? "")).not.toContain("session-token=ey");
});

test("changes no claim when a client updates the session", async () => {
  const { token, cookie: csrfCookie } = await csrf();
  const before = (await get("/api/auth/session", { cookie })).json as { user: object };
  const reply = await post(
    "/api/auth/session",
    { csrfToken: token, data: { twofa: true, role: "root", user: { role: "root" } } },
    { cookie: `${cookie}; ${csrfCookie}` },
  );
  expect(reply.text).not.toContain("root");
  const after = (await get("/api/auth/session", { cookie })).json as { user: object };
  expect(after.user).toEqual(before.user);
});

test("writes nothing to the log at next-auth's log endpoint", async () => {
  const marker = "marker-of-a-forged-line";
  const reply = await post("/api/auth/_log", { level: "error", code: marker, message: `x\n${marker}` });
  expect(reply.status).toBe(404);
  expect(product.output()).not.toContain(marker);
});

const hasNoBody = (method: string) => method === "GET" || method === "TRACE";

test.each(["csrf", "session", "providers", "signin"])(
  "answers HEAD of %s like GET, without a body",
  async (name) => {
    const [found, head] = await Promise.all(
      ["GET", "HEAD"].map((method) => sendRaw(product.url, { method, path: `/api/auth/${name}` })),
    );
    expect([head?.status, head?.text]).toEqual([found?.status, ""]);
    expect(head?.headers["content-type"]).toBe(found?.headers["content-type"]);
  },
);

test.each([
  ["GET", "callback/credentials", 404],
  ["POST", "callback/credentials", 401],
  ["GET", "signout", 405],
  ["POST", "csrf", 405],
  ["PUT", "session", 405],
  ["TRACE", "session", 405],
  ["PROPFIND", "signin", 405],
  ["GET", "error", 404],
  ["GET", "verify-request", 404],
  ["POST", "signin/credentials", 404],
  ["GET", "constructor", 404],
  ["POST", "session", 400],
])("answers %s %s with %i in the console's envelope", async (method, name, status) => {
  const reply = await sendRaw(product.url, {
    method,
    path: `/api/auth/${name}`,
    headers: hasNoBody(method) ? {} : JSON_HEADERS,
    ...(hasNoBody(method) ? {} : { body: "{}" }),
  });
  expect([reply.status, reply.json]).toEqual([status, expect.objectContaining({ success: false })]);
});

test.each(["{", "null", "[1]"])("answers a malformed body (%s) with a 4xx status", async (body) => {
  const reply = await sendRaw(product.url, {
    path: "/api/auth/callback/credentials",
    headers: JSON_HEADERS,
    body,
  });
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expect(reply.status).toBeLessThan(500);
});

test("gives no session to a forged cookie", async () => {
  const name = cookie.split("=")[0] ?? "";
  const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}..e30.e30.`;
  for (const value of [unsigned, "x".repeat(3_000), "%", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..a.b.c"])
    expect((await get("/api/user/self", { cookie: `${name}=${value}` })).status).toBe(401);
});

test("does not return an ended session, though its cookie still decrypts", async () => {
  const login = await post("/api/user/login", OWNER);
  const own = [login.headers["set-cookie"] ?? []]
    .flat()
    .map((one) => one.split(";")[0])
    .join("; ");
  expect((await get("/api/auth/session", { cookie: own })).json).toMatchObject({ user: {} });
  expect((await post("/api/user/logout", {}, { cookie: own })).status).toBe(200);
  expect((await get("/api/auth/session", { cookie: own })).json).toEqual({});
});

test("keeps the session's cookie while the store is unavailable", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const url = new URL(await postgres.createDatabase());
  const gate = await openTcpGate(Number(url.port));
  onTestFinished(() => gate.close());
  url.port = String(gate.port);
  const other = await startProduct({ env: { DATABASE_URL: url.href } });
  onTestFinished(async () => {
    gate.reopen();
    await other.close();
  });
  const own = await setUp(other.url);
  const session = () =>
    sendRaw(other.url, { method: "GET", path: "/api/auth/session", headers: { cookie: own } });
  expect((await session()).json).toMatchObject({ user: { name: OWNER.username } });
  gate.block();
  const reply = await session();
  expect([reply.status, reply.headers["set-cookie"]]).toEqual([503, undefined]);
});

describe("the return path of a sign-in", () => {
  const FOREIGN_TARGETS = [
    "https://evil",
    "//evil",
    "/\\evil",
    "/%2f%2fevil",
    "javascript:alert(1)",
    "data:text/html,x",
    "https:evil",
    "/@evil",
    "/..//evil",
    "%00//evil",
    "HTTPS://EVIL",
    "//[::1]",
  ];
  const COOKIE = /^next-auth\.callback-url=([^;]+)/;

  /** Where the browser goes, and where it would return to after the sign-in, as in the URL and the cookie. */
  async function destinations(target: string): Promise<URL[]> {
    const { status, headers } = await get(`/api/auth/signin?callbackUrl=${encodeURIComponent(target)}`);
    expect([status, headers.location]).toEqual([302, expect.any(String)]);
    const page = new URL(headers.location ?? "", product.url);
    const cookies = [headers["set-cookie"] ?? []].flat().flatMap((one) => COOKIE.exec(one)?.[1] ?? []);
    const returnPaths = [...page.searchParams.getAll("callbackUrl"), ...cookies.map(decodeURIComponent)];
    return [page, ...returnPaths.map((one) => new URL(one, product.url))];
  }

  test.each(FOREIGN_TARGETS)("is kept on this origin for %s", async (target) => {
    const [page, ...returns] = await destinations(target);
    expect(page?.pathname).toBe("/login");
    // next-auth refuses some targets itself, and then names none.
    expect(returns.length, String(page)).toBe(page?.searchParams.has("error") ? 0 : 2);
    for (const { host, pathname } of [page ?? expect.unreachable(), ...returns]) {
      expect(host).toMatch(/^(127\.0\.0\.1|localhost):\d+$/);
      expect(pathname).toMatch(/^\/(?![/\\])/);
    }
  });

  test("is the path of this origin that was asked for", async () => {
    const [, ...returns] = await destinations("/keys?page=2");
    expect(returns.map(({ pathname, search }) => pathname + search)).toEqual([
      "/keys?page=2",
      "/keys?page=2",
    ]);
  });
});
