import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, OWNER, type Product, setUp, startProduct } from "../../support/product";
import { postAtOnce, sendRaw } from "../../support/raw-request";
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
  { name: "setup", path: "/api/setup", good: { username: "second", password: OWNER.password } },
] as const;
type Endpoint = (typeof ENDPOINTS)[number];

const isConsole = (endpoint: Endpoint) => endpoint.path.startsWith("/api");
const headersFor = (endpoint: Endpoint): Record<string, string> => ({
  "content-type": "application/json",
  ...(isConsole(endpoint) ? {} : { authorization: `Bearer ${key}` }),
});

/** The valid body of an endpoint with one more member, given as raw text that JSON.stringify could not produce. */
const withMember = (endpoint: Endpoint, member: string) =>
  `${JSON.stringify(endpoint.good).slice(0, -1)},${member}}`;

const BODIES: [string, (endpoint: Endpoint) => string | Uint8Array][] = [
  ["an empty body", () => ""],
  ["an open brace", () => "{"],
  ["mismatched brackets", () => '{"a":[}'],
  ["null", () => "null"],
  ["a string", () => '"x"'],
  ["a number", () => "1"],
  ["an array", () => "[]"],
  ["a trailing comma", (endpoint) => `${JSON.stringify(endpoint.good).slice(0, -1)},}`],
  ["a byte order mark", (endpoint) => `\uFEFF${JSON.stringify(endpoint.good)}`],
  ["UTF-16", (endpoint) => Buffer.from(JSON.stringify(endpoint.good), "utf16le")],
  ["broken UTF-8", (endpoint) => Buffer.from(withMember(endpoint, '"z":"\xC3("'), "latin1")],
  ["two documents", (endpoint) => `${JSON.stringify(endpoint.good)}{}`],
  ["a duplicate key", (endpoint) => withMember(endpoint, '"z":1,"z":2')],
  ["65 arrays deep", (endpoint) => withMember(endpoint, `"z":${"[".repeat(65)}${"]".repeat(65)}`)],
  [
    "10,000 arrays deep",
    (endpoint) => withMember(endpoint, `"z":${"[".repeat(10_000)}${"]".repeat(10_000)}`),
  ],
  ["__proto__", (endpoint) => withMember(endpoint, '"__proto__":{"role":"admin"}')],
  ["a number beyond the largest", (endpoint) => withMember(endpoint, '"z":1e400')],
  ["a NUL in a string", (endpoint) => withMember(endpoint, '"z":"a\\u0000b"')],
  ["single quotes", () => "{'a':1}"],
  ["NaN", (endpoint) => withMember(endpoint, '"z":NaN')],
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

  /** Expects this status for a large body, and a server that still answers afterwards. */
  async function expectRejected(body: string, status: 400 | 413): Promise<void> {
    const reply = await postAtOnce(product.port, {
      path: endpoint.path,
      headers: headersFor(endpoint),
      body,
    });
    expect(reply.status, reply.body.slice(0, 300)).toBe(status);
    if (status === 413) expect(reply.body).toMatch(/body is larger than \d+ bytes/);
    const next = await sendRaw(product.url, { method: "GET", path: "/api/health/live" });
    expect(next.status).toBe(200);
  }

  test("rejects ten megabytes of brackets: 400 for their depth below the endpoint's body limit, 413 above it", () =>
    expectRejected("[".repeat(10_000_000), endpoint.name === "embeddings" ? 400 : 413));

  test("rejects an object of a hundred thousand members: 400 below the endpoint's body limit, 413 above it", () => {
    const members = Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join(",");
    return expectRejected(`{${members}}`, isConsole(endpoint) ? 413 : 400);
  });

  test.each([
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "text/plain",
  ])("answers 415 to content-type %s", async (type) => {
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers: { ...headersFor(endpoint), "content-type": type },
      body: JSON.stringify(endpoint.good),
    });
    expect(reply.status, reply.text).toBe(415);
  });

  test("answers 415 to a compressed body", async () => {
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers: { ...headersFor(endpoint), "content-encoding": "gzip" },
      body: JSON.stringify(endpoint.good),
    });
    expect(reply.status).toBe(415);
  });

  test("accepts a missing content-type only on the gateway", async () => {
    const { "content-type": _type, ...headers } = headersFor(endpoint);
    const reply = await sendRaw(product.url, {
      path: endpoint.path,
      headers,
      body: JSON.stringify(endpoint.good),
    });
    expect(reply.status).toBe(isConsole(endpoint) ? 415 : 200);
  });

  test.each(["GET", "PUT", "PATCH", "DELETE"])("answers 405 with Allow to %s", async (method) => {
    // GET /api/setup is a separate route.
    if (endpoint.path === "/api/setup" && method === "GET") return;
    const reply = await sendRaw(product.url, { method, path: endpoint.path, headers: headersFor(endpoint) });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toContain("POST");
  });

  test.each([
    ["a trailing slash", (path: string) => `${path}/`],
    ["a doubled slash", (path: string) => `/${path}`],
    ["upper case", (path: string) => path.replace(/^\/\w+/, (top) => top.toUpperCase())],
    ["a matrix parameter", (path: string) => `${path};x=1`],
  ])("answers 404 or redirects with 308 for a path with %s", async (_name, change) => {
    const reply = await sendRaw(product.url, {
      path: change(endpoint.path),
      headers: headersFor(endpoint),
      body: JSON.stringify(endpoint.good),
    });
    expect([404, 308]).toContain(reply.status);
  });
});
