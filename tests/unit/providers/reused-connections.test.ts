import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../lib/contracts/limits";
import { hasCode } from "../../../lib/errors";
import { collect } from "../../../lib/providers/outbound/body";
import { createUpstreamClient, type UpstreamClient } from "../../../lib/providers/outbound/create";
import type { UpstreamRequest } from "../../../lib/providers/outbound/request";
import { SYSTEM_CLOCK } from "../../support/factories";
import { callOptions, channelTo } from "../../support/upstream/rig";

/** Number of requests on a connection that get a reply; the next request is answered with a reset. */
let repliesPerConnection: number;
let connections: number;
let server: Server;
let client: UpstreamClient;
let request: UpstreamRequest;

function serve(socket: Socket): void {
  connections += 1;
  let replies = 0;
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    // A body may arrive apart from its head.
    if (!bytes.includes("HTTP/1.1")) return;
    if (replies === repliesPerConnection) socket.resetAndDestroy();
    else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    replies += 1;
  });
}

beforeEach(async () => {
  connections = 0;
  server = createServer(serve).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  client = createUpstreamClient({
    clock: SYSTEM_CLOCK,
    limits: DEFAULT_LIMITS,
    allowed: () => ["127.0.0.1"],
  });
  request = {
    channel: channelTo("openai", { origin: baseUrl }),
    baseUrl,
    method: "POST",
    path: "/x",
    headers: {},
    body: {},
    maxBytes: 100,
    readRefusal: () => ({ words: null, about: null }),
    key: null,
    options: callOptions(),
  };
});
afterEach(async () => {
  await client.close();
  await new Promise((resolve) => server.close(resolve));
});

/** Calls one after another; returns the number of failed ones. */
async function failuresOf(calls: number, call: () => Promise<unknown>): Promise<number> {
  let failures = 0;
  for (let i = 0; i < calls; i += 1) {
    await call().catch((error: unknown) => {
      if (!hasCode(error, "upstream_error")) throw error;
      failures += 1;
    });
  }
  return failures;
}

const whole = () => client.callWhole(request);
const streamed = async () => collect((await client.call(request)).body);

test.each([
  ["whole", whole],
  ["streamed", streamed],
])(
  "stops reusing the connections of an upstream that resets reused connections: %s replies",
  async (_form, call) => {
    repliesPerConnection = 1;
    expect(await failuresOf(60, call)).toBe(3);
    expect(connections).toBe(57);
  },
);

test("keeps reusing connections that are reset after many replies", async () => {
  repliesPerConnection = 20;
  // A call may open a second connection before the first is free again.
  expect(await failuresOf(200, whole)).toBeGreaterThan(5);
  expect(connections).toBeLessThan(15);
});

test("reuses connections again after an outage in which new ones are reset", async () => {
  repliesPerConnection = 0;
  expect(await failuresOf(10, whole)).toBe(10);
  repliesPerConnection = 100;
  connections = 0;
  expect(await failuresOf(50, whole)).toBe(0);
  expect(connections).toBeLessThan(5);
});

test("keeps reusing connections after a restart of the upstream, which resets several at once", async () => {
  repliesPerConnection = 100;
  const atOnce = (calls: number) => Promise.all(Array.from({ length: calls }, () => failuresOf(1, whole)));
  await atOnce(6);
  repliesPerConnection = 1;
  // Fewer calls than open connections, so that no call opens a new one.
  expect(await atOnce(4)).toEqual([1, 1, 1, 1]);
  repliesPerConnection = 100;
  connections = 0;
  expect(await failuresOf(50, whole)).toBe(0);
  expect(connections).toBeLessThan(5);
});
