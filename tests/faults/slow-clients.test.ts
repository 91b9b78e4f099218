import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "../support/expect-error";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { openWire, readReply, sendRaw, type Wire } from "../support/raw-request";

/** Callers that send slowly are cut off in time, and one address cannot take all sockets. */

const MAX_CONNECTIONS = 40;
const CLIENT_ADDRESS = "127.0.0.9";
const PROXY = "127.0.0.2";
let product: Product;
let key: string;

beforeAll(async () => {
  product = await startProduct({
    nodeAdapterOnly: true,
    env: {
      PATCHBAY_TRUSTED_PROXIES: PROXY,
      PATCHBAY_LIMITS: JSON.stringify({
        headersTimeoutMs: 500,
        consoleUploadMs: 500,
        gatewayUploadMs: 700,
        connectionsPerAddress: MAX_CONNECTIONS,
      }),
    },
  });
  key = await createKey(product.url, await setUp(product.url));
});
afterAll(() => product?.close());

/** Sends one byte at a time until the other side closes. */
async function sendByteByByte(wire: Wire, bytes: string): Promise<string> {
  for (const byte of bytes) {
    if (wire.isClosed()) break;
    wire.send(byte);
    await Promise.race([wire.ended, new Promise((resolve) => setTimeout(resolve, 50))]);
  }
  return wire.ended;
}

const LOGIN = "POST /api/user/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const embedHead = () =>
  `POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;

describe("a slow caller", () => {
  test("whose head does not end gets 408 and is disconnected", async () => {
    const wire = await openWire(product.port);
    wire.send("GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n");
    expectError(readReply(await wire.ended), "console", 408);
  });

  test("whose head arrives byte by byte gets 408 and is disconnected", async () => {
    const wire = await openWire(product.port);
    const all = await sendByteByByte(
      wire,
      `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${"a".repeat(600)}`,
    );
    expectError(readReply(all), "console", 408);
  });

  test("who sends nothing is disconnected", async () => {
    const wire = await openWire(product.port);
    expect(await wire.ended).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  });

  test.each<["console" | "openai", () => string]>([
    ["console", () => LOGIN],
    ["openai", embedHead],
  ])("who announces a longer body than arrives gets 408 on the %s surface", async (surface, head) => {
    const wire = await openWire(product.port);
    wire.send(`${head()}Content-Length: 1000\r\n\r\n{"half":`);
    const reply = readReply(await wire.ended);
    expectError(reply, surface, 408);
    expect(reply.headers.connection).toBe("close");
  });

  test("whose chunks have one byte each gets 408", async () => {
    const wire = await openWire(product.port);
    wire.send(`${embedHead()}Transfer-Encoding: chunked\r\n\r\n`);
    const all = await sendByteByByte(wire, "1\r\n{\r\n".repeat(200));
    expectError(readReply(all), "openai", 408);
  });

  test("who leaves in the middle of a body causes no 500, and no request stays in flight", async () => {
    const before = product.output().length;
    for (let i = 0; i < 20; i++) {
      const wire = await openWire(product.port);
      wire.send(`${embedHead()}Content-Length: 1000\r\n\r\n{"half":`);
      wire.destroy();
    }
    const metrics = async () => (await sendRaw(product.url, { method: "GET", path: "/metrics" })).text;
    await expect.poll(metrics, { timeout: 10_000 }).toMatch(/^patchbay_requests_in_flight 0$/m);
    expect(product.output().slice(before)).not.toMatch(/"status":500|uncaught|unhandled/);
  });
});

test("pipelined requests that wait for their reply end when their connection closes", async () => {
  const speech = JSON.stringify({
    model: "patchbay-speech",
    input: "A long reply. ".repeat(100),
    voice: "alloy",
  });
  const speechHead = embedHead().replace("/v1/embeddings", "/v1/audio/speech");
  // The first reply closes the connection, because its body is not read; the others wait behind it.
  const rejected = "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
  const wire = await openWire(product.port);
  wire.send(
    `${rejected}GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n` +
      `${speechHead}Content-Length: ${speech.length}\r\n\r\n${speech}`,
  );
  expect(await wire.ended).toMatch(/^HTTP\/1\.1 401 /);
  const metrics = async () => (await sendRaw(product.url, { method: "GET", path: "/metrics" })).text;
  await expect.poll(metrics, { timeout: 10_000 }).toMatch(/^patchbay_requests_in_flight 0$/m);
});

describe("many connections from one address", () => {
  test("get a limited number of sockets and do not affect others", async () => {
    const wires = await Promise.all(
      Array.from({ length: 3 * MAX_CONNECTIONS }, () => openWire(product.port, CLIENT_ADDRESS)),
    );
    await expect
      .poll(() => wires.filter((wire) => wire.isClosed()).length)
      .toBeGreaterThanOrEqual(2 * MAX_CONNECTIONS);
    const other = await sendRaw(product.url, { method: "GET", path: "/api/health/live" });
    expect(other.status).toBe(200);
    for (const wire of wires) wire.destroy();
    // The sockets are free again once they are closed.
    await expect
      .poll(
        () =>
          sendRaw(product.url, { method: "GET", path: "/api/health/live", from: CLIENT_ADDRESS }).then(
            (reply) => reply.status,
            () => 0,
          ),
        { timeout: 10_000 },
      )
      .toBe(200);
  });

  test("are not limited for a trusted proxy", async () => {
    const wires = await Promise.all(
      Array.from({ length: 2 * MAX_CONNECTIONS }, () => openWire(product.port, PROXY)),
    );
    for (const wire of wires)
      wire.send("GET /api/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const replies = await Promise.all(wires.map((wire) => wire.ended));
    expect(replies.filter((text) => text.startsWith("HTTP/1.1 200")).length).toBe(2 * MAX_CONNECTIONS);
  });
});
