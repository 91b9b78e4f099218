import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { prepareMessage } from "../../../lib/server/process/pages";

const PEER = { address: "192.0.2.1", isLocal: false, isSecure: false };

/** The headers that Next gets of a request with these headers. */
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
