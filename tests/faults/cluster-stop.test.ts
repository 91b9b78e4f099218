import { expect, test } from "vitest";
import { createKey, setUp, startProduct } from "../support/product";
import type { Wire } from "../support/raw-request";
import { geminiSpeech, openSpeech, STREAM_PATH } from "../support/speech-call";

test("SIGTERM while the other processes start reaches all of them and ends them within ten seconds", async () => {
  const product = await startProduct({
    nodeAdapterOnly: true,
    env: { PATCHBAY_PROCESSES: "4", PATCHBAY_DRAIN_SECONDS: "2" },
  });
  const since = performance.now();
  expect(await product.close()).toBe(0);
  // A process that missed the request to stop is killed 15 s after the drain time.
  expect(performance.now() - since, product.output()).toBeLessThan(10_000);
}, 60_000);

test("SIGTERM while SIGHUP replaces a process makes all processes fail readiness", async () => {
  const product = await startProduct({
    nodeAdapterOnly: true,
    env: { PATCHBAY_PROCESSES: "2", PATCHBAY_DRAIN_SECONDS: "600" },
  });
  try {
    await expect.poll(() => product.output(), { timeout: 30_000 }).toContain("is ready at");
    const key = await createKey(product.url, await setUp(product.url));
    const text = geminiSpeech("The last train leaves at nine. ".repeat(40));
    // Connections are distributed to the processes in turn. A connection with a call in progress stays open while its
    // process drains.
    const calls: Wire[] = [];
    for (let at = 0; at < 2; at++) {
      const call = await openSpeech(product.port, key, STREAM_PATH, text);
      await call.until("inlineData");
      call.pause();
      calls.push(call);
    }
    const draining = () => product.output().match(/"draining"/g)?.length ?? 0;
    product.process.kill("SIGHUP");
    await expect.poll(draining, { timeout: 30_000 }).toBe(1);
    product.process.kill("SIGTERM");
    // The process that is being replaced, its replacement, and the other process.
    await expect.poll(draining).toBe(3);
    for (const call of calls) call.send("GET /api/health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (const call of calls) call.resume();
    const answers = await Promise.all(calls.map((call) => call.ended));
    expect(answers.map((answer) => answer.match(/HTTP\/1\.1 \d+/g))).toEqual(
      calls.map(() => ["HTTP/1.1 200", "HTTP/1.1 503"]),
    );
    await expect.poll(() => product.process.exitCode).toBe(0);
  } finally {
    await product.kill();
  }
}, 90_000);
