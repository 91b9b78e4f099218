import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../lib/http/routes";
import {
  type ConsoleCall,
  type ConsoleHarness,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { digestStore } from "../support/store-dump";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeAll(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterAll(() => services.close());

/** Every route of the console. */
const allRoutes: ConsoleHarness = (path, call) => openConsoleHarness(services, ROUTES)(path, call);

const HOST = { host: "patchbay.example:3000" };
const patch = (headers: ConsoleCall["headers"]) =>
  harness("/api/user/self", { method: "PATCH", body: {}, cookie: owner, headers: { ...HOST, ...headers } });

describe("the console", () => {
  test.each<[string, Record<string, string>]>([
    ["another origin", { origin: "https://evil.example" }],
    ["another port of its host", { origin: "http://patchbay.example:3001" }],
    ["the default port of its host", { origin: "http://patchbay.example" }],
    ["a sibling subdomain", { origin: "http://evil.patchbay.example:3000" }],
    ["the parent domain", { origin: "http://example:3000" }],
    ["a host that begins with its host", { origin: "http://patchbay.example.evil:3000" }],
    ["a host that ends with its host", { origin: "http://evilpatchbay.example:3000" }],
    ["its host as user name", { origin: "http://patchbay.example:3000@evil.example" }],
    ["the origin null", { origin: "null" }],
    ["an empty origin", { origin: "" }],
    ["an invalid origin", { origin: "patchbay.example:3000" }],
    ["two origins", { origin: "http://patchbay.example:3000, https://evil.example" }],
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
    ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }],
    ["an unknown Sec-Fetch-Site", { "sec-fetch-site": "SAME-ORIGIN,cross-site" }],
    [
      "Sec-Fetch-Site: cross-site and its own origin",
      { "sec-fetch-site": "cross-site", origin: "http://patchbay.example:3000" },
    ],
  ])("refuses a write with %s", async (_name, headers) => {
    const reply = await patch(headers);
    expect([reply.status, reply.json.code]).toEqual([403, "forbidden"]);
  });

  test.each<[string, Record<string, string>]>([
    ["neither Origin nor Sec-Fetch-Site", {}],
    ["its own origin", { origin: "http://patchbay.example:3000" }],
    ["its own origin behind an https proxy", { origin: "https://patchbay.example:3000" }],
    ["its own origin in mixed case", { origin: "HTTP://Patchbay.Example:3000" }],
    ["Sec-Fetch-Site: same-origin", { "sec-fetch-site": "same-origin" }],
    ["Sec-Fetch-Site: none", { "sec-fetch-site": "none" }],
  ])("accepts a write with %s", async (_name, headers) => expect((await patch(headers)).status).toBe(200));

  test("refuses cross-site writes before sign-in and changes nothing", async () => {
    const before = digestStore(services.dataDirectory);
    const headers = { ...HOST, origin: "https://evil.example" };
    for (const [path, body] of [
      ["/api/setup", OWNER],
      ["/api/user/login", OWNER],
      ["/api/user/login/2fa", { code: "123456" }],
      ["/api/user/logout", {}],
    ] as const) {
      expect((await harness(path, { body, headers, cookie: owner })).status, path).toBe(403);
    }
    expect(digestStore(services.dataDirectory)).toBe(before);
  });

  test("compares the whole origin when a base URL is configured", async () => {
    services.instance.baseUrl = "https://patchbay.example";
    try {
      const host = "10.0.0.5:3000";
      expect((await patch({ host, origin: "https://patchbay.example" })).status).toBe(200);
      expect((await patch({ host, origin: "http://patchbay.example" })).status).toBe(403);
      expect((await patch({ host, origin: "http://10.0.0.5:3000" })).status).toBe(403);
    } finally {
      services.instance.baseUrl = null;
    }
  });
});

describe("a request that a form of another site can send", () => {
  test.each([
    "text/plain",
    "text/plain; charset=application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "text/json",
    "",
    undefined,
  ])("gets 415 for content-type %j", async (type) => {
    for (const path of ["/api/user/login", "/api/user/logout", "/api/keys", "/api/keys/playground"]) {
      const reply = await harness(path, { body: OWNER, cookie: owner, headers: { "content-type": type } });
      expect([reply.status, reply.json.code], path).toEqual([415, "unsupported_media_type"]);
    }
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "", undefined])(
    "gets 415 for a DELETE with a body of content-type %j",
    async (type) => {
      for (const path of ["/api/user/sessions", "/api/keys/key_1", "/api/settings/metrics-token"]) {
        const headers = { "content-type": type };
        const reply = await harness(path, { method: "DELETE", body: OWNER, cookie: owner, headers });
        expect([reply.status, reply.json.code], path).toEqual([415, "unsupported_media_type"]);
      }
    },
  );

  test.each(["text/plain", undefined])("gets 415 for a chunked body of content-type %j", async (type) => {
    const headers = {
      "content-type": type,
      "content-length": undefined,
      "transfer-encoding": "chunked",
    };
    for (const method of ["POST", "DELETE"]) {
      const path = method === "POST" ? "/api/user/logout" : "/api/user/sessions";
      expect((await harness(path, { method, body: OWNER, cookie: owner, headers })).status, path).toBe(415);
    }
  });

  test("gets 415 for a compressed body", async () => {
    const headers = { "content-encoding": "gzip" };
    expect((await harness("/api/user/login", { body: OWNER, headers })).status).toBe(415);
  });
});

