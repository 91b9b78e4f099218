import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NextAlone, startNextAlone } from "../support/next-alone";
import { createKey, OWNER, type Product, setUp, startProduct } from "../support/product";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-request";

/** Pages of other sites that call the gateway through both adapters; settings changed by another process. */

const APP = "https://app.example.com";
const EMBED = "/v1/embeddings";

let product: Product;
let alone: NextAlone;
let dataDirectory: string;
let cookie: string;
let key: string;

beforeAll(async () => {
  dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-origins-"));
  product = await startProduct({ dataDirectory });
  cookie = await setUp(product.url);
  key = await createKey(product.url, cookie, { rpm: 1_000 });
  alone = await startNextAlone(dataDirectory);
});
afterAll(async () => {
  await alone?.close();
  await product?.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function change(settings: object): Promise<void> {
  const before = await sendRaw(product.url, {
    method: "GET",
    path: "/api/settings",
    headers: { cookie },
  });
  const reply = await sendRaw(product.url, {
    method: "PATCH",
    path: "/api/settings",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ ...settings, version: JSON.parse(before.text).data.version }),
  });
  expect(reply.status, reply.text).toBe(200);
}

const embed = (origin: string | null, more: Record<string, string> = {}): RawRequest => ({
  path: EMBED,
  headers: {
    "content-type": "application/json",
    authorization: `Bearer ${key}`,
    ...(origin === null ? {} : { origin }),
    ...more,
  },
  body: JSON.stringify({ model: "patchbay-embed", input: "lamp" }),
});
const preflight = (origin: string, target = EMBED): RawRequest => ({
  method: "OPTIONS",
  path: target,
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,x-stainless-lang",
  },
});

function crossHeaders({ headers }: RawReply): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")));
}
const varies = (reply: RawReply) => String(reply.headers.vary ?? "").toLowerCase();

const adapters = (): [string, string][] => [
  ["the Node adapter", product.url],
  ["the Next adapter", alone.url],
];

describe("without a listed origin", () => {
  test("no reply of either adapter allows an origin", async () => {
    for (const [adapter, url] of adapters()) {
      for (const request of [embed(APP), preflight(APP), embed(null)])
        expect([adapter, crossHeaders(await sendRaw(url, request))]).toEqual([adapter, {}]);
    }
  });
});

