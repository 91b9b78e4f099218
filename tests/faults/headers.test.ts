import { readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { type RawReply, sendRaw } from "../support/raw-request";
import { ROOT } from "../support/sources";

/** Security headers of replies, by kind of path. */

const HTML = { accept: "text/html" };
let product: Product;
let secure: Product;
let key: string;

beforeAll(async () => {
  [product, secure] = await Promise.all([
    startProduct(),
    startProduct({ env: { PATCHBAY_BASE_URL: "https://patchbay.example" } }),
  ]);
  key = await createKey(product.url, await setUp(product.url));
});
afterAll(async () => {
  await Promise.all([product?.close(), secure?.close()]);
});

const script = () => {
  const folder = path.join(ROOT, ".next/static/chunks");
  const file = readdirSync(folder).find((name) => name.endsWith(".js"));
  return `/_next/static/chunks/${file}`;
};

/** One path of each kind. */
const KINDS: Record<
  string,
  () => { method?: string; path: string; headers?: Record<string, string>; body?: string }
> = {
  "console reply": () => ({ method: "GET", path: "/api/status" }),
  "console error": () => ({ method: "GET", path: "/api/keys" }),
  "gateway reply": () => ({ method: "GET", path: "/v1/models", headers: { authorization: `Bearer ${key}` } }),
  "gateway error": () => ({ method: "GET", path: "/v1beta/models" }),
  speech: () => ({
    path: "/v1/audio/speech",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "patchbay-speech", input: "Hi.", voice: "alloy", response_format: "wav" }),
  }),
  metrics: () => ({ method: "GET", path: "/metrics" }),
  "OpenAPI document": () => ({ method: "GET", path: "/openapi.json" }),
  "unknown address": () => ({ method: "GET", path: "/nowhere" }),
  "refused head": () => ({ method: "GET", path: "/%ff" }),
  page: () => ({ method: "GET", path: "/login", headers: HTML }),
  "unknown page": () => ({ method: "GET", path: "/nowhere", headers: HTML }),
  "page that redirects": () => ({ method: "GET", path: "/playground/speech", headers: HTML }),
  script: () => ({ method: "GET", path: script() }),
  icon: () => ({ method: "GET", path: "/icon.svg" }),
  "next-auth's session": () => ({ method: "GET", path: "/api/auth/session" }),
};

const SECURITY_HEADERS = [
  "cache-control",
  "content-security-policy",
  "content-type",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "referrer-policy",
  "strict-transport-security",
  "x-content-type-options",
  "x-frame-options",
];

function securityHeaders(reply: RawReply): Record<string, unknown> {
  return Object.fromEntries(
    SECURITY_HEADERS.filter((name) => reply.headers[name] !== undefined).map((name) => [
      name,
      String(reply.headers[name]).replace(/'nonce-[^']+'/, "'nonce-…'"),
    ]),
  );
}

const DATA = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "content-type": "application/json; charset=utf-8",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const PAGE = {
  "cache-control": "private, no-cache, no-store, max-age=0, must-revalidate",
  "content-security-policy":
    "default-src 'self'; script-src 'self' 'nonce-…' 'strict-dynamic'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; worker-src 'self' blob:; connect-src 'self'; font-src 'self'; form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "content-type": "text/html; charset=utf-8",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
const EXPECTED: Record<keyof typeof KINDS, [number, Record<string, unknown>]> = {
  "console reply": [200, DATA],
  "console error": [401, DATA],
  "gateway reply": [200, DATA],
  "gateway error": [401, DATA],
  speech: [200, { ...DATA, "content-type": "audio/wav" }],
  metrics: [200, { ...DATA, "content-type": expect.stringMatching(/^text\/plain/) }],
  "OpenAPI document": [200, DATA],
  "unknown address": [404, DATA],
  "refused head": [400, DATA],
  page: [200, PAGE],
  "unknown page": [404, PAGE],
  "page that redirects": [307, { ...PAGE, "content-type": "text/html; charset=utf-8" }],
  script: [
    200,
    {
      ...PAGE,
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": expect.stringMatching(/javascript/),
    },
  ],
  icon: [
    200,
    { ...PAGE, "cache-control": expect.stringMatching(/^public/), "content-type": "image/svg+xml" },
  ],
  "next-auth's session": [
    200,
    { ...PAGE, "cache-control": "no-store", "content-type": expect.stringMatching(/^application\/json/) },
  ],
};

describe.each(Object.keys(KINDS))("%s", (kind) => {
  const ask = (url: string) => sendRaw(url, KINDS[kind]?.() ?? { path: "/" });

  test("has the security headers of its kind of path", async () => {
    const [status, headers] = EXPECTED[kind] ?? [0, {}];
    const reply = await ask(product.url);
    expect(reply.status, reply.text.slice(0, 200)).toBe(status);
    expect(securityHeaders(reply)).toEqual(headers);
  });

  test("has no product name or version, and allows no other origin", async () => {
    const { headers } = await ask(product.url);
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(headers.server).toBeUndefined();
    expect(Object.keys(headers).filter((name) => /^access-control|^x-middleware/.test(name))).toEqual([]);
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("has an HSTS header if PATCHBAY_BASE_URL is an HTTPS URL", async () => {
    const reply = await ask(secure.url);
    expect(reply.headers["strict-transport-security"]).toMatch(/^max-age=(?:6307|3153)\d{4}$/);
  });
});

describe("a page's scripts", () => {
  const nonceOf = (reply: RawReply) =>
    /'nonce-([^']+)'/.exec(String(reply.headers["content-security-policy"]))?.[1] ?? "";

  test("all have the nonce of the reply's Content-Security-Policy", async () => {
    const reply = await sendRaw(product.url, { method: "GET", path: "/login", headers: HTML });
    const nonce = nonceOf(reply);
    expect(Buffer.from(nonce, "base64").length).toBeGreaterThanOrEqual(16);
    const scripts = reply.text.match(/<script[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(2);
    expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
    expect(reply.text).not.toMatch(/\son\w+="/);
  });

  test("never run with a reused nonce or one from the caller", async () => {
    const chosen = { ...HTML, "content-security-policy": "script-src 'nonce-mine'", "x-nonce": "mine" };
    const replies = await Promise.all(
      [HTML, HTML, chosen].map((headers) => sendRaw(product.url, { method: "GET", path: "/login", headers })),
    );
    expect(new Set(replies.map(nonceOf)).size).toBe(3);
    expect(replies[2]?.text).not.toContain('nonce="mine"');
  });
});

test("next-auth's _log endpoint writes nothing to the log", async () => {
  const before = product.output();
  const reply = await sendRaw(product.url, {
    path: "/api/auth/_log",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ level: "error", code: "forged-line", message: "forged\nline" }),
  });
  expect([204, 404]).toContain(reply.status);
  expect(product.output().slice(before.length)).not.toContain("forged");
});
