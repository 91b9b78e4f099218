import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";
import { ROOT } from "../support/sources";
import { geminiSpeech, openSpeech, recordedCalls, STREAM_PATH } from "../support/speech-call";

/** A bug inside a request never stops the process; one outside of a request drains it and exits with 1. */

function startWith(fault: string, env: Record<string, string> = {}): Promise<Product> {
  const file = pathToFileURL(path.join(ROOT, "tests/support/faults", fault)).href;
  return startProduct({ nodeAdapterOnly: true, env: { NODE_OPTIONS: `--import=${file}`, ...env } });
}

test("a handler that throws gives 500 without the reason, which is logged, and the process continues", async () => {
  const product = await startWith("broken-metrics.mjs");
  try {
    for (let i = 0; i < 20; i++) {
      const reply = await sendRaw(product.url, {
        method: "GET",
        path: "/metrics",
        headers: { "x-request-id": `bug-${i}` },
      });
      expect(reply.status).toBe(500);
      expect(reply.json).toEqual({
        success: false,
        message: expect.stringContaining("request ID"),
        code: "internal",
      });
      expect(reply.headers["x-request-id"]).toBe(`bug-${i}`);
      expect(reply.text).not.toMatch(/fault|TypeError|\.ts|\.mjs/);
    }
    expect((await sendRaw(product.url, { method: "GET", path: "/api/health/ready" })).status).toBe(200);
    await expect.poll(() => product.output()).toContain("bug-19");
    expect(product.output()).toContain("fault-in-a-handler");
  } finally {
    expect(await product.close()).toBe(0);
  }
});

describe.each([
  ["an unhandled rejection", "SIGUSR2", "unhandled_rejection", "fault-by-rejection"],
  ["an exception outside of any request", "SIGWINCH", "uncaught_exception", "fault-by-exception"],
] as const)("%s", (_name, signal, event, words) => {
  test("is logged, fails readiness, lets calls finish, and exits with 1", async () => {
    const product = await startWith("on-signal.mjs", { PATCHBAY_DRAIN_SECONDS: "25" });
    const key = await createKey(product.url, await setUp(product.url));
    const text = "The last train leaves at nine. ".repeat(40);
    const speech = await openSpeech(product.port, key, STREAM_PATH, geminiSpeech(text));
    await speech.until("inlineData");
    speech.pause();
    product.process.kill(signal);
    await expect.poll(() => product.output(), { timeout: 10_000 }).toContain("draining");
    expect(product.output()).toContain(event);
    expect(product.output()).toContain(words);
    const ready = await sendRaw(product.url, { method: "GET", path: "/api/health/ready" });
    expect(ready.status).toBe(503);
    speech.resume();
    expect((await speech.ended).endsWith("0\r\n\r\n")).toBe(true);
    await expect.poll(() => product.process.exitCode, { timeout: 20_000 }).toBe(1);
    expect(recordedCalls(product.dataDirectory).map((row) => [row.state, row.status])).toEqual([
      ["settled", 200],
    ]);
    await product.close();
  });
});

test("the server continues and shuts down cleanly while its output is on a full disk", async () => {
  const product = await startWith("full-output.mjs");
  try {
    await setUp(product.url);
    product.process.kill("SIGTERM");
    await expect.poll(() => product.process.exitCode).toBe(0);
  } finally {
    await product.kill();
  }
});
