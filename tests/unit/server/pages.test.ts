import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFileHandler, createRefusal, prepareMessage } from "../../../lib/server/process/pages";
import { sendRaw } from "../../support/raw-request";

const PEER = { address: "192.0.2.1", isLocal: false, isSecure: false };

/** The headers that Next receives for a request with the headers `sent`. */
function headersFor(sent: Record<string, string>): Record<string, unknown> {
  // Only the headers of the message are read.
  const message = { headers: { ...sent } } as unknown as IncomingMessage;
  prepareMessage(message, PEER, "policy", false);
  return message.headers;
}

test.each([
  "x-middleware-subrequest",
  "x-middleware-rewrite",
  "x-invoke-path",
  "x-invoke-status",
  "x-nextjs-data",
  "x-matched-path",
  "x-now-route-matches",
  "x-vercel-id",
  "x-action-revalidated",
  "x-opennext-initial-url",
  "x-forwarded-for",
  "x-forwarded-host",
  "forwarded",
  "x_forwarded_for",
])("deletes a caller's %s before Next sees the request", (name) => {
  expect(Object.keys(headersFor({ [name]: "x" })).sort()).toEqual([
    "content-security-policy",
    "x-patchbay-peer",
  ]);
});

test("passes the other headers and the caller's address to Next", () => {
  const headers = headersFor({ accept: "text/html", rsc: "1", "x-patchbay-peer": "forged;1;1;127.0.0.1" });
  expect(headers).toMatchObject({ accept: "text/html", rsc: "1", "content-security-policy": "policy" });
  expect(headers["x-patchbay-peer"]).toMatch(/^[^;]*;0;0;192\.0\.2\.1$/);
});

describe("the refusal of a method that Next does not know", () => {
  const refuse = createRefusal(() => true);
  const head = (path: string) => ({ path, query: "", headers: new Map<string, string>(), error: null });

  test.each([
    ["TRACE", "session", 405, "GET, HEAD, POST"],
    ["PROPFIND", "csrf", 405, "GET, HEAD"],
    ["REPORT", "signout", 405, "POST"],
    ["TRACE", "callback/credentials", 404, undefined],
  ])("is JSON for %s /api/auth/%s", (method, endpoint, status, allow) => {
    const reply = refuse(method, head(`/api/auth/${endpoint}`));
    expect(reply).toMatchObject({ status });
    expect(reply?.headers.allow).toBe(allow);
    expect(reply?.headers["content-type"]).toContain("application/json");
  });

  test.each(["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"])(
    "leaves %s to Next's route",
    (method) => {
      expect(refuse(method, head("/api/auth/session"))).toBeNull();
    },
  );
});

describe("a static file", () => {
  const root = mkdtempSync(path.join(tmpdir(), "patchbay-files-"));
  const server = createServer();
  let url = "";
  beforeAll(async () => {
    const folder = path.join(root, ".next/patchbay/files");
    mkdirSync(folder, { recursive: true });
    for (const name of ["a.js", "a.js.br", "a.js.gz"]) writeFileSync(path.join(folder, name), name);
    const serve = createFileHandler(root);
    server.on("request", (message, response) =>
      serve(message, response, () => response.end(message.headers["accept-encoding"])),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A server that listens on TCP has an address and a port.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    rmSync(root, { recursive: true, force: true });
  });
  const get = (path: string, accepted: string) =>
    sendRaw(url, { method: "GET", path, headers: { "accept-encoding": accepted } });

  test.each([
    ["gzip, br", "br"],
    ["br;q=0.5", "br"],
    ["br;q=0, gzip", "gzip"],
    ["gzip, br; Q=0.000", "gzip"],
    ["br ; q=0.0, gzip;q=0", undefined],
  ])("is sent for Accept-Encoding %s as %s", async (accepted, encoding) => {
    const reply = await get("/a.js", accepted);
    expect([reply.status, reply.headers["content-encoding"]]).toEqual([200, encoding]);
  });

  test("leaves the header of another path unchanged", async () => {
    expect((await get("/login", "gzip;q=0, *")).text).toBe("gzip;q=0, *");
  });
});
