import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "../support/expect-error";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { exchange, openWire, readReply, sendRaw } from "../support/raw-request";

/** Bodies at their limits, Expect: 100-continue, and request IDs. */

let product: Product;
let cookie: string;
let key: string;

beforeAll(async () => {
  product = await startProduct();
  cookie = await setUp(product.url);
  key = await createKey(product.url, cookie);
  // Serves a first page, because Next adds an Upgrade handler to its server then.
  await sendRaw(product.url, { method: "GET", path: "/login", headers: { accept: "text/html" } });
});
afterAll(() => product?.close());

const HOST = "Host: localhost";
const lines = (...parts: string[]) => `${parts.join("\r\n")}\r\n\r\n`;

describe("request IDs", () => {
  test.each(["abc", "A.b_c-9", "x".repeat(128)])("keeps the caller's ID %s", async (id) => {
    for (const path of ["/api/health/live", "/v1/models", "/v1beta/nowhere", "/login", "/nowhere", "/%ff"]) {
      const reply = await sendRaw(product.url, { method: "GET", path, headers: { "x-request-id": id } });
      expect(reply.headers["x-request-id"], path).toBe(id);
    }
  });
  test.each(["x".repeat(129), "a b", "a/b", "<script>", "é"])(
    "generates a new ID instead of %s",
    async (id) => {
      for (const path of ["/api/health/live", "/login", "/nowhere"]) {
        const headers = { "x-request-id": Buffer.from(id).toString("latin1") };
        const reply = await sendRaw(product.url, { method: "GET", path, headers });
        expect(reply.headers["x-request-id"], path).toMatch(/^[0-9a-f-]{36}$/);
      }
    },
  );
});

describe("bodies", () => {
  const head = (...more: string[]) =>
    lines(
      "POST /v1/embeddings HTTP/1.1",
      HOST,
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      "Connection: close",
      ...more,
    );
  const small = JSON.stringify({ model: "patchbay-embed", input: "x", dimensions: 8 });

  test("longer than their Content-Length are answered before the connection closes", async () => {
    const cut = await exchange(product.port, head(`Content-Length: ${small.length - 4}`) + small);
    expectError(cut, "openai", 400);
    const whole = head(`Content-Length: ${small.length}`).replace("Connection: close\r\n", "") + small;
    const wire = await openWire(product.port);
    wire.send(`${whole}${whole}garbage\r\n\r\n`);
    expect((await wire.ended).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  });

  test("get 100 Continue before they are sent if the request expects it", async () => {
    const wire = await openWire(product.port);
    wire.send(head(`Content-Length: ${small.length}`, "Expect: 100-continue"));
    expect(await wire.until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    wire.send(small);
    expect((await wire.ended).split("\r\n\r\n")[1]).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test("whose Content-Length is too large are rejected without 100 Continue", async () => {
    const wire = await openWire(product.port);
    wire.send(head(`Content-Length: ${16 * 1024 * 1024 + 1}`, "Expect: 100-continue"));
    const all = await wire.until("\r\n\r\n");
    expect(all).toMatch(/^HTTP\/1\.1 413 /);
    expectError(readReply(await wire.ended), "openai", 413);
  });

  test("of a caller without an API key are rejected without 100 Continue", async () => {
    const wire = await openWire(product.port);
    wire.send(lines("POST /v1/embeddings HTTP/1.1", HOST, "Content-Length: 1000", "Expect: 100-continue"));
    expect(await wire.until("\r\n\r\n")).toMatch(/^HTTP\/1\.1 401 /);
    wire.destroy();
  });

  test("sent in chunks are counted and rejected as soon as they are too large", async () => {
    const wire = await openWire(product.port);
    wire.send(
      lines(
        "POST /api/user/login HTTP/1.1",
        HOST,
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
      ),
    );
    wire.send(`10001\r\n${" ".repeat(0x10001)}\r\n`);
    // No last chunk: the server must not wait for it.
    const reply = readReply(await wire.ended);
    expectError(reply, "console", 413);
    expect(reply.headers.connection).toBe("close");
  });

  const padded = (size: number, fields: object) => {
    const text = JSON.stringify(fields);
    return `${text.slice(0, -1)}${" ".repeat(size - text.length)}}`;
  };
  const LIMITS: [string, number, object, number][] = [
    ["/api/user/login", 64 * 1024, { username: "nobody", password: "no bytes" }, 401],
    [
      "/v1beta/models/patchbay-speech:generateContent",
      4 * 1024 * 1024,
      { contents: [{ parts: [{ text: "Hi." }] }], generationConfig: { responseModalities: ["AUDIO"] } },
      200,
    ],
    ["/v1/embeddings", 16 * 1024 * 1024, { model: "patchbay-embed", input: "x" }, 200],
  ];
  test.each(LIMITS)("of %s can have %i bytes and not one more", async (path, limit, fields, status) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const full = await sendRaw(product.url, { path, headers, body: padded(limit, fields) });
    expect(full.status, full.text.slice(0, 200)).toBe(status);
    const over = await sendRaw(product.url, { path, headers, body: padded(limit + 1, fields) });
    expect(over.status).toBe(413);
  });

  test("of a channel can hold 500 models, 20 keys and 20 headers of great length", async () => {
    const longest = (index: number, length: number) => `${index}-`.padEnd(length, "é");
    const models = Array.from({ length: 500 }, (_, index) => ({
      name: `model-${index}-`.padEnd(128, "x"),
      upstream_name: longest(index, 256),
      operation: "speech",
    }));
    const keys = Array.from({ length: 20 }, (_, index) => `${index}-`.padEnd(4_096, "k"));
    const more = Object.fromEntries(keys.map((value, index) => [`x-more-${index}`, value]));
    const channel = { name: "Large", provider: "openai", enabled: false, models, keys, headers: more };
    const send = (method: string, path: string, body: object) =>
      sendRaw(product.url, {
        method,
        path,
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify(body),
      });
    const created = await send("POST", "/api/channels", channel);
    expect(created.status, created.text.slice(0, 200)).toBe(200);
    const { id, version } = JSON.parse(created.text).data;
    const changed = await send("PATCH", `/api/channels/${id}`, { version, models: models.toReversed() });
    expect(changed.status, changed.text.slice(0, 200)).toBe(200);
    const draft = { provider: "openai", keys, headers: more, base_url: "https://127.0.0.1:1/v1" };
    const listed = await send("POST", "/api/channels/draft/models", draft);
    expect(listed.status, listed.text.slice(0, 200)).not.toBe(413);
  });

  test("a repeated query parameter gets 400 on the console and is ignored on the gateway", async () => {
    expectError(await sendRaw(product.url, { method: "GET", path: "/api/status?a=1&a=2" }), "console", 400);
    const headers = { authorization: `Bearer ${key}` };
    const models = await sendRaw(product.url, { method: "GET", path: "/v1/models?a=1&a=2", headers });
    expect(models.status).toBe(200);
  });

  test("two requests in one packet are answered in order", async () => {
    const one = (id: string, more = "") =>
      lines("GET /api/health/live HTTP/1.1", HOST, `X-Request-Id: ${id}`, ...(more ? [more] : []));
    const all = await exchange(product.port, one("first") + one("second", "Connection: close")).then(() =>
      openWire(product.port).then(async (wire) => {
        wire.send(one("first") + one("second", "Connection: close"));
        return wire.ended;
      }),
    );
    expect(all.match(/x-request-id: \w+/g)).toEqual(["x-request-id: first", "x-request-id: second"]);
  });
});
