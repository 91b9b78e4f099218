import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OWNER, type Product, startProduct } from "../support/product";
import { ROOT } from "../support/sources";

/** The server's own TLS. The certificates in tests/support/tls are for these tests only, and valid for 100 years. */

const folder = mkdtempSync(path.join(tmpdir(), "patchbay-tls-"));
const fixture = (name: string) => path.join(ROOT, "tests/support/tls", name);
const [certificate, key] = [path.join(folder, "tls.crt"), path.join(folder, "tls.key")];
const TLS = { PATCHBAY_TLS_CERT: certificate, PATCHBAY_TLS_KEY: key };

let product: Product;

beforeAll(async () => {
  copyFileSync(fixture("first.crt"), certificate);
  copyFileSync(fixture("first.key"), key);
  product = await startProduct({ env: TLS });
});
afterAll(async () => {
  await product?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<TLSSocket> {
  // The host name is not verified: the tests look at the certificate itself.
  const socket = connect({ port: product.port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

async function presentedName(): Promise<string | undefined> {
  const socket = await open();
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return [subject.CN].flat()[0];
}

async function send(target: string, method = "GET", body?: unknown) {
  const request = https.request(product.url + target, {
    method,
    ca: readFileSync(fixture("first.crt")),
    agent: false,
    headers: { "content-type": "application/json" },
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = await once(request, "response");
  reply.resume();
  return reply;
}

describe("with a certificate", () => {
  test("the start names the https address", () => {
    expect(product.output()).toMatch(/is ready at https:\/\/localhost:\d+/);
  });

  test("pages and the API are served to callers that trust it", async () => {
    expect((await send("/api/health/ready")).statusCode).toBe(200);
    const page = await send("/setup");
    expect(page.statusCode).toBe(200);
    expect(page.headers["strict-transport-security"]).toMatch(/max-age=/);
  });

  test("the session cookie is marked Secure", async () => {
    const reply = await send("/api/setup", "POST", { ...OWNER, confirmPassword: OWNER.password });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers["set-cookie"].join()).toMatch(/session-token=.*Secure/i);
  });

  test("plain http is closed without a reply, and the server still serves", async () => {
    const socket = net.connect(product.port, "127.0.0.1");
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
    });
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await once(socket, "close");
    expect(received).not.toContain("HTTP/1.1");
    expect((await send("/api/health/ready")).statusCode).toBe(200);
  });

  test("new connections use a renewed certificate, but only once its key is renewed, too", async () => {
    const before = await open();
    copyFileSync(fixture("second.crt"), certificate);
    await expect.poll(() => product.output(), { timeout: 15_000 }).toContain("certificate_not_reloaded");
    expect(await presentedName()).toBe("first.test");
    copyFileSync(fixture("second.key"), key);
    await expect.poll(presentedName, { timeout: 15_000 }).toBe("second.test");
    before.write("GET /api/health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    const [reply] = await once(before, "data");
    expect(String(reply)).toMatch(/^HTTP\/1\.1 200/);
    before.destroy();
  });
});

test.each([
  ["a key without a certificate", { PATCHBAY_TLS_KEY: fixture("first.key") }, /PATCHBAY_TLS_CERT: missing/],
  ["a certificate without a key", { PATCHBAY_TLS_CERT: fixture("first.crt") }, /PATCHBAY_TLS_KEY: missing/],
  [
    "a file that does not exist",
    { PATCHBAY_TLS_CERT: "/nowhere/tls.crt", PATCHBAY_TLS_KEY: fixture("first.key") },
    /PATCHBAY_TLS_CERT: \/nowhere\/tls\.crt cannot be read/,
  ],
  [
    "a key of another certificate",
    { PATCHBAY_TLS_CERT: fixture("first.crt"), PATCHBAY_TLS_KEY: fixture("second.key") },
    /PATCHBAY_TLS_CERT and PATCHBAY_TLS_KEY: not a PEM certificate and its key/,
  ],
])("the server does not start with %s", async (_name, env: Record<string, string>, line) => {
  await expect(startProduct({ env, nodeAdapterOnly: true })).rejects.toThrow(line);
});
