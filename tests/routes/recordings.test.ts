import { readdir } from "node:fs/promises";
import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAudioEncoder } from "../../lib/audio/encode/create";
import { MAX_RECORDING_BYTES } from "../../lib/contracts/console/recordings";
import { createDispatcher } from "../../lib/http/core/dispatch";
import type { Inbound } from "../../lib/http/core/exchange";
import { RECORDINGS_ROUTES } from "../../lib/http/routes/console/recordings";
import { workerFile } from "../../lib/server/process/workers";
import { addUser, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { chunked } from "../support/exchange";
import { type TestServices, testServices } from "../support/services";
import { collect, tone } from "../support/tone";

/** `POST /api/recordings/encode`: the audio played in the playground, as a file. */
const SECONDS = 3;
const pcm = await collect(tone(SECONDS));
let services: TestServices;
let cookie: string;
beforeAll(async () => {
  services = await testServices();
  services.encoder = createAudioEncoder({ workerFile: workerFile("encode") });
  cookie = await setUpOwner(openConsoleHarness(services));
});
afterAll(async () => {
  await services.encoder.close();
  await services.close();
});

interface Call {
  format?: string;
  body?: Uint8Array | AsyncIterable<Uint8Array>;
  headers?: Record<string, string>;
  asked?: number[];
}

function encode({ format = "mp3", body = pcm, headers = {}, asked = [] }: Call) {
  const request: Inbound = {
    method: "POST",
    path: "/api/recordings/encode",
    query: `format=${format}`,
    headers: new Map(Object.entries({ cookie, "content-type": "audio/pcm", ...headers })),
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
    requestId: "req-1",
    receivedAt: 0,
    signal: new AbortController().signal,
    onFinished: () => undefined,
    readBody: async () => new Uint8Array(0),
    streamBody: (maxBytes) => {
      asked.push(maxBytes);
      return body instanceof Uint8Array ? chunked(body) : body;
    },
  };
  return createDispatcher(RECORDINGS_ROUTES, async () => services)(request);
}

async function bytesOf(body: Uint8Array | AsyncIterable<Uint8Array> | null): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0);
  return body instanceof Uint8Array ? Buffer.from(body) : collect(body);
}

test.each([
  ["mp3", "audio/mpeg"],
  ["opus", "audio/ogg"],
  ["aac", "audio/aac"],
  ["flac", "audio/flac"],
])("encodes a recording as %s with the same duration", async (format, type) => {
  const asked: number[] = [];
  const reply = await encode({ format, asked });
  expect(reply.status).toBe(200);
  expect(reply.headers["content-type"]).toBe(type);
  expect(asked).toEqual([MAX_RECORDING_BYTES]);
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(await bytesOf(reply.body)) });
  expect(await (await input.getPrimaryAudioTrack())?.getCodec()).toBe(format);
  expect(await input.computeDuration()).toBeCloseTo(SECONDS, 0);
});

test("encodes chunks that end within a sample exactly like the whole recording", async () => {
  const cut = async function* () {
    for (let at = 0; at < pcm.length; at += 4_097) yield pcm.subarray(at, at + 4_097);
  };
  const whole = await bytesOf((await encode({ format: "flac" })).body);
  const inPieces = await bytesOf((await encode({ format: "flac", body: cut() })).body);
  expect(whole.length).toBeGreaterThan(1_000);
  expect(inPieces.equals(whole)).toBe(true);
});

test("encodes an hour in bounded memory and leaves no file", async () => {
  const second = await collect(tone(1));
  let peak = 0;
  const long = async function* () {
    for (let at = 0; at < 3_600; at += 1) {
      if (at % 60 === 0) peak = Math.max(peak, process.memoryUsage().rss);
      yield second;
    }
  };
  const before = process.memoryUsage().rss;
  const reply = await encode({ format: "flac", body: long() });
  expect(reply.status).toBe(200);
  let bytes = 0;
  if (reply.body === null || reply.body instanceof Uint8Array) throw new Error("no stream");
  for await (const chunk of reply.body) {
    bytes += chunk.byteLength;
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  // The samples are 173 MB.
  expect(bytes).toBeGreaterThan(5 * 1024 * 1024);
  expect((peak - before) / 1024 / 1024).toBeLessThan(100);
  expect((await readdir(services.dataDirectory)).filter((name) => name.startsWith("spool-"))).toEqual([]);
}, 60_000);

test.each<[string, Call, number]>([
  ["another content type", { headers: { "content-type": "application/json" } }, 415],
  ["a compressed body", { headers: { "content-encoding": "gzip" } }, 415],
  ["an empty body", { body: new Uint8Array(0) }, 400],
  ["half a sample", { body: pcm.subarray(0, 3) }, 400],
  ["an unknown format", { format: "midi" }, 400],
  ["a request without a session", { headers: { cookie: "" } }, 401],
  ["a request from another site's page", { headers: { origin: "https://elsewhere.example" } }, 403],
])("refuses %s", async (_, call, status) => {
  const reply = await encode(call);
  expect(reply.status).toBe(status);
  expect(JSON.parse((await bytesOf(reply.body)).toString())).toMatchObject({ success: false });
});

test("encodes one recording per user at a time; a disconnect frees the slot", async () => {
  const first = await encode({});
  const asked: number[] = [];
  const second = await encode({ asked });
  expect(second.status).toBe(503);
  expect(asked).toEqual([]);
  if (first.body === null || first.body instanceof Uint8Array) throw new Error("no stream");
  await first.body[Symbol.asyncIterator]().return?.();
  const third = await encode({});
  expect(third.status).toBe(200);
  expect((await bytesOf(third.body)).length).toBeGreaterThan(1_000);
});

test("files that are being downloaded take no encoder from other users", async () => {
  const harness = openConsoleHarness(services);
  const users = await Promise.all(
    ["ann", "ben", "cy"].map((username) => addUser(harness, cookie, { username })),
  );
  for (const user of users) {
    const { status, body } = await encode({ headers: { cookie: user.cookie } });
    // Two of these are never read.
    expect(status).toBe(200);
    if (user === users.at(-1)) expect((await bytesOf(body)).length).toBeGreaterThan(1_000);
  }
});