describe("a listed origin", () => {
  test("is allowed at once by the Node adapter and within 3 s by the Next adapter in another process", async () => {
    await change({ cors_origins: [APP, "http://localhost:5173"] });
    const seen = async (url: string) => crossHeaders(await sendRaw(url, embed(APP)));
    expect(await seen(product.url)).toHaveProperty("access-control-allow-origin", APP);
    await expect
      .poll(() => seen(alone.url), { timeout: 3_000 })
      .toHaveProperty("access-control-allow-origin", APP);
  });

  test("lets its pages read replies and their headers, from both adapters", async () => {
    for (const [adapter, url] of adapters()) {
      const reply = await sendRaw(url, embed(APP));
      expect([adapter, reply.status]).toEqual([adapter, 200]);
      expect(reply.headers["access-control-allow-origin"]).toBe(APP);
      expect(varies(reply)).toContain("origin");
      const exposed = String(reply.headers["access-control-expose-headers"]).split(", ");
      for (const name of ["x-request-id", "x-patchbay-channel", "x-ratelimit-remaining-requests"])
        expect(exposed).toContain(name);
      expect(reply.headers).not.toHaveProperty("access-control-allow-credentials");
    }
  });

  test("lets its pages read errors", async () => {
    for (const [adapter, url] of adapters()) {
      for (const request of [
        embed(APP, { authorization: "Bearer sk-pb-unknown" }),
        { ...embed(APP), path: "/v1/nowhere" },
        { ...embed(APP), path: "/v1beta/models/nobody:generateContent" },
      ]) {
        const reply = await sendRaw(url, request);
        expect(reply.status).toBeGreaterThanOrEqual(400);
        expect([adapter, reply.headers["access-control-allow-origin"]]).toEqual([adapter, APP]);
      }
    }
  });

  test("gets a preflight reply with the methods of the path and the requested headers", async () => {
    for (const [adapter, url] of adapters()) {
      const reply = await sendRaw(url, preflight(APP));
      expect([adapter, reply.status]).toEqual([adapter, 204]);
      expect(crossHeaders(reply)).toEqual({
        "access-control-allow-origin": APP,
        "access-control-allow-methods": "OPTIONS, POST",
        "access-control-allow-headers": "authorization,content-type,x-stainless-lang",
        "access-control-max-age": "600",
      });
      expect(varies(reply)).toContain("origin");
      const speech = await sendRaw(url, preflight(APP, "/v1beta/models/patchbay-speech:generateContent"));
      expect(speech.headers["access-control-allow-origin"]).toBe(APP);
    }
  });

  test.each([
    "https://app.example.com.evil.example",
    "http://app.example.com",
    "https://app.example.com:8443",
    "https://APP.example.com",
    "null",
    "*",
  ])("does not include %s", async (origin) => {
    for (const [adapter, url] of adapters()) {
      const [call, asked] = [await sendRaw(url, embed(origin)), await sendRaw(url, preflight(origin))];
      expect([adapter, crossHeaders(call), crossHeaders(asked)]).toEqual([adapter, {}, {}]);
      expect(varies(call)).toContain("origin");
    }
  });

  test("is not allowed on the console and the operator's paths", async () => {
    for (const [, url] of adapters()) {
      for (const target of ["/api/status", "/api/settings", "/openapi.json", "/metrics"]) {
        const reply = await sendRaw(url, { method: "GET", path: target, headers: { origin: APP, cookie } });
        expect([target, crossHeaders(reply)]).toEqual([target, {}]);
        const asked = await sendRaw(url, preflight(APP, target));
        expect([target, crossHeaders(asked)]).toEqual([target, {}]);
      }
    }
  });

  test("cannot call the gateway with a session cookie", async () => {
    const reply = await sendRaw(product.url, embed(APP, { cookie, authorization: "" }));
    expect(reply.status).toBe(401);
  });

  test("is no longer allowed from the first call after its removal", async () => {
    await change({ cors_origins: ["http://localhost:5173"] });
    expect(crossHeaders(await sendRaw(product.url, embed(APP)))).toEqual({});
  });
});

test("a changed limit applies at once in the same process and within 3 s in another", async () => {
  const large = {
    ...embed(null),
    body: JSON.stringify({ model: "patchbay-embed", input: "x".repeat(70_000) }),
  };
  const statuses = async () => [
    (await sendRaw(product.url, large)).status,
    (await sendRaw(alone.url, large)).status,
  ];
  const before = await statuses();
  expect(before).not.toContain(413);
  await change({ limits: { embeddingsBodyBytes: 65_536 } });
  expect((await sendRaw(product.url, large)).status).toBe(413);
  await expect.poll(async () => (await sendRaw(alone.url, large)).status, { timeout: 3_000 }).toBe(413);
  await change({ limits: {} });
  await expect.poll(statuses, { timeout: 3_000 }).toEqual(before);
});

test("metrics require the token from the console, until it is removed", async () => {
  const metrics = (authorization?: string) =>
    sendRaw(product.url, {
      method: "GET",
      path: "/metrics",
      headers: authorization === undefined ? {} : { authorization },
    });
  expect((await metrics()).status).toBe(200);
  const made = await sendRaw(product.url, {
    path: "/api/settings/metrics-token",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ password: OWNER.password }),
  });
  const { token } = (made.json as { data: { token: string } }).data;
  expect((await metrics()).status).toBe(401);
  expect((await metrics(`Bearer ${token}x`)).status).toBe(401);
  expect((await metrics(`Bearer ${token}`)).status).toBe(200);
  await sendRaw(product.url, { method: "DELETE", path: "/api/settings/metrics-token", headers: { cookie } });
  expect((await metrics()).status).toBe(200);
});
