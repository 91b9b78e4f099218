import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import http, { type IncomingMessage } from "node:http";
import path from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { ROOT } from "../support/sources";

/** Which replies are compressed, and that their bytes are those of the uncompressed reply. */

let product: Product;
let cookie: string;
let key: string;

beforeAll(async () => {
  product = await startProduct();
  cookie = await setUp(product.url);
  key = await createKey(product.url, cookie);
});
afterAll(() => product?.close());

interface Received {
  status: number;
  headers: IncomingMessage["headers"];
  bytes: Buffer;
}

async function send(target: string, encodings: string, options: http.RequestOptions = {}, body?: string) {
  const headers = { "accept-encoding": encodings, ...options.headers };
  const request = http.request(product.url + target, { agent: false, ...options, headers });
  request.end(body);
  // The event's only argument is the reply.
  const [reply] = (await once(request, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk as Buffer);
  const received: Received = {
    status: reply.statusCode ?? 0,
    headers: reply.headers,
    bytes: Buffer.concat(chunks),
  };
  return received;
}

const chunkFolder = path.join(ROOT, ".next/static/chunks");
const script = () =>
  readdirSync(chunkFolder).find(
    (name) => name.endsWith(".js") && statSync(path.join(chunkFolder, name)).size > 10_000,
  ) ?? "";

describe("static files", () => {
  test.each([
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["gzip, br;q=0", "gzip", gunzipSync],
    ["identity", undefined, (bytes: Buffer) => bytes],
  ])("are sent for Accept-Encoding %s as %s, with the same content", async (accepted, encoding, decode) => {
    const { status, headers, bytes } = await send(`/_next/static/chunks/${script()}`, accepted);
    expect(status).toBe(200);
    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers.vary).toMatch(/accept-encoding/i);
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(bytes.length).toBe(Number(headers["content-length"]));
    expect(decode(bytes).equals(readFileSync(path.join(chunkFolder, script())))).toBe(true);
  });

  test("are not sent again to a browser that has cached them", async () => {
    const address = `/_next/static/chunks/${script()}`;
    const { etag } = (await send(address, "br")).headers;
    expect(etag).toBeTruthy();
    const again = await send(address, "br", { headers: { "if-none-match": String(etag) } });
    expect(again).toMatchObject({ status: 304, bytes: Buffer.alloc(0) });
  });

  test.each([".br", ".gz"])("have no address for their %s copy", async (extension) => {
    expect((await send(`/_next/static/chunks/${script()}${extension}`, "br")).status).toBe(404);
  });

  test("are sent without compression if they are already compressed", async () => {
    const { headers, status } = await send("/readme/speech.png", "gzip, br");
    expect([status, headers["content-encoding"]]).toEqual([200, undefined]);
  });
});

describe("pages and console replies", () => {
  test("sends a page compressed", async () => {
    const { headers, bytes } = await send("/login", "gzip", { headers: { accept: "text/html" } });
    expect(headers["content-encoding"]).toBe("gzip");
    const html = gunzipSync(bytes).toString();
    expect(html).toMatch(/^<!DOCTYPE html>.*<\/html>$/s);
    expect(bytes.length).toBeLessThan(html.length / 2);
  });

  test("sends a large console reply compressed, with the compressed length", async () => {
    const compressed = await send("/openapi.json", "gzip");
    const plain = await send("/openapi.json", "identity");
    expect(compressed.headers["content-encoding"]).toBe("gzip");
    expect(compressed.headers.vary).toBe("accept-encoding");
    expect(compressed.bytes.length).toBe(Number(compressed.headers["content-length"]));
    expect(plain.headers).toMatchObject({ vary: "accept-encoding" });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
  });

  test.each([
    ["gzip;q=0, br", undefined],
    ["gzip;q=0, *", undefined],
    ["*", "gzip"],
    ["*;q=0, gzip", "gzip"],
    ["*;q=0", undefined],
  ])("sends a console reply for Accept-Encoding %s with Content-Encoding %s", async (accepted, encoding) => {
    expect((await send("/openapi.json", accepted)).headers["content-encoding"]).toBe(encoding);
  });

  test("leaves a small reply, a reply with a secret and next-auth's replies uncompressed", async () => {
    const headers = { cookie, "content-type": "application/json", origin: product.url };
    const body = JSON.stringify({ name: "compressed" });
    const replies = await Promise.all([
      send("/api/health/live", "gzip"),
      send("/api/keys", "gzip", { method: "POST", headers }, body),
      send("/api/auth/csrf", "gzip, br"),
    ]);
    expect(replies.map((reply) => reply.headers["content-encoding"])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("leaves replies of the gateway uncompressed", async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "patchbay-embed", input: ["one", "two"] });
    const reply = await send("/v1/embeddings", "gzip, br", { method: "POST", headers }, body);
    expect(reply.status).toBe(200);
    expect(reply.bytes.length).toBeGreaterThan(1_024);
    expect(reply.headers["content-encoding"]).toBeUndefined();
  });
});
