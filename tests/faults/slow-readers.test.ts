import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { sendRaw, type Wire } from "../support/raw-request";
import { bookedCalls, ENDLESS, geminiSpeech, openSpeech, STREAM_PATH } from "../support/speech-call";

/** Readers who stop reading, and callers who leave (RELIABILITY RB-9, RB-21). `PATCHBAY_TEST_READERS=500` for the whole promise. */
const READERS = Number(process.env.PATCHBAY_TEST_READERS ?? 60);
const PARTY = 10;
const KB_PER_STREAM = 64;
/** Heap that is not collected yet, and what the engines' memory grows by at their first calls. */
const SLACK_KB = 100 * 1024;

let product: Product;
let key: string;
beforeAll(async () => {
  product = await startProduct({ doorOnly: true });
  key = await createKey(product.url, await setUp(product.url));
  // The engines are up, so that their own memory is part of the base.
  const speech = await openSpeech(product.port, key, STREAM_PATH, geminiSpeech("Good morning. Good night."));
  await speech.until("0\r\n\r\n");
  speech.destroy();
});
afterAll(() => product?.close());

async function numbers(): Promise<{ cpuSeconds: number; memoryKb: number; inFlight: number }> {
  const { text } = await sendRaw(product.url, { method: "GET", path: "/metrics" });
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return {
    cpuSeconds: value("process_cpu_seconds_total"),
    memoryKb: value("process_resident_memory_bytes") / 1024,
    inFlight: value("patchbay_requests_in_flight"),
  };
}

/** Resolves when the process has stopped working: half a second that took less than a tenth of one. */
async function untilIdle(): Promise<void> {
  let last = await numbers();
  await expect
    .poll(
      async () => {
        const now = await numbers();
        const spent = now.cpuSeconds - last.cpuSeconds;
        last = now;
        return spent;
      },
      { timeout: 90_000, interval: 500 },
    )
    .toBeLessThan(0.1);
}

const endless = (path = STREAM_PATH, id = "") =>
  openSpeech(product.port, key, path, geminiSpeech(ENDLESS), id ? { "x-request-id": id } : {});

test(`${READERS} readers who stop reading stop the engines, at ${KB_PER_STREAM} KB of memory each`, {
  timeout: 180_000,
}, async () => {
  await untilIdle();
  const base = await numbers();
  const crowd: Wire[] = [];
  // In small parties: the engines turn away whom they could not serve in time.
  while (crowd.length < READERS) {
    const party = Array.from({ length: Math.min(PARTY, READERS - crowd.length) }, async (_, i) => {
      const wire = await endless(i % 2 ? STREAM_PATH : "/v1beta/models/patchbay-speech:generateContent");
      await wire.until('"data":"');
      wire.pause();
      return wire;
    });
    crowd.push(...(await Promise.all(party)));
  }
  // Each of these calls is minutes of work; nothing but its reader holds it back.
  await untilIdle();
  const held = await numbers();
  expect(held.inFlight).toBe(READERS + 1);
  const growthKb = held.memoryKb - base.memoryKb;
  console.log(
    `${READERS} stalled streams: ${(growthKb / 1024).toFixed(1)} MiB more than before, ${(growthKb / READERS).toFixed(0)} KB each`,
  );
  expect(growthKb).toBeLessThan(KB_PER_STREAM * READERS + SLACK_KB);

  for (const wire of crowd) wire.destroy();
  await expect.poll(async () => (await numbers()).inFlight, { timeout: 20_000 }).toBe(1);
  await untilIdle();
  await expect.poll(() => bookedCalls(product.dataDirectory).length, { timeout: 10_000 }).toBe(READERS + 1);
  expect(bookedCalls(product.dataDirectory).filter((row) => row.state !== "settled")).toEqual([]);
});

test("a caller who leaves stops the engine and is one row, whether they heard something or not", {
  timeout: 90_000,
}, async () => {
  const before = bookedCalls(product.dataDirectory).length;
  const heard = await endless(STREAM_PATH, "left-in-the-middle");
  await heard.until("inlineData");
  heard.destroy();
  const whole = await endless("/v1beta/models/patchbay-speech:generateContent", "left-a-whole-reply");
  await whole.until('"data":"');
  whole.destroy();
  await expect.poll(async () => (await numbers()).inFlight, { timeout: 20_000 }).toBe(1);
  await untilIdle();
  const rows = bookedCalls(product.dataDirectory).slice(before);
  expect(rows.sort((a, b) => a.request_id.localeCompare(b.request_id))).toEqual([
    { request_id: "left-a-whole-reply", state: "settled", status: 499 },
    { request_id: "left-in-the-middle", state: "settled", status: 499 },
  ]);
  // The engines are free for whoever comes next.
  const next = await openSpeech(product.port, key, STREAM_PATH, geminiSpeech("Good morning."));
  await next.until('"finishReason":"STOP"');
  next.destroy();
});
