import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { sendRaw, type Wire } from "../support/raw-request";
import { bookedCalls, ENDLESS, geminiSpeech, openSpeech, STREAM_PATH } from "../support/speech-call";

/** Slow readers, and callers who leave (RELIABILITY RB-9, RB-21). */
const READERS = Number(process.env.PATCHBAY_TEST_READERS ?? 40);
const PARTY = 10;
const KB_PER_STREAM = 64;
/** V8 collects buffers that nobody holds once they are 64 MiB: to few readers that is more than all they cost. */
const SLACK_KB = READERS < 500 ? 64 * 1024 : 0;
const BYTES_PER_SECOND = 1_024;
/** Four minutes of speech: at that pace four hours of reading. */
const TEXT = ENDLESS.slice(0, 4_000);
/** Readers who keep up: what the engines need at full work, whoever reads, is part of the base. */
const KEEPING_UP = 8;
const WARM_MS = 8_000;

let product: Product;
let key: string;
beforeAll(async () => {
  const heapMb = process.env.PATCHBAY_TEST_HEAP_MB;
  const env: Record<string, string> = heapMb ? { NODE_OPTIONS: `--max-old-space-size=${heapMb}` } : {};
  product = await startProduct({ doorOnly: true, env });
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

/** Resolves when the process has stopped working: three looks in a row, half a second apart, at a tenth of a core. */
async function untilIdle(): Promise<void> {
  let last = { at: performance.now(), cpuSeconds: (await numbers()).cpuSeconds };
  let idleLooks = 0;
  const look = async () => {
    const elapsed = (performance.now() - last.at) / 1_000;
    // The first look comes at once, and tells nothing.
    if (elapsed < 0.4) return idleLooks;
    const { cpuSeconds } = await numbers();
    idleLooks = (cpuSeconds - last.cpuSeconds) / elapsed < 0.1 ? idleLooks + 1 : 0;
    last = { at: performance.now(), cpuSeconds };
    return idleLooks;
  };
  await expect.poll(look, { timeout: 60_000, interval: 500 }).toBeGreaterThanOrEqual(3);
}

const endless = (path = STREAM_PATH, id = "") =>
  openSpeech(product.port, key, path, geminiSpeech(TEXT), id ? { "x-request-id": id } : {});

/** The most memory the process has while readers keep up with it. */
async function busyMemoryKb(): Promise<number> {
  const readers = await Promise.all(Array.from({ length: KEEPING_UP }, () => endless()));
  const until = performance.now() + WARM_MS;
  let most = 0;
  await expect
    .poll(
      async () => {
        most = Math.max(most, (await numbers()).memoryKb);
        return performance.now() > until;
      },
      { timeout: 30_000, interval: 250 },
    )
    .toBe(true);
  for (const reader of readers) reader.destroy();
  return most;
}

// That the door asks for no more than its reader takes is tests/unit/server/node-door.test.ts; here the process is whole.
test(`${READERS} readers of 1 KB/s cost ${KB_PER_STREAM} KB each at most beyond what engines at work need, and their places are free when they leave`, {
  timeout: 180_000 + READERS * 3_000,
}, async () => {
  const baseKb = await busyMemoryKb();
  await untilIdle();
  const already = bookedCalls(product.dataDirectory).length;
  const crowd: Wire[] = [];
  // In small parties: the engines turn away whom they could not serve in time.
  while (crowd.length < READERS) {
    const party = Array.from({ length: Math.min(PARTY, READERS - crowd.length) }, async (_, i) => {
      const wire = await endless(i % 2 ? STREAM_PATH : "/v1beta/models/patchbay-speech:generateContent");
      await wire.until('"data":"');
      wire.trickle(BYTES_PER_SECOND);
      return wire;
    });
    crowd.push(...(await Promise.all(party)));
  }
  const held: number[] = [];
  await expect
    .poll(async () => held.push((await numbers()).memoryKb), { timeout: 20_000, interval: 250 })
    .toBeGreaterThanOrEqual(20);
  expect((await numbers()).inFlight).toBe(READERS + 1);
  const growthKb = Math.max(...held) - baseKb;
  console.log(
    `${READERS} streams at 1 KB/s: at most ${(growthKb / 1024).toFixed(1)} MiB more than with readers who keep up, ${(growthKb / READERS).toFixed(0)} KB each`,
  );
  expect(growthKb).toBeLessThan(KB_PER_STREAM * READERS + SLACK_KB);

  for (const wire of crowd) wire.destroy();
  await expect.poll(async () => (await numbers()).inFlight, { timeout: 20_000 }).toBe(1);
  await untilIdle();
  await expect
    .poll(() => bookedCalls(product.dataDirectory).length, { timeout: 10_000 })
    .toBe(already + READERS);
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
