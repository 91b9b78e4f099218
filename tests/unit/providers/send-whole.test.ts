import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../lib/contracts/limits";
import { AppError, isAppError } from "../../../lib/errors";
import { UpstreamProgress } from "../../../lib/ports/upstream-progress";
import { collect } from "../../../lib/providers/outbound/body";
import { createUpstreamClient, type UpstreamClient } from "../../../lib/providers/outbound/create";
import type { UpstreamRequest } from "../../../lib/providers/outbound/request";
import { SYSTEM_CLOCK } from "../../support/factories";
import { until } from "../../support/routed-product";
import { callOptions, channelTo } from "../../support/upstream/rig";

/** `callWhole` compared with `call` and `collect`: the same bytes or the same error for every reply. */

const MAX_BYTES = 2_000;
/** Idle time of the channel, several times the pause between pieces that must arrive in time. */
const SHORT_MS = 200;
const TEXT = Buffer.from("x".repeat(1_500));
const ZIPPED = gzipSync(TEXT);

/**
 * Pieces to send, each in its own packet, and pauses in milliseconds; the connection closes after them unless the last is
 * `stay`.
 */
type Script = (string | Buffer | number | "stay")[];

const head = (status: number, fields: string): string => `HTTP/1.1 ${status} Status\r\n${fields}\r\n\r\n`;
const ok = (fields: string): string => head(200, fields);
const refusal = JSON.stringify({ error: { message: "no such thing" } });

const SCRIPTS: Record<string, Script> = {
  whole: [ok("content-length: 1500"), TEXT, "stay"],
  "in pieces": [
    ok("content-length: 1500"),
    TEXT.subarray(0, 1),
    TEXT.subarray(1, 700),
    TEXT.subarray(700),
    "stay",
  ],
  chunked: [ok("transfer-encoding: chunked"), "3\r\nabc\r\n", "2\r\nde\r\n0\r\n\r\n", "stay"],
  "in forty pieces": [
    ok("content-length: 1480"),
    ...Array.from({ length: 40 }, (_, index) => String(index % 10).repeat(37)),
    "stay",
  ],
  "chunked, in forty pieces": [
    ok("transfer-encoding: chunked"),
    ...Array.from({ length: 40 }, (_, index) => `25\r\n${String(index % 10).repeat(37)}\r\n`),
    "0\r\n\r\n",
    "stay",
  ],
  empty: [ok("content-length: 0"), "stay"],
  "ended by the connection": [ok("content-type: text/plain"), "abc"],
  "after early hints": ["HTTP/1.1 103 Early Hints\r\n\r\n", ok("content-length: 1"), "a", "stay"],
  compressed: [ok(`content-encoding: gzip\r\ncontent-length: ${ZIPPED.length}`), ZIPPED, "stay"],
  "compressed, cut": [ok(`content-encoding: gzip\r\ncontent-length: 9`), ZIPPED.subarray(0, 9), "stay"],
  "compressed, broken": [ok("content-encoding: gzip\r\ncontent-length: 3"), "abc", "stay"],
  "compressed, unknown": [ok("content-encoding: zstd\r\ncontent-length: 3"), "abc", "stay"],
  "too large": [ok("content-length: 2001"), Buffer.alloc(2_001), "stay"],
  "too large, chunked": [
    ok("transfer-encoding: chunked"),
    "800\r\n",
    Buffer.alloc(2_048),
    "\r\n0\r\n\r\n",
    "stay",
  ],
  "cut in its body": [ok("content-length: 1500"), TEXT.subarray(0, 9)],
  "cut in a chunk": [ok("transfer-encoding: chunked"), "3\r\nab"],
  "cut in its head": ["HTTP/1.1 200 OK\r\ncontent-le"],
  "no reply": [],
  "not HTTP": ["hello, who is there?\r\n\r\n", "stay"],
  silent: ["stay"],
  "silent after its head": [ok("content-length: 5"), "stay"],
  stalled: [ok("content-length: 5"), "abc", "stay"],
  "later than its first byte may be": [
    ok("content-length: 20"),
    ...Array.from({ length: 20 }, () => ["a", SHORT_MS / 4]).flat(),
    "stay",
  ],
  redirect: [head(302, "location: /there\r\ncontent-length: 0"), "stay"],
  "an invalid request": [head(400, `content-length: ${refusal.length}`), refusal, "stay"],
  "a limit": [head(429, "retry-after: 7\r\ncontent-length: 0"), "stay"],
  "an error, cut": [head(503, "content-length: 100"), "abc"],
  "an error, silent": [head(500, "content-length: 100"), "abc", "stay"],
  "an error, long": [head(500, "content-length: 70000"), Buffer.alloc(70_000), "stay"],
};

