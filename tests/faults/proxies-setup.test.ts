import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../lib/http/routes";
import { OWNER, type Product, startProduct } from "../support/product";
import { exchange, sendRaw } from "../support/raw-request";
import { ROOT } from "../support/sources";
import { digestStore } from "../support/store-dump";

/** Who can do the initial setup, and where the setup token is shown or stored. */

/** A non-loopback address of this machine: it is also the source address of calls to it, as if from another machine. */
const NEIGHBOUR = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;

let product: Product;
let token: string;
beforeAll(async () => {
  product = await startProduct({ env: { HOST: "0.0.0.0" } });
  token = /#token=([\w-]+)/.exec(product.output())?.[1] ?? "";
});
afterAll(() => product?.close());

const tokenFile = (of: Product) => path.join(of.dataDirectory, "setup-token");

function postSetup(url: string, fields: object = {}, headers: Record<string, string> = {}) {
  return sendRaw(url, {
    path: "/api/setup",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...OWNER, ...fields }),
  });
}

describe("before the initial setup", () => {
  test("the token is printed in a URL fragment and stored in a file that only its owner can read", () => {
    expect(Buffer.from(token, "base64url").length).toBeGreaterThanOrEqual(32);
    expect(readFileSync(tokenFile(product), "utf8").trim()).toBe(token);
    expect(statSync(tokenFile(product)).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(product.dataDirectory, "secret")).mode & 0o777).toBe(0o600);
  });

  test("no URL reveals the token to any caller", { timeout: 60_000 }, async () => {
    // Next's manifest: page file → URL path.
    const manifest = JSON.parse(
      readFileSync(path.join(ROOT, ".next/app-path-routes-manifest.json"), "utf8"),
    ) as Record<string, string>;
    const pages = Object.values(manifest).map((address) => ["GET", address.replace(/\/\[.*/, "/x")] as const);
    const routes = ROUTES.map(
      (route) =>
        [route.method, route.path.replace("{model}", "patchbay-embed").replace(/\{\w+\}/g, "x")] as const,
    );
    const wrong: [string, string][] = [
      ["GET", "/nowhere"],
      ["GET", "/%ff"],
      ["PUT", "/api/setup"],
      ["GET", "/.next/patchbay/main.mjs"],
      ["GET", "/data/setup-token"],
      ["GET", "/setup-token"],
    ];
    const asked = [...routes, ...pages, ...wrong];
    expect(asked.length).toBeGreaterThan(50);
    const revealing: string[] = [];
    for (const [method, address] of asked) {
      for (const accept of ["text/html", "*/*"]) {
        const reply = await sendRaw(product.url, {
          method,
          path: address,
          headers: { accept, "content-type": "application/json" },
          ...(method === "GET" ? {} : { body: "{}" }),
        });
        const text = reply.text + JSON.stringify(reply.headers);
        if (text.includes(token) || text.includes(product.dataDirectory))
          revealing.push(`${method} ${address}`);
      }
    }
    expect(revealing).toEqual([]);
    // The link is printed once at start and logged nowhere else.
    expect(product.output().split(token).length - 1).toBe(1);
  });

  test.each<[string, object, Record<string, string>, number]>([
    ["a forwarding header", {}, { "x-forwarded-for": "127.0.0.1" }, 401],
    ["an empty forwarding header", {}, { forwarded: "" }, 401],
    ["another Host", {}, { host: "evil.example" }, 401],
    ["a Host that begins with ours", {}, { host: "localhost.evil.example" }, 401],
    ["a wrong token through a proxy", { setup_token: "x".repeat(43) }, { via: "1.1 proxy" }, 401],
    ["another site's page", {}, { origin: "http://evil.example" }, 403],
    ["another site's page with the token", { setup_token: "given" }, { "sec-fetch-site": "cross-site" }, 403],
    ["a page of another port", {}, { origin: "http://localhost:1" }, 403],
  ])("setup is rejected without changes for %s", async (_name, fields, headers, status) => {
    const before = digestStore(product.dataDirectory);
    expect((await postSetup(product.url, fields, headers)).status).toBe(status);
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test.runIf(NEIGHBOUR)(
    "another machine needs the token, even with a private address or our Host",
    async () => {
      const url = `http://${NEIGHBOUR}:${product.port}`;
      const borrowed: Record<string, string>[] = [
        {},
        { host: `localhost:${product.port}` },
        { "x-forwarded-for": "127.0.0.1" },
      ];
      for (const headers of borrowed) {
        const reply = await postSetup(url, {}, headers);
        expect(reply.status).toBe(401);
        expect(reply.json).toMatchObject({ code: "setup_token_required" });
      }
      expect((await postSetup(url, { setup_token: token.slice(0, -1) })).status).toBe(401);
    },
  );

  test("the setup state shows whether the caller needs the token", async () => {
    const mine = await sendRaw(product.url, { method: "GET", path: "/api/setup" });
    expect(mine.json).toMatchObject({ data: { status: false, setup_token_required: false } });
    const far = await sendRaw(product.url, { method: "GET", path: "/api/setup", headers: { via: "1.1 p" } });
    expect(far.json).toMatchObject({ data: { status: false, setup_token_required: true } });
    // Browsers use HTTP/1.1; HTTP/1.0 indicates a tool or a proxy.
    const old = await exchange(product.port, "GET /api/setup HTTP/1.0\r\nHost: localhost\r\n\r\n");
    expect(old.json).toMatchObject({ data: { status: false, setup_token_required: true } });
  });
});

describe("the setup token", () => {
  test("is replaced at a restart, which revokes the old one, and removed by the setup", async () => {
    const dataDirectory = await mkdtemp(path.join(tmpdir(), "patchbay-token-"));
    const elsewhere = { via: "1.1 proxy" };
    try {
      const first = await startProduct({ dataDirectory, nodeAdapterOnly: true });
      const old = readFileSync(tokenFile(first), "utf8").trim();
      await first.close();
      const second = await startProduct({ dataDirectory, nodeAdapterOnly: true });
      const current = readFileSync(tokenFile(second), "utf8").trim();
      expect(current).not.toBe(old);
      expect((await postSetup(second.url, { setup_token: old }, elsewhere)).status).toBe(401);
      expect((await postSetup(second.url, { setup_token: current }, elsewhere)).status).toBe(200);
      expect(existsSync(tokenFile(second))).toBe(false);
      expect(
        (await postSetup(second.url, { setup_token: current, username: "late" }, elsewhere)).status,
      ).toBe(409);
      await second.close();
      const third = await startProduct({ dataDirectory, nodeAdapterOnly: true });
      expect(existsSync(tokenFile(third))).toBe(false);
      expect(third.output()).not.toContain("#token=");
      await third.close();
    } finally {
      await rm(dataDirectory, { recursive: true, force: true });
    }
  });

  test("is required also from this machine when the operator sets it, and never printed or stored", async () => {
    const set = "a-token-the-operator-chose";
    const own = await startProduct({ nodeAdapterOnly: true, env: { PATCHBAY_SETUP_TOKEN: set } });
    try {
      expect(own.output()).not.toContain(set);
      expect(existsSync(tokenFile(own))).toBe(false);
      expect((await postSetup(own.url)).status).toBe(401);
      expect((await postSetup(own.url, { setup_token: set })).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  test("is not required with PATCHBAY_SETUP_OPEN, which logs a warning", async () => {
    const open = await startProduct({ nodeAdapterOnly: true, env: { PATCHBAY_SETUP_OPEN: "1" } });
    try {
      expect(open.output()).toContain("setup_open");
      expect((await postSetup(open.url, {}, { via: "1.1 proxy" })).status).toBe(200);
    } finally {
      await open.close();
    }
  });
});
