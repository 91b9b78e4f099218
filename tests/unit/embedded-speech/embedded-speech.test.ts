import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import type { SpeechEvent } from "../../../lib/ports/speech-model";
import {
  createEmbeddedSpeech,
  type EmbeddedSpeech,
  type EmbeddedSpeechOptions,
} from "../../../lib/providers/embedded-speech/create";
import { FakeClock } from "../../support/factories";
import { FAKE_SPEECH_WORKER } from "../../support/speech-worker";

const SECOND = 48_000;
const LONG =
  "It rained and rained until the river stood as high as the old stone bridge by the mill. ".repeat(360);

const clock = new FakeClock();
const models: EmbeddedSpeech[] = [];
afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.close()));
});

function open(options: Partial<EmbeddedSpeechOptions> = {}): EmbeddedSpeech {
  const model = createEmbeddedSpeech({ workerFile: FAKE_SPEECH_WORKER, clock, maxWorkers: 1, ...options });
  models.push(model);
  return model;
}

interface Call {
  firstByteIn?: number;
  signal?: AbortSignal;
  ownerId?: string;
}

function speak(model: EmbeddedSpeech, text: string, { firstByteIn = 60_000, signal, ownerId }: Call = {}) {
  const request = { model: "patchbay-speech", segments: [{ text, voice: "Kore" }], speed: 1 };
  const options = {
    signal: signal ?? new AbortController().signal,
    requestId: "req",
    ownerId,
    firstByteBy: clock.now() + firstByteIn,
  };
  return model.synthesize(request, options)[Symbol.asyncIterator]();
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

const untilIdle = (model: EmbeddedSpeech) =>
  until(() => model.stats().busy === 0 && model.stats().waiting === 0);

function bytesOf(result: IteratorResult<SpeechEvent>): Uint8Array {
  return !result.done && result.value.type === "audio" ? result.value.pcm : new Uint8Array(0);
}

async function readAll(call: AsyncIterator<SpeechEvent>, pieces: Uint8Array[] = []): Promise<Buffer> {
  for (let next = await call.next(); !next.done; next = await call.next()) pieces.push(bytesOf(next));
  return Buffer.concat(pieces);
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Memory that this process holds, including audio outside of the heap. */
async function liveBytes(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("a slow reader", () => {
  it("gets at most two chunks of ten seconds generated ahead, even for a text of 32,000 characters", async () => {
    const model = open();
    const call = speak(model, LONG);
    let read = 0;
    for (let i = 0; i < 300; i++) {
      read += bytesOf(await call.next()).length;
      if (i % 50 === 0) await untilIdle(model);
      expect(model.stats().bufferBytes).toBeLessThanOrEqual(2 * 10 * SECOND);
    }
    await untilIdle(model);
    expect(model.stats().chunks).toBeLessThan(read / (4 * SECOND) + 3);
    await call.return?.(undefined);
    expect(model.stats()).toMatchObject({ open: 0, bufferBytes: 0 });
  });

  it("uses at most 64 KB as one of 500 slow readers, and receives all audio", async () => {
    const model = open();
    const text = LONG.slice(0, 1_000);
    const whole = await readAll(speak(model, text));
    const before = await liveBytes();
    const calls = [];
    for (let i = 0; i < 500; i++) {
      const call = speak(model, text);
      calls.push({ call, pieces: [bytesOf(await call.next())] });
      clock.advance(20);
    }
    await untilIdle(model);
    clock.advance(2_000);
    await speak(model, "One more call arrives.").next();
    expect(model.stats()).toMatchObject({ open: 501 });
    expect(model.stats().bufferBytes).toBeLessThan(500 * 64 * 1024);
    expect((await liveBytes()) - before).toBeLessThan(500 * 64 * 1024);

    for (const { call, pieces } of calls.slice(0, 20)) {
      expect((await readAll(call, pieces)).length).toBe(whole.length);
    }
    await Promise.all(calls.map(({ call }) => call.return?.(undefined)));
  }, 60_000);

  it("receives every sample once when audio was released and generated again", async () => {
    const model = open({ bufferBytes: 1 });
    const text = LONG.slice(0, 90);
    const samples = async (stallMs: number) => {
      const call = speak(model, text);
      const pieces: Uint8Array[] = [];
      for (let next = await call.next(); !next.done; next = await call.next()) {
        pieces.push(bytesOf(next));
        clock.advance(stallMs);
        // Another caller's chunk makes the stalled reader release its own.
        if (stallMs > 0) await readAll(speak(model, "Hi."));
      }
      const bytes = Buffer.concat(pieces);
      return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    };
    const straight = await samples(0);
    const before = model.stats().chunks;
    const stalled = await samples(2_000);
    expect(stalled.length).toBe(straight.length);
    const again = model.stats().chunks - before;
    expect(again).toBeGreaterThan(straight.length / 24_000 / 4);
    // Only fades of 5 ms on either side of each seam differ.
    const differing = stalled.filter((sample, i) => sample !== straight[i]).length;
    expect(differing).toBeGreaterThan(0);
    expect(differing).toBeLessThan(again * 2 * 120);
    expect(stalled.every((sample, i) => sample >= 0 && sample <= (straight[i] ?? 0))).toBe(true);
  });
});

describe("too many calls", () => {
  it("are refused immediately when the queue is full, with a retry time", async () => {
    const model = open({ maxWaiting: 2 });
    const calls = [speak(model, "hang on"), speak(model, "wait")];
    const firsts = Promise.allSettled(calls.map((call) => call.next()));
    // A text is read in steps: a later call may overtake an earlier one.
    await until(() => model.stats().busy + model.stats().waiting === 2);
    await expect(speak(model, "too many").next()).rejects.toMatchObject({
      code: "overloaded",
      details: { retryAfterMs: expect.any(Number) },
    });
    await model.close();
    expect((await firsts).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(model.stats().open).toBe(0);
  });

  it("are refused when their first audio would be too late", async () => {
    const model = open();
    const firsts = Promise.allSettled(
      ["hang on", "wait", "wait too"].map((text) => speak(model, text).next()),
    );
    await until(() => model.stats().busy + model.stats().waiting === 3);
    await expect(speak(model, "in a hurry", { firstByteIn: 50 }).next()).rejects.toMatchObject({
      code: "overloaded",
    });
    await model.close();
    await firsts;
  });

  it("fail when their turn comes after their first audio was due", async () => {
    const model = open();
    const first = speak(model, "First.").next();
    await until(() => model.stats().busy === 1);
    const late = expect(speak(model, "Second.", { firstByteIn: 1_000 }).next()).rejects.toMatchObject({
      code: "upstream_timeout",
    });
    while (model.stats().waiting === 0) await new Promise(setImmediate);
    clock.advance(2_000);
    await late;
    expect(bytesOf(await first).length).toBeGreaterThan(0);
  });

  it("of one owner take three quarters of the open calls at most", async () => {
    const model = open({ maxOpen: 4 });
    const calls = [1, 2, 3].map(() => speak(model, LONG, { ownerId: "usr_a" }));
    for (const call of calls) await call.next();
    await expect(speak(model, "one more", { ownerId: "usr_a" }).next()).rejects.toMatchObject({
      code: "overloaded",
    });
    expect(bytesOf(await speak(model, "another", { ownerId: "usr_b" }).next()).length).toBeGreaterThan(0);
    await calls[0]?.return?.(undefined);
    expect(bytesOf(await speak(model, "again", { ownerId: "usr_a" }).next()).length).toBeGreaterThan(0);
  });

  it("of one owner do not delay the first audio of another", async () => {
    const model = open();
    const order: string[] = [];
    const first = (ownerId: string) =>
      speak(model, "One sentence.", { ownerId })
        .next()
        .then(() => order.push(ownerId));
    await Promise.all([...Array.from({ length: 8 }, () => first("usr_a")), first("usr_b")]);
    expect(order.indexOf("usr_b")).toBeLessThan(4);
  });

  it("are refused beyond the limit of open calls", async () => {
    const model = open({ maxOpen: 1 });
    const first = speak(model, LONG);
    await first.next();
    await expect(speak(model, "one more").next()).rejects.toMatchObject({ code: "overloaded" });
    await first.return?.(undefined);
    expect(bytesOf(await speak(model, "one more").next()).length).toBeGreaterThan(0);
  });
});

it("a call does nothing before the first next()", () => {
  const model = open();
  speak(model, LONG);
  expect(model.stats()).toMatchObject({ workers: 0, open: 0 });
});

it("stops the work of a caller who leaves, and frees the worker for the next", async () => {
  const model = open();
  const leaving = new AbortController();
  const call = speak(model, LONG, { signal: leaving.signal });
  await call.next();
  leaving.abort();
  await expect(call.next()).rejects.toMatchObject({ code: "caller_left" });
  await untilIdle(model);
  const { chunks } = model.stats();
  expect(model.stats()).toMatchObject({ open: 0, busy: 0, waiting: 0, bufferBytes: 0 });
  expect(chunks).toBeLessThanOrEqual(2);
  expect(bytesOf(await speak(model, "Next, please.").next()).length).toBeGreaterThan(0);
});

it("rejects the call of a caller who leaves before the first audio", async () => {
  const model = open();
  const leaving = new AbortController();
  const blocking = expect(speak(model, "hang on").next()).rejects.toMatchObject({ code: "overloaded" });
  const first = speak(model, "waiting", { signal: leaving.signal }).next();
  await expect.poll(() => model.stats()).toMatchObject({ open: 2, waiting: 1 });
  leaving.abort();
  await expect(first).rejects.toMatchObject({ code: "caller_left" });
  expect(model.stats()).toMatchObject({ open: 1, waiting: 0 });
  await model.close();
  await blocking;
});

it("fails only the call whose worker crashes", async () => {
  const model = open();
  const [crashed, fine] = [speak(model, "crash now").next(), speak(model, "All is well.").next()];
  await expect(crashed).rejects.toMatchObject({ code: "upstream_error" });
  expect(bytesOf(await fine).length).toBeGreaterThan(0);
  expect(model.stats().crashes).toBe(1);
});