let script: Script = [];
const sockets = new Set<Socket>();
let connections = 0;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function play(socket: Socket): Promise<void> {
  for (const piece of script) {
    if (piece === "stay") return;
    if (typeof piece !== "number") socket.write(piece);
    await pause(typeof piece === "number" ? piece : 2);
  }
  socket.end();
}

let server: Server;
let client: UpstreamClient;
let origin = "";
beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (data) => {
      if (data.includes("\r\n\r\n")) void play(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createUpstreamClient({
    clock: SYSTEM_CLOCK,
    limits: DEFAULT_LIMITS,
    allowed: () => ["127.0.0.1"],
  });
});
afterAll(async () => {
  await client.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

function request(fields: Partial<UpstreamRequest> = {}): UpstreamRequest {
  const channel = channelTo("openai", { origin }, { timeouts: { idleMs: SHORT_MS } });
  return {
    channel,
    baseUrl: `${origin}/v1`,
    method: "POST",
    path: "/embeddings",
    headers: {},
    body: { input: "a" },
    maxBytes: MAX_BYTES,
    readRefusal: (_status, body) => ({ words: body === null ? null : "words", about: null }),
    key: null,
    options: callOptions({ firstByteBy: performance.now() + 4 * SHORT_MS, progress: new UpstreamProgress() }),
    ...fields,
  };
}

/** The bytes of a reply as text, or its error. */
async function outcomeOf(reply: Promise<Uint8Array>, { options }: UpstreamRequest): Promise<unknown> {
  const hasHead = () => options.progress?.hasHead;
  try {
    return { text: Buffer.from(await reply).toString("latin1"), hasHead: hasHead() };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { code: error.code, message: error.message, details: error.details, hasHead: hasHead() };
  }
}

/** The outcome of `callWhole`, then that of `call` and `collect`. */
async function both(fields: () => Partial<UpstreamRequest> = () => ({})): Promise<[unknown, unknown]> {
  const first = request(fields());
  const whole = await outcomeOf(client.callWhole(first), first);
  const second = request(fields());
  const slow = await outcomeOf(
    client.call(second).then(({ body }) => collect(body)),
    second,
  );
  return [whole, slow];
}

test.each(Object.keys(SCRIPTS))(
  "callWhole returns the result of a streamed reply that is read to its end: %s",
  async (name) => {
    script = SCRIPTS[name] ?? [];
    const [whole, slow] = await both();
    expect(whole).toEqual(slow);
  },
);

test.each([
  [101, "upgrade: websocket\r\nconnection: upgrade", "with status 101, which was not requested"],
  [204, "x: y", "with status 204 and no content"],
  [205, "content-length: 0", "with status 205 and no content"],
  [205, "content-length: 5", "with status 205 and no content"],
])("call and callWhole reject a reply with status %i, and name it", async (status, fields, words) => {
  script = [head(status, fields), "stay"];
  const expected = {
    code: "upstream_invalid",
    message: `The channel's upstream answered ${words}.`,
    details: { upstreamStatus: status },
  };
  expect(await both()).toMatchObject([expected, expected]);
});

test("call and callWhole limit the informational heads before a reply", async () => {
  const reply = [ok("content-length: 1"), "a", "stay" as const];
  const informational = (count: number) => "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(count);
  script = [informational(1_000), ...reply];
  expect(await both()).toMatchObject([{ text: "a" }, { text: "a" }]);
  script = [informational(4_000), ...reply];
  const expected = { code: "upstream_invalid" };
  expect(await both()).toMatchObject([expected, expected]);
});

test.each([
  {
    does: "reads a reply of a second whose pieces arrive in time",
    totalMs: 60_000,
    expected: { text: "a".repeat(20) },
  },
  {
    does: "ends a reply at the total time of its channel",
    totalMs: 3 * SHORT_MS,
    expected: { code: "upstream_timeout", hasHead: true },
  },
])("callWhole $does", async ({ totalMs, expected }) => {
  script = SCRIPTS["later than its first byte may be"] ?? [];
  const timeouts = { idleMs: SHORT_MS, totalMs };
  const { channel, options, ...fields } = request();
  const timed = { ...fields, options, channel: { ...channel, timeouts } };
  const whole = await outcomeOf(client.callWhole(timed), timed);
  expect(whole).toMatchObject(expected);
});

test("callWhole rejects with the reason of an abort and closes its connection", async () => {
  script = [ok("content-length: 5"), "abc", "stay"];
  const left = new AppError("caller_left", "left");
  const open = sockets.size;
  const [whole, slow] = await both(() => {
    const controller = new AbortController();
    const progress = new UpstreamProgress();
    void until(() => progress.hasHead).then(() => controller.abort(left));
    return { options: callOptions({ signal: controller.signal, progress }) };
  });
  expect(whole).toEqual(slow);
  expect(whole).toMatchObject({ code: "caller_left", hasHead: true });
  const already = AbortSignal.abort(left);
  await expect(client.callWhole(request({ options: callOptions({ signal: already }) }))).rejects.toBe(left);
  await expect.poll(() => sockets.size).toBeLessThanOrEqual(open);
});

test("callWhole reuses connections after a complete reply, and checks a changed base URL", async () => {
  script = [ok("content-length: 2"), "ab", "stay"];
  const before = connections;
  const first = request();
  for (let call = 0; call < 6; call++) await client.callWhole({ ...first, options: callOptions() });
  // undici frees a connection one turn of the event loop after its reply.
  expect(connections - before).toBeLessThanOrEqual(2);
  const moved = { ...first, baseUrl: "http://10.0.0.1/v1", options: callOptions() };
  await expect(client.callWhole(moved)).rejects.toMatchObject({ code: "upstream_error" });
});

test("callWhole replaces a channel's connections after five minutes, and closes the old ones", async () => {
  script = [ok("content-length: 2"), "ab", "stay"];
  let later = 0;
  const clock = { now: Date.now, monotonic: () => performance.now() + later };
  const own = createUpstreamClient({ clock, limits: DEFAULT_LIMITS, allowed: () => ["127.0.0.1"] });
  const { options: _, ...fields } = request();
  const call = async () => {
    await own.callWhole({ ...fields, options: callOptions({ firstByteBy: clock.monotonic() + 10_000 }) });
    // undici frees a connection one turn of the event loop after its reply.
    await pause(5);
    return connections;
  };
  const first = await call();
  const open = sockets.size;
  later = 290_000;
  expect(await call()).toBe(first);
  later = 300_001;
  expect(await call()).toBe(first + 1);
  await expect.poll(() => sockets.size).toBeLessThanOrEqual(open);
  await own.close();
});

test.each([
  { concurrency: null, calls: 300, expected: 300 },
  { concurrency: 2, calls: 5, expected: 2 },
])("has a connection for each of $calls running calls, with a concurrency of $concurrency", async (given) => {
  script = [ok("content-length: 2"), "a", "stay"];
  const channel = channelTo("openai", { origin }, { concurrency: given.concurrency });
  const controller = new AbortController();
  const before = connections;
  const calls = Array.from({ length: given.calls }, () =>
    client.callWhole(request({ channel, options: callOptions({ signal: controller.signal }) })),
  );
  const ended = Promise.allSettled(calls);
  await expect.poll(() => connections - before).toBe(given.expected);
  controller.abort(new AppError("caller_left", "left"));
  await ended;
  expect(connections - before).toBe(given.expected);
});
