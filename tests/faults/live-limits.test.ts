import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Product, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";

/** Limits of the server, changed in the console while it runs. */

let product: Product;
let cookie: string;

beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
  cookie = await setUp(product.url);
});
afterAll(() => product?.close());

async function change(limits: object): Promise<void> {
  const before = await sendRaw(product.url, {
    method: "GET",
    path: "/api/settings",
    headers: { cookie },
  });
  const reply = await sendRaw(product.url, {
    method: "PATCH",
    path: "/api/settings",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ limits, version: JSON.parse(before.text).data.version }),
  });
  expect(reply.status, reply.text).toBe(200);
}

async function openSocket(): Promise<net.Socket> {
  const socket = net.connect(product.port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => undefined);
  return socket;
}

test("cuts off a request head that is slower than the changed limit", async () => {
  await change({ headersTimeoutMs: 1_000 });
  const socket = await openSocket();
  const began = performance.now();
  socket.write("GET /api/status HTTP/1.1\r\nHost: x\r\n");
  const [bytes] = (await once(socket, "data")) as [Buffer];
  expect(bytes.toString()).toMatch(/^HTTP\/1\.1 408 /);
  // The default allows ten seconds; Node checks once a second.
  expect(performance.now() - began).toBeLessThan(8_000);
  socket.destroy();
  await change({});
}, 20_000);

test("refuses a body that is slower than the changed limit", async () => {
  await change({ consoleUploadMs: 1_000 });
  const socket = await openSocket();
  socket.write(
    `POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{`,
  );
  const [bytes] = (await once(socket, "data")) as [Buffer];
  expect(bytes.toString()).toMatch(/^HTTP\/1\.1 408 /);
  socket.destroy();
  await change({});
}, 20_000);

test("closes new connections of an address above the changed limit, until the limit is raised again", async () => {
  await change({ connectionsPerAddress: 16 });
  const sockets = await Promise.all(Array.from({ length: 24 }, openSocket));
  await expect
    .poll(() => sockets.filter((socket) => socket.destroyed || socket.readableEnded).length, {
      timeout: 5_000,
    })
    .toBeGreaterThanOrEqual(8);
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(
      () =>
        change({}).then(
          () => true,
          () => false,
        ),
      { timeout: 5_000 },
    )
    .toBe(true);
  const more = await Promise.all(Array.from({ length: 24 }, openSocket));
  const replies = await Promise.all(
    more.map(async (socket) => {
      socket.write("GET /api/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      const [bytes] = (await once(socket, "data")) as [Buffer];
      return bytes.toString().slice(0, 12);
    }),
  );
  expect(new Set(replies)).toEqual(new Set(["HTTP/1.1 200"]));
}, 20_000);
