import { mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "../../../lib/errors";
import type { EmbeddingModel } from "../../../lib/ports/embedding-model";
import type { CallOptions, SpeechEvent, SpeechModel } from "../../../lib/ports/speech-model";
import type { StopSignal } from "../../../lib/ports/stop-signal";
import { withEngineHost } from "../../../lib/providers/engine-pool/client";
import { type EngineHost, serveEngines } from "../../../lib/providers/engine-pool/host";
import type { ProvidersOfProcess } from "../../../lib/providers/registry";
import { channelRecord, SYSTEM_CLOCK } from "../../support/factories";

/** Engines behind a Unix socket: a process receives what the engine returns. */

const CHANNEL = channelRecord({ embedded: true, provider: "embedded-speech" });
const REQUEST = { model: "m", segments: [{ text: "Hello.", voice: "kore" }], speed: 1 };

let folder: string;
let host: EngineHost;
let providers: ProvidersOfProcess;
let speak: SpeechModel["synthesize"];
let embed: EmbeddingModel["embed"];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "patchbay-engines-"));
  const socket = path.join(folder, "engines.sock");
  const speech: SpeechModel = {
    synthesize: (request, options) => speak(request, options),
    voices: async () => [],
    supportedFields: () => ["languageCode"],
  };
  const engines = {
    speech: () => speech,
    embedding: () => ({ embed: (...call: Parameters<typeof embed>) => embed(...call) }),
  };
  host = await serveEngines(engines, SYSTEM_CLOCK, socket);
  // The process uses only these parts of its own providers.
  const local = { ...engines, close: async () => undefined } as unknown as ProvidersOfProcess;
  providers = withEngineHost(local, socket, SYSTEM_CLOCK);
});
afterEach(async () => {
  await providers.close();
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function options(signal = new AbortController().signal): CallOptions {
  return { signal, requestId: "req", firstByteBy: SYSTEM_CLOCK.monotonic() + 30_000 };
}

async function collect(events: AsyncIterable<SpeechEvent>): Promise<SpeechEvent[]> {
  const all: SpeechEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test("passes audio and its end unchanged, the call's owner, and the time left for the first byte", async () => {
  let leftMs = 0;
  speak = async function* (request, { firstByteBy, ownerId }) {
    expect(ownerId).toBe("usr_1");
    leftMs = firstByteBy - SYSTEM_CLOCK.monotonic();
    expect(request).toEqual(REQUEST);
    yield { type: "audio", pcm: Uint8Array.of(1, 2, 3, 4) };
    yield { type: "audio", pcm: new Uint8Array(200_000).fill(7) };
    yield { type: "end", usage: { inputTokens: 3, outputTokens: null }, finishReason: "STOP" };
  };
  const source = { dialect: "openai" as const, body: { input: "Hello." } };
  const model = providers.speech(CHANNEL);
  expect(model.supportedFields?.("m")).toEqual(["languageCode"]);
  const events = await collect(model.synthesize({ ...REQUEST, source }, { ...options(), ownerId: "usr_1" }));
  expect(events).toEqual([
    { type: "audio", pcm: Uint8Array.of(1, 2, 3, 4) },
    { type: "audio", pcm: new Uint8Array(200_000).fill(7) },
    { type: "end", usage: { inputTokens: 3, outputTokens: null }, finishReason: "STOP" },
  ]);
  expect(leftMs).toBeGreaterThan(20_000);
  expect(leftMs).toBeLessThanOrEqual(30_000);
});

test("passes vectors unchanged", async () => {
  const vectors = [Float32Array.of(0.1, -2.5e-30, 3), Float32Array.of(1, 2, 3)];
  embed = async () => ({ vectors, inputTokens: 5 });
  const result = await providers.embedding(CHANNEL).embed({ model: "m", texts: ["a", "b"] }, options());
  expect(result).toEqual({ vectors, inputTokens: 5 });
});

test("passes the engine's error with its code, before and after the first audio", async () => {
  speak = async function* () {
    yield* [];
    throw new AppError("invalid", "voice 'x' is not known.", { param: "voice" });
  };
  await expect(collect(providers.speech(CHANNEL).synthesize(REQUEST, options()))).rejects.toMatchObject({
    code: "invalid",
    message: "voice 'x' is not known.",
    details: { param: "voice" },
  });
  speak = async function* () {
    yield { type: "audio", pcm: Uint8Array.of(1, 2) };
    throw new AppError("overloaded", "queue full", { retryAfterMs: 500 }, new Error("32 waiting"));
  };
  await expect(collect(providers.speech(CHANNEL).synthesize(REQUEST, options()))).rejects.toMatchObject({
    code: "overloaded",
    details: { retryAfterMs: 500 },
    cause: { message: "32 waiting" },
  });
  speak = async function* () {
    yield* [];
    throw new Error("no such file");
  };
  await expect(collect(providers.speech(CHANNEL).synthesize(REQUEST, options()))).rejects.toMatchObject({
    code: "internal",
    cause: { message: "no such file" },
  });
});

test("rejects a call whose engine stops without an end with upstream_truncated", async () => {
  speak = async function* () {
    yield { type: "audio", pcm: Uint8Array.of(1, 2) };
  };
  await expect(collect(providers.speech(CHANNEL).synthesize(REQUEST, options()))).rejects.toMatchObject({
    code: "upstream_truncated",
  });
});

test.each(["leaves the loop", "aborts the signal"])("an engine stops when the caller %s", async (how) => {
  let resolveStopped: (signal: StopSignal) => void = () => undefined;
  const stopped = new Promise<StopSignal>((resolve) => {
    resolveStopped = resolve;
  });
  speak = async function* (_request, { signal }) {
    try {
      for (;;) {
        if (signal.aborted) throw signal.reason;
        yield { type: "audio", pcm: new Uint8Array(1_000) };
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    } finally {
      resolveStopped(signal);
    }
  };
  const caller = new AbortController();
  const reason = new AppError("upstream_timeout", "too slow");
  const work = (async () => {
    for await (const _ of providers.speech(CHANNEL).synthesize(REQUEST, options(caller.signal))) {
      if (how === "leaves the loop") return "left";
      caller.abort(reason);
    }
    return "ended";
  })();
  if (how === "leaves the loop") expect(await work).toBe("left");
  else await expect(work).rejects.toBe(reason);
  expect((await stopped).aborted).toBe(true);
});

test("an engine waits for a caller that does not read", async () => {
  let made = 0;
  speak = async function* () {
    for (; made < 1_000; made++) yield { type: "audio", pcm: new Uint8Array(100_000) };
    yield { type: "end", usage: { inputTokens: null, outputTokens: null }, finishReason: "STOP" };
  };
  const events = providers.speech(CHANNEL).synthesize(REQUEST, options())[Symbol.asyncIterator]();
  await events.next();
  const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
  await pause();
  const before = made;
  await pause();
  // Buffers of the socket and of both processes are full: a few megabytes of a hundred.
  expect(made).toBe(before);
  expect(made).toBeLessThan(100);
  await events.return?.();
});

test("rejects a call with upstream_error when the host is gone", async () => {
  await host.close();
  await expect(collect(providers.speech(CHANNEL).synthesize(REQUEST, options()))).rejects.toMatchObject({
    code: "upstream_error",
  });
});

test("touches the socket and its folder each hour, since systems remove old files from temporary folders", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const other = path.join(folder, "other.sock");
  const unused = () => {
    throw new Error("No call is made.");
  };
  const started = await serveEngines({ speech: unused, embedding: unused }, SYSTEM_CLOCK, other);
  try {
    for (const file of [other, folder]) utimesSync(file, 1, 1);
    vi.advanceTimersByTime(3_600_000);
    await expect.poll(() => [other, folder].every((file) => statSync(file).mtimeMs > 1_000)).toBe(true);
  } finally {
    await started.close();
    vi.useRealTimers();
  }
});
