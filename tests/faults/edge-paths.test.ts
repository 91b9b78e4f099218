import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, type Surface } from "../support/expect-error";
import { type Product, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";

/** Unknown paths, methods and headers: answered in the surface's JSON, never by a page of Next. */

let product: Product;

beforeAll(async () => {
  product = await startProduct();
  await setUp(product.url);
  // Serves a first page, because Next adds an Upgrade handler to its server then.
  await sendRaw(product.url, { method: "GET", path: "/login", headers: { accept: "text/html" } });
});
afterAll(() => product?.close());

describe("paths and methods", () => {
  test.each<[Surface, string, number]>([
    ["console", "/%ff", 400],
    ["console", "/%", 400],
    ["openai", "/v1/%ff", 400],
    ["gemini", "/v1beta/models/%E0%A4%A", 400],
    ["console", "/api/%c0%af", 400],
    ["console", "/api/nowhere", 404],
    ["console", "/api", 404],
    ["console", "/api/", 404],
    ["openai", "/v1", 404],
    ["openai", "/v1/", 404],
    ["openai", "/v1/nowhere", 404],
    ["openai", "/v1/models/", 404],
    ["gemini", "/v1beta", 404],
    ["gemini", "/v1beta/nowhere", 404],
    ["console", "//api/setup", 404],
    ["console", "//evil.example/%2e%2e", 404],
    ["console", "/API/setup", 404],
    ["console", "/Api/Setup", 404],
    ["console", "/%61pi/setup", 404],
    ["console", "/api/setup;x=1", 404],
    ["console", "/api;x/setup", 404],
    ["console", "/api/setup.rsc", 404],
    ["console", "/api/setup.json", 404],
    ["console", "/api/setup.segments/_tree.segment.rsc", 404],
    ["console", "/api.rsc", 404],
    ["console", "/api/setup/", 404],
    ["console", "/api/setup%2f", 404],
    ["console", "/api/auth//session", 404],
    ["console", "/api/auth/session/", 404],
    ["console", "/api/auth/session//", 404],
    ["console", "/api/auth/session;x", 404],
    ["console", "/api/auth/", 404],
    ["console", "/api%2fsetup", 404],
    ["console", "/nowhere", 404],
    ["console", "/.env", 404],
    ["console", "/.git/config", 404],
    ["console", "/wp-login.php", 404],
    ["console", "/login/../nowhere", 404],
    ["console", "/_next/../../package.json", 404],
    ["console", "/_next/static/..%2f..%2f..%2fpackage.json", 404],
    ["console", "/_next/nowhere", 404],
    ["console", "/_next/image?url=http://169.254.169.254/&w=64&q=1", 404],
    ["console", "/metrics/", 404],
  ])("the %s surface answers GET %s with %i in JSON", async (surface, path, status) => {
    expectError(await sendRaw(product.url, { method: "GET", path }), surface, status);
  });

  test("a path with dot segments is normalized before it is routed", async () => {
    const reply = await sendRaw(product.url, { method: "GET", path: "/api/x/%2e%2e/setup" });
    expect(reply.json).toEqual({ success: true, message: "", data: { status: true } });
    expectError(await sendRaw(product.url, { method: "GET", path: "/login/../v1/models" }), "openai", 401);
    expectError(await sendRaw(product.url, { method: "GET", path: "/x/../api/keys" }), "console", 401);
  });

  const METHODS: [Surface, string, string, string][] = [
    ["openai", "GET", "/v1/embeddings", "OPTIONS, POST"],
    ["openai", "PUT", "/v1/embeddings", "OPTIONS, POST"],
    ["openai", "PATCH", "/v1/engines/patchbay-embed/embeddings", "OPTIONS, POST"],
    ["openai", "DELETE", "/v1/models", "GET, HEAD, OPTIONS"],
    ["openai", "TRACE", "/v1/models", "GET, HEAD, OPTIONS"],
    ["gemini", "GET", "/v1beta/models/patchbay-speech:generateContent", "OPTIONS, POST"],
    ["gemini", "TRACE", "/v1beta/models/patchbay-speech:generateContent", "OPTIONS, POST"],
    ["gemini", "PROPFIND", "/v1beta/models", "GET, HEAD, OPTIONS"],
    ["console", "DELETE", "/api/setup", "GET, HEAD, OPTIONS, POST"],
    ["console", "GET", "/api/user/login/2fa", "OPTIONS, POST"],
    ["console", "TRACE", "/api/setup", "GET, HEAD, OPTIONS, POST"],
    ["console", "POST", "/metrics", "GET, HEAD, OPTIONS"],
    ["console", "POST", "/login", "GET, HEAD"],
    ["console", "TRACE", "/login", "GET, HEAD"],
    ["console", "OPTIONS", "/login", "GET, HEAD"],
    ["console", "PUT", "/icon.svg", "GET, HEAD"],
  ];
  test.each(METHODS)(
    "the %s surface answers %s %s with 405 and Allow %s",
    async (surface, method, path, allow) => {
      const reply = await sendRaw(product.url, { method, path });
      expectError(reply, surface, 405);
      expect(reply.headers.allow).toBe(allow);
    },
  );

  test("a wrong method on an unknown page gets 404", async () => {
    expectError(await sendRaw(product.url, { path: "/nowhere", body: "{}" }), "console", 404);
  });

  test("HEAD returns the headers of GET without the body", async () => {
    const [get, head] = await Promise.all(
      ["GET", "HEAD"].map((method) => sendRaw(product.url, { method, path: "/api/health/live" })),
    );
    expect(head?.status).toBe(200);
    expect(head?.bytes.length).toBe(0);
    expect(head?.headers["content-length"]).toBe(get?.headers["content-length"]);
  });

  test("OPTIONS returns the methods and no CORS header", async () => {
    const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
    const reply = await sendRaw(product.url, { method: "OPTIONS", path: "/v1/embeddings", headers });
    expect(reply.status).toBe(204);
    expect(reply.headers.allow).toBe("OPTIONS, POST");
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("an unknown page is an HTML page only for a client that accepts HTML", async () => {
    const page = await sendRaw(product.url, {
      method: "GET",
      path: "/nowhere",
      headers: { accept: "text/html" },
    });
    expect(page.status).toBe(404);
    expect(page.headers["content-type"]).toMatch(/^text\/html/);
    const api = await sendRaw(product.url, {
      method: "GET",
      path: "/api/nowhere",
      headers: { accept: "text/html" },
    });
    expectError(api, "console", 404);
  });
});

describe("internal headers of Next", () => {
  const rsc = (path: string, state: string) =>
    sendRaw(product.url, { method: "GET", path, headers: { rsc: "1", "next-router-state-tree": state } });

  test.each(["x", "%7b", "%", "[]", '["",{"a":1}]', `${'["",{"a":'.repeat(600)}["",{}]${"}]".repeat(600)}`])(
    "get 400 in JSON for the router state %.20j, without a stack in the log",
    async (state) => {
      for (const path of ["/login", "/", "/nowhere"]) expectError(await rsc(path, state), "console", 400);
      expect(product.output()).not.toMatch(/router state header|\n\s+at /);
    },
  );

  test("get a page for the router state that a browser sends", async () => {
    const state = '["",{"children":["login",{"children":["__PAGE__",{}]}]},null,null,16]';
    for (const sent of [state, encodeURIComponent(state)]) {
      // Next redirects a request without its cache key to the same path with one.
      const first = await rsc("/login", sent);
      expect([first.status, first.headers.location]).toEqual([307, expect.stringMatching(/^\/login\?_rsc=/)]);
      expect((await rsc(String(first.headers.location), sent)).status).toBe(200);
    }
  });

  const HEADERS: [string, Record<string, string>][] = [
    ["x-middleware-subrequest", { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy" }],
    [
      "x-middleware-subrequest of src",
      {
        "x-middleware-subrequest":
          "src/middleware:src/middleware:src/middleware:src/middleware:src/middleware",
      },
    ],
    ["x-middleware-rewrite", { "x-middleware-rewrite": "/login" }],
    ["x-middleware-next", { "x-middleware-next": "1", "x-middleware-invoke": "1" }],
    ["x-matched-path", { "x-matched-path": "/login" }],
    ["x-invoke-path", { "x-invoke-path": "/login", "x-invoke-status": "200", "x-invoke-output": "/login" }],
    ["x-now-route-matches", { "x-now-route-matches": "1=login" }],
    ["x-nextjs-data", { "x-nextjs-data": "1" }],
    ["x-original-url", { "x-original-url": "/login", "x-rewrite-url": "/login" }],
    ["x-http-method-override", { "x-http-method-override": "POST" }],
  ];
  test.each(HEADERS)("give no access with %s", async (_name, headers) => {
    expectError(await sendRaw(product.url, { method: "GET", path: "/api/keys", headers }), "console", 401);
    expectError(await sendRaw(product.url, { method: "GET", path: "/v1/models", headers }), "openai", 401);
    const page = await sendRaw(product.url, {
      method: "GET",
      path: "/playground/speech",
      headers: { accept: "text/html", ...headers },
    });
    // Without a session, the console's pages redirect to the sign-in page.
    expect([302, 303, 307]).toContain(page.status);
    expect(page.headers.location).toMatch(/^\/login/);
  });

  test.each(["/", "/login", "/login/2fa", "/setup", "/playground/speech", "/nowhere"])(
    "a server action posted to %s gets 404",
    async (path) => {
      for (const headers of [
        { "next-action": "x", "content-type": "text/plain;charset=UTF-8" },
        { "next-action": "40".repeat(21), "content-type": "multipart/form-data; boundary=b" },
      ]) {
        const reply = await sendRaw(product.url, { path, headers, body: '["$1:__proto__:then"]' });
        expectError(reply, "console", 404);
      }
    },
  );

  test("a server action posted to next-auth's credentials callback gets a 4xx status in JSON", async () => {
    const reply = await sendRaw(product.url, {
      path: "/api/auth/callback/credentials",
      headers: { "next-action": "x", "content-type": "text/plain" },
      body: "[]",
    });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(reply.json).toBeDefined();
  });
});
