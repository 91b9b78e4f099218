import { afterEach, expect, it, vi } from "vitest";
import { SpeechPool, startThread } from "../../../lib/providers/embedded-speech/pool";
import type { SpeechChunk } from "../../../lib/providers/embedded-speech/protocol";
import { BYTES_PER_CHARACTER, FAKE_SPEECH_WORKER } from "../../support/speech-worker";

const pools: SpeechPool[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function openPool(maxWorkers = 1): SpeechPool {
  const pool = new SpeechPool({
    start: () => startThread(FAKE_SPEECH_WORKER),
    maxWorkers,
    idleMs: 50_000,
    chunkTimeoutMs: 20_000,
  });
  pools.push(pool);
  return pool;
}

const chunk = (text: string): SpeechChunk => ({
  text,
  language: "en",
  context: text,
  voice: "Kore",
  speed: 1,
  pauseMs: 0,
});
const speak = (pool: SpeechPool, text: string) => pool.speak(chunk(text), () => {});

it("speaks chunks in the order of their calls", async () => {
  const pool = openPool();
  const order: string[] = [];
  await Promise.all(
    ["a", "bb", "ccc"].map(async (text) => {
      const pcm = await speak(pool, text).pcm;
      expect(pcm.length).toBe(text.length * BYTES_PER_CHARACTER);
      order.push(text);
    }),
  );
  expect(order).toEqual(["a", "bb", "ccc"]);
  expect(pool.stats()).toMatchObject({ workers: 1, busy: 0, waiting: 0, chunks: 3, crashes: 0 });
});

it("speaks the chunks of owners in turn, so that an owner with many chunks does not delay another", async () => {
  const pool = openPool();
  const order: string[] = [];
  const queue = (text: string, owner: string) =>
    pool.speak(chunk(text), () => {}, owner).pcm.then(() => order.push(text));
  const all = ["a1", "a2", "a3", "a4"].map((text) => queue(text, "usr_a"));
  expect(pool.queueMs("usr_b")).toBeLessThan(pool.queueMs("usr_a"));
  all.push(...["b1", "b2"].map((text) => queue(text, "usr_b")));
  await Promise.all(all);
  expect(order).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
});

it("starts at most the given number of workers", async () => {
  const pool = openPool(2);
  const all = ["a", "b", "c", "d"].map((text) => speak(pool, text).pcm);
  expect(pool.stats()).toMatchObject({ workers: 2, busy: 2, waiting: 2 });
  await Promise.all(all);
});

it("fails the chunk of a worker that crashed with a message, and speaks the next with a new worker", async () => {
  const pool = openPool();
  const crashed = speak(pool, "crash");
  const next = speak(pool, "after");
  await expect(crashed.pcm).rejects.toMatchObject({
    code: "upstream_error",
    message: "The embedded speech engine failed.",
  });
  expect((await next.pcm).length).toBeGreaterThan(0);
  expect(pool.stats()).toMatchObject({ workers: 1, crashes: 1 });
});

it("passes on a worker's error and keeps the worker", async () => {
  const pool = openPool();
  await expect(speak(pool, "refuse").pcm).rejects.toMatchObject({
    code: "invalid",
    message: "No, thank you.",
  });
  await speak(pool, "after").pcm;
  expect(pool.stats()).toMatchObject({ workers: 1, crashes: 0 });
});

it("stops a worker that takes too long for a chunk", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const pool = openPool();
  const stuck = speak(pool, "hang");
  const failed = expect(stuck.pcm).rejects.toMatchObject({ code: "upstream_timeout" });
  vi.advanceTimersByTime(20_000);
  await failed;
  expect((await speak(pool, "after").pcm).length).toBeGreaterThan(0);
});

it("stops a worker after 50 idle seconds, and starts a new one for the next chunk", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const pool = openPool();
  await speak(pool, "one").pcm;
  vi.advanceTimersByTime(49_999);
  expect(pool.stats().workers).toBe(1);
  vi.advanceTimersByTime(1);
  expect(pool.stats().workers).toBe(0);
  await speak(pool, "two").pcm;
  expect(pool.stats()).toMatchObject({ workers: 1, crashes: 0 });
});

it("never speaks a chunk that was cancelled in the queue, and drops a running one", async () => {
  const pool = openPool();
  const running = speak(pool, "running");
  const queued = speak(pool, "queued");
  const kept = speak(pool, "kept");
  running.cancel();
  queued.cancel();
  await expect(running.pcm).rejects.toMatchObject({ code: "caller_left" });
  await expect(queued.pcm).rejects.toMatchObject({ code: "caller_left" });
  await kept.pcm;
  // The running chunk was finished and dropped; the queued one was never started.
  expect(pool.stats()).toMatchObject({ chunks: 2, busy: 0, waiting: 0 });
});

it("does not start a chunk whose check fails when its turn comes", async () => {
  const pool = openPool();
  const late = pool.speak(chunk("late"), () => {
    throw new Error("too late");
  });
  await expect(late.pcm).rejects.toThrow("too late");
  await speak(pool, "after").pcm;
  expect(pool.stats().chunks).toBe(1);
});

it("fails the remaining chunks when it closes", async () => {
  const pool = openPool();
  const all = [speak(pool, "hang"), speak(pool, "queued")];
  const failed = Promise.all(all.map(({ pcm }) => expect(pcm).rejects.toMatchObject({ code: "overloaded" })));
  await pool.close();
  await failed;
  await expect(speak(pool, "later").pcm).rejects.toMatchObject({ code: "overloaded" });
});
