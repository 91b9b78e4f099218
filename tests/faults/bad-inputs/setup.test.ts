import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { OWNER, type Product, setUp, startProduct } from "../../support/product";
import { sendRaw } from "../../support/raw-request";
import { digestStore } from "../../support/store-dump";

let product: Product;
// Rate limits of sign-in have their own tests.
const env = { PATCHBAY_LIMITS: JSON.stringify({ loginAttemptsPerMinute: 10_000 }) };
const start = async () => {
  product = await startProduct({ nodeAdapterOnly: true, env });
};
const stop = () => product?.close();

const GOOD = { ...OWNER, confirmPassword: OWNER.password };
function post(body: unknown, headers: Record<string, string> = {}, path = "/api/setup") {
  return sendRaw(product.url, {
    path,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

describe("before setup", () => {
  // None of these tests sets the instance up.
  beforeAll(start);
  afterAll(stop);

  test("answers 400 to each invalid field with its name, and creates nothing", async () => {
    const before = digestStore(product.dataDirectory);
    const cases: [string, object][] = [
      ["password", { ...GOOD, password: "short", confirmPassword: "short" }],
      ["password", { ...GOOD, password: "password123", confirmPassword: "password123" }],
      [
        "password",
        { ...GOOD, username: "longenough", password: "longenough", confirmPassword: "longenough" },
      ],
      ["password", { ...GOOD, password: "x".repeat(1025), confirmPassword: "x".repeat(1025) }],
      ["confirmPassword", { ...GOOD, confirmPassword: "another thing entirely" }],
      ["username", { ...GOOD, username: "" }],
      ["username", { ...GOOD, username: "a b" }],
      ["username", { ...GOOD, username: "a".repeat(65) }],
      ["username", { ...GOOD, username: ["olivia"] }],
      ["email", { ...GOOD, email: "not an address" }],
    ];
    for (const [path, body] of cases) {
      const reply = await post(body);
      expect(reply.status, `${JSON.stringify(body).slice(0, 80)} ${reply.text}`).toBe(400);
      expect(reply.json).toMatchObject({
        success: false,
        code: "invalid",
        issues: expect.arrayContaining([expect.objectContaining({ path })]),
      });
    }
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test.each(["role", "id", "quota", "is_admin"])("answers 400 to the extra field %s", async (field) => {
    expect((await post({ ...GOOD, [field]: 1 })).status).toBe(400);
  });

  test.each<[string, Record<string, string>, number]>([
    ["a forwarding header", { "x-forwarded-for": "1.2.3.4" }, 401],
    ["a Via header", { via: "1.1 proxy" }, 401],
    ["another Host", { host: "evil.example" }, 401],
    ["another site's page", { origin: "http://evil.example", "sec-fetch-site": "cross-site" }, 403],
    ["another Origin without Sec-Fetch-Site", { origin: "http://evil.example" }, 403],
    ["the Origin null", { origin: "null" }, 403],
  ])("refuses a request with %s, and changes nothing", async (_name, headers, status) => {
    const before = digestStore(product.dataDirectory);
    const reply = await post(GOOD, headers);
    expect(reply.status, reply.text).toBe(status);
    if (status === 401) expect(reply.json).toMatchObject({ code: "setup_token_required" });
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test("the gateway and sign-in answer 503 not_initialized", async () => {
    const login = await post(OWNER, {}, "/api/user/login");
    expect(login.status).toBe(503);
    expect(login.json).toMatchObject({ code: "not_initialized" });
    const embed = await post({ model: "patchbay-embed", input: "x" }, {}, "/v1/embeddings");
    expect(embed.status).toBe(503);
    expect(embed.json).toMatchObject({ error: { code: "not_initialized" } });
    const speak = await post({}, {}, "/v1beta/models/patchbay-speech:generateContent");
    expect(speak.status).toBe(503);
    expect(speak.json).toMatchObject({ error: { status: "UNAVAILABLE" } });
  });
});

describe("the first setup", () => {
  beforeEach(start);
  afterEach(stop);

  test("through a proxy requires the setup token, which is accepted only in the body", async () => {
    const token = /#token=([\w-]+)/.exec(product.output())?.[1] ?? "";
    expect(token.length).toBeGreaterThanOrEqual(43);
    const elsewhere = { "x-forwarded-for": "1.2.3.4" };
    expect((await post(GOOD, elsewhere, `/api/setup?setup_token=${token}`)).status).toBe(401);
    expect((await post({ ...GOOD, setup_token: `${token}x` }, elsewhere)).status).toBe(401);
    expect((await post({ ...GOOD, setup_token: token }, elsewhere)).status).toBe(200);
  });

  test("accepts one of fifty concurrent setups and answers 409 to the others", async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => post({ ...GOOD, username: `owner${i}` })),
    );
    const statuses = replies.map((reply) => reply.status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 409)]);
  });
});

describe("after setup", () => {
  beforeAll(async () => {
    await start();
    await setUp(product.url);
  });
  afterAll(stop);

  test("answers 409 with the same text to every later call, valid or not", async () => {
    const before = digestStore(product.dataDirectory);
    const [one, two] = [await post(GOOD), await post({ nonsense: true })];
    expect([one.status, two.status]).toEqual([409, 409]);
    expect(one.text.replace(/"request_id":"[^"]*"/, "")).toBe(two.text.replace(/"request_id":"[^"]*"/, ""));
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test("GET /api/setup returns only `status`", async () => {
    const reply = await sendRaw(product.url, { method: "GET", path: "/api/setup" });
    expect(reply.json).toEqual({ success: true, message: "", data: { status: true } });
  });
});
