import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../../support/product";
import { sendRaw } from "../../support/raw-request";
import { digestStore } from "../../support/store-dump";

let product: Product;
let cookie: string;
let key: string;

beforeAll(async () => {
  // The wrong-key limit has its own test; here one address sends many wrong keys.
  product = await startProduct({
    nodeAdapterOnly: true,
    env: { PATCHBAY_LIMITS: JSON.stringify({ wrongKeysPerMinute: 10_000 }) },
  });
  cookie = await setUp(product.url);
  key = await createKey(product.url, cookie);
});
afterAll(() => product?.close());

const PATH = "/v1/engines/patchbay-embed/embeddings";
const GOOD = { model: "patchbay-embed", input: "x" };

function send(body: unknown, headers: Record<string, string> = {}, path = PATH) {
  return sendRaw(product.url, {
    path,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
}

describe("credentials", () => {
  const flip = (text: string) => `${text.slice(0, -1)}${text.endsWith("a") ? "b" : "a"}`;
  test.each([
    ["N-070 none", () => ({ authorization: "" })],
    ["N-073 Basic", () => ({ authorization: "Basic dXNlcjpwYXNz" })],
    ["N-074 two words", () => ({ authorization: "Bearer a b" })],
    ["N-076 8 KB", () => ({ authorization: `Bearer ${"a".repeat(8192)}` })],
    ["N-077 a high byte", () => ({ authorization: "Bearer \xff" })],
    ["N-078 a lone percent", () => ({ authorization: "Bearer %" })],
    ["N-080 SQL", () => ({ authorization: "Bearer x'; DROP TABLE keys;--" })],
    ["N-081 the last character flipped", () => ({ authorization: `Bearer ${flip(key)}` })],
    ["N-082 another letter case", () => ({ authorization: `Bearer ${key.toUpperCase()}` })],
    [
      "N-084 a session cookie's value",
      () => ({ authorization: `Bearer ${cookie.split("=")[1]?.slice(0, 500)}` }),
    ],
    ["N-093 a cookie without a key", () => ({ authorization: "", cookie })],
  ])("%s: 401", async (_name, headers) => {
    const before = digestStore(product.dataDirectory);
    const reply = await send(GOOD, headers());
    expect(reply.status, reply.text).toBe(401);
    expect(reply.headers["www-authenticate"]).toBe("Bearer");
    expect(reply.json).toMatchObject({
      error: { type: "authentication_error", code: "invalid_api_key", param: null },
    });
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test("N-072 accepts the scheme in any case", async () => {
    expect((await send(GOOD, { authorization: `bearer ${key}` })).status).toBe(200);
  });

  test("N-092 ignores a key in the query", async () => {
    expect((await send(GOOD, { authorization: "" }, `${PATH}?key=${key}`)).status).toBe(401);
  });

  test("N-089 answers 403 to an address outside the key's list", async () => {
    const walled = await createKey(product.url, cookie, {
      name: "walled",
      allowed_addresses: ["203.0.113.0/24"],
    });
    const reply = await send(GOOD, { authorization: `Bearer ${walled}` });
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ error: { code: "ip_not_allowed" } });
  });

  test("N-090 answers 403 to a key that is only for speech", async () => {
    const narrow = await createKey(product.url, cookie, { name: "speech", operations: ["speech"] });
    expect((await send(GOOD, { authorization: `Bearer ${narrow}` })).status).toBe(403);
  });

  test("N-125 answers 429 insufficient_quota to a budget of zero", async () => {
    const poor = await createKey(product.url, cookie, { name: "poor", budget: { total_usd: "0" } });
    const reply = await send(GOOD, { authorization: `Bearer ${poor}` });
    expect(reply.status, reply.text).toBe(429);
    expect(reply.json).toMatchObject({ error: { type: "insufficient_quota", code: "insufficient_quota" } });
  });
});

describe("paths", () => {
  test.each([
    ["N-097 a path traversal", "/v1/engines/..%2f..%2fadmin/embeddings", 404],
    ["N-098 a NUL", "/v1/engines/a%00b/embeddings", 400],
    ["N-100 129 characters", `/v1/engines/${"a".repeat(129)}/embeddings`, 400],
    ["N-102 an unknown model", "/v1/engines/nobody/embeddings", 404],
    ["N-048 a percent that decodes to nothing", "/v1/engines/%ff/embeddings", 400],
  ])("%s", async (_name, path, status) => {
    const model = decodeURIComponent(path.split("/")[3]?.replace("%ff", "x") ?? "");
    const reply = await send({ ...GOOD, model }, {}, path);
    expect(reply.status, reply.text).toBe(status);
  });
});

describe("fields", () => {
  const tooLong = "word ".repeat(9000);
  test.each<[string, unknown]>([
    ["N-094 no model", { input: "x" }],
    ["N-095 a model other than the path's", { model: "patchbay-speech", input: "x" }],
    ["N-096 an empty model", { model: "", input: "x" }],
    ["N-096 a number for a model", { model: 7, input: "x" }],
    ["N-096 an array for a model", { model: ["patchbay-embed"], input: "x" }],
    ["N-096 null for a model", { model: null, input: "x" }],
    ["N-103 no input", { model: "patchbay-embed" }],
    ["N-104 an empty input", { ...GOOD, input: "" }],
    ["N-105 null", { ...GOOD, input: null }],
    ["N-105 a number", { ...GOOD, input: 4 }],
    ["N-105 a boolean", { ...GOOD, input: true }],
    ["N-105 an object", { ...GOOD, input: { text: "x" } }],
    ["N-107 no inputs", { ...GOOD, input: [] }],
    ["N-108 an empty list of ids", { ...GOOD, input: [[]] }],
    ["N-109 an id and a text", { ...GOOD, input: [1, "a"] }],
    ["N-109 an ID that is not an integer", { ...GOOD, input: [1.5] }],
    ["N-109 an id outside the vocabulary", { ...GOOD, input: [200_000] }],
    ["N-109 a negative id", { ...GOOD, input: [-1] }],
    ["N-110 2,049 inputs", { ...GOOD, input: Array.from({ length: 2049 }, () => "x") }],
    ["N-111 one of the inputs empty", { ...GOOD, input: ["a", ""] }],
    ["N-111 too many tokens", { ...GOOD, input: tooLong }],
    ["N-113 FLOAT", { ...GOOD, encoding_format: "FLOAT" }],
    ["N-113 an empty format", { ...GOOD, encoding_format: "" }],
    ["N-113 a list for a format", { ...GOOD, encoding_format: [] }],
    ["N-113 hex", { ...GOOD, encoding_format: "hex" }],
    ["N-114 no dimensions at all", { ...GOOD, dimensions: 0 }],
    ["N-115 negative dimensions", { ...GOOD, dimensions: -5 }],
    ["N-116 fractional dimensions", { ...GOOD, dimensions: 1.5 }],
    ["N-117 dimensions in quotes", { ...GOOD, dimensions: "256" }],
    ["N-118 a billion dimensions", { ...GOOD, dimensions: 1e9 }],
    ["N-120 2^31", { ...GOOD, dimensions: 2 ** 31 }],
    ["N-122 a stream", { ...GOOD, stream: true }],
    ["N-123 a user that is not a string", { ...GOOD, user: 5 }],
  ])("answers 400 to %s without changing the store", async (_name, body) => {
    const before = digestStore(product.dataDirectory);
    const reply = await send(body);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({
      error: { type: "invalid_request_error", message: expect.any(String) },
    });
    expect(Object.keys((reply.json as { error: object }).error).sort()).toEqual([
      "code",
      "message",
      "param",
      "type",
    ]);
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test("answers too many tokens with the message that clients look for", async () => {
    const reply = await send({ ...GOOD, input: tooLong });
    expect(reply.json).toMatchObject({
      error: { code: "context_length_exceeded", message: expect.stringContaining("maximum context length") },
    });
  });

  test.each<[string, unknown]>([
    ["N-106 one text in a list", ["a"]],
    ["N-106 token ids", [1, 2, 3]],
    ["N-112 white space", "   "],
  ])("%s: 200", async (_name, input) => {
    expect((await send({ ...GOOD, input })).status).toBe(200);
  });

  test("treats a null format as absent", async () => {
    const reply = await send({ ...GOOD, encoding_format: null });
    expect(reply.json).toMatchObject({ data: [{ embedding: expect.any(Array) }] });
  });

  test.each([
    "api_base",
    "base_url",
    "api_key",
    "api_version",
    "organization",
    "headers",
    "extra_headers",
    "extra_body",
    "proxy",
    "timeout",
    "custom_llm_provider",
    "azure_endpoint",
    "aws_endpoint_url",
    "vertex_project",
    "mock_response",
    "callbacks",
    "metadata",
    "litellm_params",
    "model_list",
    "fallbacks",
  ])("N-121 drops %s", async (field) => {
    const plain = await send(GOOD);
    const reply = await send({ ...GOOD, [field]: { url: "http://203.0.113.9:9/" } });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toEqual(plain.json);
  });
});
