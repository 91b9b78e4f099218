import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, OWNER, type Product, setUp, startProduct } from "../../support/product";
import { sendRaw } from "../../support/raw-request";
import { digestStore } from "../../support/store-dump";

/** Bodies that are rejected before any field is checked, sent to each of the four endpoints. */

let product: Product;
let key: string;

beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
  key = await createKey(product.url, await setUp(product.url));
});
afterAll(() => product?.close());

const ENDPOINTS = [
  {
    name: "embeddings",
    path: "/v1/engines/patchbay-embed/embeddings",
    good: { model: "patchbay-embed", input: "x" },
  },
  {
    name: "generateContent",
    path: "/v1beta/models/patchbay-speech:generateContent",
    good: { contents: [{ parts: [{ text: "x" }] }], generationConfig: { responseModalities: ["AUDIO"] } },
  },
  { name: "two-factor sign-in", path: "/api/user/login/2fa", good: { code: "123456", flow_token: "x" } },
  { name: "set-up", path: "/api/setup", good: { username: "second", password: OWNER.password } },
] as const;
type Endpoint = (typeof ENDPOINTS)[number];

const isConsole = (endpoint: Endpoint) => endpoint.path.startsWith("/api");
const headersFor = (endpoint: Endpoint): Record<string, string> => ({
  "content-type": "application/json",
  ...(isConsole(endpoint) ? {} : { authorization: `Bearer ${key}` }),
});

/** Each valid body with one more member as raw text, which JSON.stringify could not produce. */
const withMember = (endpoint: Endpoint, member: string) =>
  `${JSON.stringify(endpoint.good).slice(0, -1)},${member}}`;

const BODIES: [string, (endpoint: Endpoint) => string | Uint8Array][] = [
  ["N-001 an empty body", () => ""],
  ["N-002 an open brace", () => "{"],
  ["N-003 mismatched brackets", () => '{"a":[}'],
  ["N-004 null", () => "null"],
  ["N-005 a string", () => '"x"'],
  ["N-006 a number", () => "1"],
  ["N-007 an array", () => "[]"],
  ["N-008 a trailing comma", (endpoint) => `${JSON.stringify(endpoint.good).slice(0, -1)},}`],
  ["N-009 a byte order mark", (endpoint) => `\uFEFF${JSON.stringify(endpoint.good)}`],
  ["N-010 UTF-16", (endpoint) => Buffer.from(JSON.stringify(endpoint.good), "utf16le")],
  ["N-011 broken UTF-8", (endpoint) => Buffer.from(withMember(endpoint, '"z":"\xC3("'), "latin1")],
  ["N-012 two documents", (endpoint) => `${JSON.stringify(endpoint.good)}{}`],
  ["N-013 a duplicate key", (endpoint) => withMember(endpoint, '"z":1,"z":2')],
  ["N-014 65 arrays deep", (endpoint) => withMember(endpoint, `"z":${"[".repeat(65)}${"]".repeat(65)}`)],
  [
    "N-015 10,000 arrays deep",
    (endpoint) => withMember(endpoint, `"z":${"[".repeat(10_000)}${"]".repeat(10_000)}`),
  ],
  ["N-018 __proto__", (endpoint) => withMember(endpoint, '"__proto__":{"role":"admin"}')],
  ["N-020 a number beyond the largest", (endpoint) => withMember(endpoint, '"z":1e400')],
  ["N-024 a NUL in a string", (endpoint) => withMember(endpoint, '"z":"a\\u0000b"')],
  ["N-028 single quotes", () => "{'a':1}"],
  ["N-029 NaN", (endpoint) => withMember(endpoint, '"z":NaN')],
];

describe.each(ENDPOINTS)("$name", (endpoint) => {
  test.each(BODIES)("answers 400 to %s without changing the store", async (_name, make) => {
    const before = digestStore(product.dataDirectory);
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers: headersFor(endpoint),
      body: make(endpoint),
    });
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toBeTypeOf("object");
    expect(reply.headers["x-request-id"]).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test("answers 413, or 400 by depth, to ten megabytes of brackets", async () => {
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers: headersFor(endpoint),
      body: "[".repeat(10_000_000),
    }).catch(() => ({ status: 413 }));
    expect(reply.status).toBe(endpoint.name === "embeddings" ? 400 : 413);
  });

  test("answers 400 to a hundred thousand keys, or 413 where that is too large", async () => {
    const members = Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join(",");
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers: headersFor(endpoint),
      body: `{${members}}`,
    }).catch(() => ({ status: 413 }));
    expect(reply.status).toBe(isConsole(endpoint) ? 413 : 400);
  });

  test.each([
    ["N-028", "application/x-www-form-urlencoded"],
    ["N-029", "multipart/form-data; boundary=x"],
    ["N-030", "application/json; charset=utf-16"],
    ["N-031", "text/plain"],
  ])("%s answers 415 to content-type %s", async (_id, type) => {
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers: { ...headersFor(endpoint), "content-type": type },
      body: JSON.stringify(endpoint.good),
    });
    expect(reply.status, reply.text).toBe(415);
  });

  test("N-032 answers 415 to a compressed body", async () => {
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers: { ...headersFor(endpoint), "content-encoding": "gzip" },
      body: JSON.stringify(endpoint.good),
    });
    expect(reply.status).toBe(415);
  });

  test("N-026 accepts a missing content-type only on the gateway", async () => {
    const { "content-type": _type, ...headers } = headersFor(endpoint);
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers,
      body: JSON.stringify(endpoint.good),
    });
    expect(reply.status).toBe(isConsole(endpoint) ? 415 : 200);
  });

  test.each(["GET", "PUT", "PATCH", "DELETE"])("N-037 answers 405 with Allow to %s", async (method) => {
    // GET /api/setup is a separate route.
    if (endpoint.path === "/api/setup" && method === "GET") return;
    const reply = await sendRaw(product.url, { method, path: endpoint.path, headers: headersFor(endpoint) });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toContain("POST");
  });

  test.each([
    ["N-040 a trailing slash", (path: string) => `${path}/`],
    ["N-041 a doubled slash", (path: string) => `/${path}`],
    ["N-042 upper case", (path: string) => path.replace(/^\/\w+/, (top) => top.toUpperCase())],
    ["N-044 a matrix parameter", (path: string) => `${path};x=1`],
  ])("answers 404 to %s", async (_name, change) => {
    const reply = await sendRaw(product.url, {
      path: change(endpoint.path),
      headers: headersFor(endpoint),
      body: JSON.stringify(endpoint.good),
    });
    expect([404, 308]).toContain(reply.status);
  });
});
