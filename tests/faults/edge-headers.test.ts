import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, type Surface } from "../support/expect-error";
import { type Product, setUp, startProduct } from "../support/product";
import { exchange, openWire, readReply, sendRaw } from "../support/raw-request";

/** Request heads that no legitimate client sends, as raw bytes to the server of `npm start`. */

let product: Product;

beforeAll(async () => {
  product = await startProduct();
  await setUp(product.url);
  // Serves a first page, because Next adds an Upgrade handler to its server then.
  await sendRaw(product.url, { method: "GET", path: "/login", headers: { accept: "text/html" } });
});
afterAll(() => product?.close());

const HOST = "Host: localhost";
const PATHS: [Surface, string][] = [
  ["console", "/api/health/live"],
  ["openai", "/v1/models"],
  ["gemini", "/v1beta/models"],
  ["console", "/login"],
];
const lines = (...parts: string[]) => `${parts.join("\r\n")}\r\n\r\n`;

describe("unreadable request heads", () => {
  const UNREADABLE: [string, string, number][] = [
    [
      "Content-Length and Transfer-Encoding",
      lines("POST /v1/embeddings HTTP/1.1", HOST, "Content-Length: 5", "Transfer-Encoding: chunked") +
        "0\r\n\r\n",
      400,
    ],
    [
      "chunked twice",
      `${lines("POST /v1/embeddings HTTP/1.1", HOST, "Transfer-Encoding: chunked, chunked")}0\r\n\r\n`,
      400,
    ],
    [
      "an unknown transfer coding",
      `${lines("POST /v1/embeddings HTTP/1.1", HOST, "Transfer-Encoding: xchunked")}0\r\n\r\n`,
      400,
    ],
    [
      "two lengths",
      `${lines("POST /v1/embeddings HTTP/1.1", HOST, "Content-Length: 2", "Content-Length: 3")}{}`,
      400,
    ],
    ["a signed length", `${lines("POST /v1/embeddings HTTP/1.1", HOST, "Content-Length: +2")}{}`, 400],
    ["a negative length", lines("POST /v1/embeddings HTTP/1.1", HOST, "Content-Length: -1"), 400],
    ["a folded header", lines("GET /v1/models HTTP/1.1", HOST, "X-One: a", " b"), 400],
    ["bare line feeds", "GET /v1/models HTTP/1.1\nHost: localhost\n\n", 400],
    ["a space before the colon", lines("GET /v1/models HTTP/1.1", HOST, "X-One : a"), 400],
    ["a NUL in a header", lines("GET /v1/models HTTP/1.1", HOST, "X-One: a\0b"), 400],
    ["HTTP/0.9", "GET /v1/models\r\n\r\n", 400],
    ["a request line with HTTP/3.0", lines("GET /v1/models HTTP/3.0", HOST), 400],
    ["not HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["a method in lower case", lines("get /v1/models HTTP/1.1", HOST), 400],
    ["17 KB of header", lines("GET /v1/models HTTP/1.1", HOST, `X-Long: ${"a".repeat(17 * 1024)}`), 431],
    ["17 KB of query", lines(`GET /v1/models?q=${"a".repeat(17 * 1024)} HTTP/1.1`, HOST, "Accept: */*"), 431],
    ["17 KB of path", lines(`GET /${"a".repeat(17 * 1024)} HTTP/1.1`, HOST), 431],
    [
      "20 KB of chunk extension",
      `${lines(
        "POST /api/user/login HTTP/1.1",
        HOST,
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
      )}2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      413,
    ],
  ];
  test.each(UNREADABLE)("with %s get a JSON error and a closed socket", async (_name, bytes, status) => {
    const reply = await exchange(product.port, bytes);
    // The dialect of the error follows from the path, if the path is readable.
    expectError(reply, /^[A-Z]+ \/v1\//.test(bytes) ? "openai" : "console", status);
    expect(reply.headers.connection).toBe("close");
  });

  test("are answered after an earlier request on the same socket", async () => {
    const wire = await openWire(product.port);
    wire.send(lines("GET /api/health/live HTTP/1.1", HOST));
    await wire.until('"live"');
    wire.send("nonsense\r\n\r\n");
    const all = await wire.ended;
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });
});

describe("request heads that only Node's lenient parser reads", () => {
  const LENIENT: [string, string][] = [
    ["a control character in a header", lines("GET /v1/models HTTP/1.1", HOST, "X-One: a\x01b")],
    [
      "Content-Length and Transfer-Encoding",
      `${lines("POST /v1/models HTTP/1.1", HOST, "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    ],
  ];
  let lenient: Server;
  let started: Product;
  beforeAll(async () => {
    lenient = createServer({ insecureHTTPParser: true }, (_request, response) => response.end());
    await new Promise<void>((resolve) => lenient.listen(0, "127.0.0.1", resolve));
    started = await startProduct({
      nodeAdapterOnly: true,
      // A start with the plain name of the option is refused; Node joins the parts of this one.
      env: { NODE_OPTIONS: '--insecure"-http-parser"' },
    });
  });
  afterAll(async () => {
    lenient.close();
    await started?.close();
  });

  test.each(LENIENT)("with %s get 400, also when Node is started with that parser", async (_name, bytes) => {
    const closing = bytes.replace("\r\n", "\r\nConnection: close\r\n");
    // A server with the lenient parser accepts the same bytes.
    const { port } = lenient.address() as AddressInfo;
    expect((await exchange(port, closing)).status).toBe(200);
    for (const { port } of [product, started]) {
      const reply = await exchange(port, closing);
      expectError(reply, "openai", 400);
      expect(reply.headers.connection).toBe("close");
    }
  });
});

describe("readable request heads that are rejected", () => {
  const many = Array.from({ length: 100 }, (_, i) => `X-${i}: 1`);
  const REFUSED: [string, (path: string) => string, number][] = [
    ["two Hosts", (path) => lines(`GET ${path} HTTP/1.1`, HOST, "Host: evil.example"), 400],
    ["no Host", (path) => lines(`GET ${path} HTTP/1.1`, "Accept: */*"), 400],
    [
      "two keys by two Authorization headers",
      (path) => lines(`GET ${path} HTTP/1.1`, HOST, "Authorization: Bearer a", "Authorization: Bearer b"),
      400,
    ],
    ["101 headers", (path) => lines(`GET ${path} HTTP/1.1`, HOST, ...many), 431],
    [
      "an Upgrade to WebSocket",
      (path) =>
        lines(
          `GET ${path} HTTP/1.1`,
          HOST,
          "Connection: Upgrade",
          "Upgrade: websocket",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ),
      400,
    ],
    ["an unknown expectation", (path) => lines(`GET ${path} HTTP/1.1`, HOST, "Expect: miracles"), 400],
    ["a body in HTTP/1.0", (path) => `${lines(`POST ${path} HTTP/1.0`, HOST, "Content-Length: 2")}{}`, 400],
    ["a backslash in the path", (path) => lines(`GET ${path}\\.. HTTP/1.1`, HOST), 400],
    ["a fragment in the target", (path) => lines(`GET ${path}#x HTTP/1.1`, HOST), 400],
  ];
  const each = REFUSED.flatMap(([name, make, status]) =>
    PATHS.map(([surface, path]) => [name, path, surface, make(path), status] as const),
  );
  test.each(each)("with %s get an error at %s", async (_name, _path, surface, bytes, status) => {
    const reply = await exchange(product.port, bytes);
    expectError(reply, surface, status);
    expect(reply.headers.connection).toBe("close");
  });

  test.each([
    ["an absolute target", "GET http://169.254.169.254/latest/meta-data HTTP/1.1"],
    ["an absolute target of this server", "GET http://localhost/v1/models HTTP/1.1"],
    ["an asterisk", "OPTIONS * HTTP/1.1"],
  ])("with %s get 400 without an outgoing request", async (_name, line) => {
    expectError(await exchange(product.port, lines(line, HOST)), "console", 400);
  });

  test("with CONNECT get 400 and no tunnel", async () => {
    const bytes = lines("CONNECT 127.0.0.1:22 HTTP/1.1", "Host: 127.0.0.1:22");
    expectError(await exchange(product.port, bytes), "console", 400);
  });

  test("exactly 100 headers of about 15 KB in total are accepted", async () => {
    const filler = Array.from({ length: 97 }, (_, i) => `X-${i}: ${"a".repeat(140)}`);
    const bytes = lines("GET /api/health/live HTTP/1.1", HOST, "Connection: close", "Accept: */*", ...filler);
    expect((await exchange(product.port, bytes)).status).toBe(200);
  });

  test("an offer of HTTP/2 is ignored", async () => {
    const bytes = lines(
      "GET /api/health/live HTTP/1.1",
      HOST,
      "Connection: close, Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAAP__",
    );
    expect((await exchange(product.port, bytes)).status).toBe(200);
  });

  test("a rejected upload gets the error while its body is still being sent", async () => {
    const wire = await openWire(product.port);
    wire.send(lines("POST /v1/embeddings HTTP/1.1", HOST, "Host: twice", "Content-Length: 3000000"));
    wire.send("x".repeat(1_500_000));
    const seen = await wire.until("\r\n\r\n");
    wire.send("x".repeat(1_500_000));
    expect(seen).toMatch(/^HTTP\/1\.1 400 /);
    expectError(readReply(await wire.ended), "openai", 400);
  });
});
