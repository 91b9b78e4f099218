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

describe("authentication of embeddings", () => {
  const flip = (text: string) => `${text.slice(0, -1)}${text.endsWith("a") ? "b" : "a"}`;
  test.each([
    ["none", () => ({ authorization: "" })],
    ["Basic", () => ({ authorization: "Basic dXNlcjpwYXNz" })],
    ["two words", () => ({ authorization: "Bearer a b" })],
    ["8 KB", () => ({ authorization: `Bearer ${"a".repeat(8192)}` })],
    ["a high byte", () => ({ authorization: "Bearer \xff" })],
    ["a percent sign", () => ({ authorization: "Bearer %" })],
    ["SQL", () => ({ authorization: "Bearer x'; DROP TABLE keys;--" })],
    ["the last character flipped", () => ({ authorization: `Bearer ${flip(key)}` })],
    ["another letter case", () => ({ authorization: `Bearer ${key.toUpperCase()}` })],
    ["a session cookie's value", () => ({ authorization: `Bearer ${cookie.split("=")[1]?.slice(0, 500)}` })],
    ["a cookie without a key", () => ({ authorization: "", cookie })],
  ])("answers 401 to these credentials: %s", async (_name, headers) => {
    const before = digestStore(product.dataDirectory);
    const reply = await send(GOOD, headers());
    expect(reply.status, reply.text).toBe(401);
    expect(reply.headers["www-authenticate"]).toBe("Bearer");
    expect(reply.json).toMatchObject({
      error: { type: "authentication_error", code: "invalid_api_key", param: null },
    });
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test("accepts the Bearer scheme in lower case", async () => {
    expect((await send(GOOD, { authorization: `bearer ${key}` })).status).toBe(200);
  });

  test("ignores an API key in the query string", async () => {
    expect((await send(GOOD, { authorization: "" }, `${PATH}?key=${key}`)).status).toBe(401);
  });

  test("answers 403 to an address outside the key's list", async () => {
    const walled = await createKey(product.url, cookie, {
      name: "walled",
      allowed_addresses: ["203.0.113.0/24"],
    });
    const reply = await send(GOOD, { authorization: `Bearer ${walled}` });
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ error: { code: "ip_not_allowed" } });
  });

  test("answers 403 to a key that is only for speech", async () => {
    const narrow = await createKey(product.url, cookie, { name: "speech", operations: ["speech"] });
    expect((await send(GOOD, { authorization: `Bearer ${narrow}` })).status).toBe(403);
  });

  test("answers 429 insufficient_quota to a key with a budget of zero", async () => {
    const poor = await createKey(product.url, cookie, { name: "poor", budget: { total_usd: "0" } });
    const reply = await send(GOOD, { authorization: `Bearer ${poor}` });
    expect(reply.status, reply.text).toBe(429);
    expect(reply.json).toMatchObject({ error: { type: "insufficient_quota", code: "insufficient_quota" } });
  });
});

describe("embeddings paths", () => {
  test.each([
    ["a path traversal", "/v1/engines/..%2f..%2fadmin/embeddings", 404],
    ["a NUL", "/v1/engines/a%00b/embeddings", 400],
    ["129 characters", `/v1/engines/${"a".repeat(129)}/embeddings`, 400],
    ["an unknown model", "/v1/engines/nobody/embeddings", 404],
    ["an invalid percent-encoding", "/v1/engines/%ff/embeddings", 400],
  ])("rejects a path with %s", async (_name, path, status) => {
    const model = decodeURIComponent(path.split("/")[3]?.replace("%ff", "x") ?? "");
    const reply = await send({ ...GOOD, model }, {}, path);
    expect(reply.status, reply.text).toBe(status);
  });
});

describe("embeddings fields", () => {
  const tooLong = "word ".repeat(9000);
  test.each<[string, unknown]>([
    ["no model", { input: "x" }],
    ["a model other than the path's", { model: "patchbay-speech", input: "x" }],
    ["an empty model", { model: "", input: "x" }],
    ["a number for a model", { model: 7, input: "x" }],
    ["an array for a model", { model: ["patchbay-embed"], input: "x" }],
    ["null for a model", { model: null, input: "x" }],
    ["no input", { model: "patchbay-embed" }],
    ["an empty input", { ...GOOD, input: "" }],
    ["null", { ...GOOD, input: null }],
    ["a number as input", { ...GOOD, input: 4 }],
    ["a boolean as input", { ...GOOD, input: true }],
    ["an object as input", { ...GOOD, input: { text: "x" } }],
    ["an empty list of inputs", { ...GOOD, input: [] }],
    ["an empty list of ids", { ...GOOD, input: [[]] }],
    ["an id and a text", { ...GOOD, input: [1, "a"] }],
    ["an ID that is not an integer", { ...GOOD, input: [1.5] }],
    ["an id outside the vocabulary", { ...GOOD, input: [200_000] }],
    ["a negative id", { ...GOOD, input: [-1] }],
    ["2,049 inputs", { ...GOOD, input: Array.from({ length: 2049 }, () => "x") }],
    ["one of the inputs empty", { ...GOOD, input: ["a", ""] }],
    ["too many tokens", { ...GOOD, input: tooLong }],
    ["FLOAT", { ...GOOD, encoding_format: "FLOAT" }],
    ["an empty format", { ...GOOD, encoding_format: "" }],
    ["a list for a format", { ...GOOD, encoding_format: [] }],
    ["hex", { ...GOOD, encoding_format: "hex" }],
    ["zero dimensions", { ...GOOD, dimensions: 0 }],
    ["negative dimensions", { ...GOOD, dimensions: -5 }],
    ["fractional dimensions", { ...GOOD, dimensions: 1.5 }],
    ["dimensions as a string", { ...GOOD, dimensions: "256" }],
    ["a billion dimensions", { ...GOOD, dimensions: 1e9 }],
    ["2^31", { ...GOOD, dimensions: 2 ** 31 }],
    ["a stream", { ...GOOD, stream: true }],
    ["a user that is not a string", { ...GOOD, user: 5 }],
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

  test("answers too many tokens with the message that clients recognize", async () => {
    const reply = await send({ ...GOOD, input: tooLong });
    expect(reply.json).toMatchObject({
      error: { code: "context_length_exceeded", message: expect.stringContaining("maximum context length") },
    });
  });

  test.each<[string, unknown]>([
    ["one text in a list", ["a"]],
    ["token ids", [1, 2, 3]],
    ["white space", "   "],
  ])("accepts %s as input", async (_name, input) => {
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
  ])("ignores the field %s", async (field) => {
    const plain = await send(GOOD);
    const reply = await send({ ...GOOD, [field]: { url: "http://203.0.113.9:9/" } });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toEqual(plain.json);
  });
});