describe("a request without body and content type", () => {
  const BARE = { "content-type": undefined, "content-length": undefined };

  test("is accepted by a route without a body", async () => {
    expect(
      (await harness("/api/keys/playground", { method: "POST", cookie: owner, headers: BARE })).status,
    ).toBe(200);
    expect((await harness("/api/user/logout", { method: "POST", headers: BARE })).status).toBe(200);
    const gone = await harness("/api/keys/key_1", { method: "DELETE", cookie: owner, headers: BARE });
    expect(gone.status).toBe(404);
    const zero = { ...BARE, "content-length": "0" };
    expect((await harness("/api/user/logout", { method: "POST", headers: zero })).status).toBe(200);
  });

  test("gets 415 on a route with a body", async () => {
    for (const path of ["/api/user/login", "/api/keys", "/api/user/2fa/setup"])
      expect((await harness(path, { method: "POST", cookie: owner, headers: BARE })).status, path).toBe(415);
  });

  test("gets 415 with a wrong content type", async () => {
    const headers = { ...BARE, "content-type": "text/plain" };
    expect((await harness("/api/user/logout", { method: "POST", headers })).status).toBe(415);
  });

  test.each([
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
    ["a foreign Origin", { ...HOST, origin: "https://evil.example" }],
    ["Origin: null", { ...HOST, origin: "null" }],
  ])("is refused with %s", async (_name, headers) => {
    const before = digestStore(services.dataDirectory);
    for (const path of ["/api/user/logout", "/api/keys/playground", "/api/settings/caches/clear"])
      expect(
        (await harness(path, { method: "POST", cookie: owner, headers: { ...BARE, ...headers } })).status,
      ).toBe(403);
    expect(digestStore(services.dataDirectory)).toBe(before);
  });
});

describe("console reads", () => {
  test("change nothing, and no reply allows another origin", async () => {
    const before = digestStore(services.dataDirectory);
    for (const path of ["/api/user/self", "/api/user/sessions", "/api/keys", "/api/users", "/api/settings"]) {
      const reply = await harness(path, {
        cookie: owner,
        headers: { ...HOST, origin: "https://evil.example" },
      });
      expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(reply.headers["cache-control"]).toContain("no-store");
    }
    expect(digestStore(services.dataDirectory)).toBe(before);
  });

  test("never write, so that a link from another site cannot act for the user", async () => {
    // The last use of a session is written at most once a minute; this request writes it before the loop.
    await allRoutes("/api/user/self", { cookie: owner });
    const before = digestStore(services.dataDirectory);
    for (const { method, surface, path } of ROUTES) {
      if (surface !== "console" || method !== "GET" || path === "/api/events") continue;
      const target = path.replaceAll(/\{\w+\}/g, "unknown");
      const reply = await allRoutes(target, { cookie: owner, headers: { "sec-fetch-site": "cross-site" } });
      expect([path, [200, 400, 404]]).toEqual([path, expect.arrayContaining([reply.status])]);
      expect(digestStore(services.dataDirectory), path).toBe(before);
    }
  });

  test("get 405 on a write-only route", async () => {
    for (const path of [
      "/api/user/logout",
      "/api/user/login",
      "/api/user/2fa/disable",
      "/api/keys/playground",
      "/api/settings/export",
    ]) {
      const reply = await harness(path, { cookie: owner });
      expect(reply.status, path).toBe(405);
    }
  });
});

test("a session cookie sent as a Bearer token gives no access, with or without the cookie", async () => {
  const value = owner.slice(owner.indexOf("=") + 1);
  const headers = { authorization: `Bearer ${value}` };
  for (const path of ["/api/user/self", "/api/keys", "/api/users", "/api/audit", "/api/settings"]) {
    expect((await harness(path, { headers })).status, path).toBe(401);
    expect((await harness(path, { headers, cookie: owner })).status, path).toBe(401);
  }
});
