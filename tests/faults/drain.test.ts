import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createKey,
  freePort,
  type Product,
  type ProductOptions,
  setUp,
  startProduct,
} from "../support/product";
import { openWire, sendRaw } from "../support/raw-request";
import { ROOT } from "../support/sources";
import { ENDLESS, geminiSpeech, openSpeech, recordedCalls, STREAM_PATH } from "../support/speech-call";

/** The effect of SIGTERM on calls, sockets and the usage ledger. */

let dataDirectory: string;
let product: Product;
let key: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-drain-"));
});
afterEach(async () => {
  await product?.kill();
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function start(options: ProductOptions): Promise<void> {
  product = await startProduct({ dataDirectory, ...options });
  key = await createKey(product.url, await setUp(product.url));
}

/** Starts a server without pages and a streamed call whose caller has stopped reading. */
async function startWithCall(text: string, drainSeconds: number) {
  await start({ nodeAdapterOnly: true, env: drainFor(drainSeconds) });
  const speech = await openSpeech(product.port, key, STREAM_PATH, geminiSpeech(text));
  await speech.until("inlineData");
  speech.pause();
  return speech;
}

const drainFor = (seconds: number) => ({ PATCHBAY_DRAIN_SECONDS: String(seconds) });
/** The exit code, once the process has ended; `close()` would send a second SIGTERM. */
async function exitCode(): Promise<number | null> {
  await expect.poll(() => product.process.exitCode, { timeout: 20_000 }).not.toBeNull();
  return product.process.exitCode;
}
const lineFor = async (words: string) =>
  expect.poll(() => product.output(), { timeout: 10_000 }).toContain(words);

describe("a server that receives SIGTERM", () => {
  test("fails readiness first, lets calls finish, ignores idle sockets, records all calls and exits with 0", async () => {
    // Started with the console's pages, because Next has its own shutdown.
    await start({ env: drainFor(60) });
    const silent = await openWire(product.port);
    const kept = await openWire(product.port);
    kept.send("GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await kept.until('"live"');
    const page = await openWire(product.port);
    page.send("GET /login HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n");
    await page.until("0\r\n\r\n");

    const text = "The last train leaves at nine. ".repeat(40);
    const speech = await openSpeech(product.port, key, STREAM_PATH, geminiSpeech(text), {
      "x-request-id": "last-call",
    });
    await speech.until("inlineData");
    // From here on the call waits for its reader, so it is in progress.
    speech.pause();

    product.process.kill("SIGTERM");
    await lineFor("draining");
    const ready = await sendRaw(product.url, { method: "GET", path: "/api/health/ready" });
    expect(ready.status).toBe(503);
    expect(ready.json).toMatchObject({ success: false, code: "unavailable" });
    expect(ready.headers.connection).toBe("close");

    await Promise.all([kept.ended, page.ended]);
    await expect(openWire(product.port)).rejects.toThrow(/ECONNREFUSED/);
    expect(speech.isClosed()).toBe(false);
    speech.resume();
    const all = await speech.ended;
    expect(all).toContain('"finishReason":"STOP"');
    expect(all.endsWith("0\r\n\r\n")).toBe(true);
    await silent.ended;
    expect(await exitCode()).toBe(0);
    expect(recordedCalls(dataDirectory)).toEqual([
      { request_id: "last-call", state: "settled", status: 200 },
    ]);
  });

  test("aborts endless calls after the drain time with an error in their dialect, and records them", async () => {
    await start({ nodeAdapterOnly: true, env: drainFor(2) });
    const talk = { model: "patchbay-speech", input: ENDLESS.slice(0, 4_000), voice: "alloy" };
    const open = (address: string, body: object) => openSpeech(product.port, key, address, body);
    const events = await open(STREAM_PATH, geminiSpeech(ENDLESS));
    const array = await open(STREAM_PATH.replace("?alt=sse", ""), geminiSpeech(ENDLESS));
    const whole = await open("/v1beta/models/patchbay-speech:generateContent", geminiSpeech(ENDLESS));
    const raw = await open("/v1/audio/speech", { ...talk, response_format: "pcm" });
    const deltas = await open("/v1/audio/speech", { ...talk, stream_format: "sse", response_format: "pcm" });
    const unread = await open(STREAM_PATH, geminiSpeech(ENDLESS));
    const calls = [events, array, whole, raw, deltas, unread];
    await Promise.all(calls.map((call) => call.until("HTTP/1.1 200")));
    // None of these calls can end: the callers of 4,000 characters do not read, and 32,000 characters take minutes.
    for (const slow of [raw, deltas, unread]) slow.pause();

    product.process.kill("SIGTERM");
    await lineFor("draining");
    await lineFor("stopped");
    for (const slow of [raw, deltas, unread]) slow.resume();
    const ends = await Promise.all(calls.map((call) => call.ended));
    expect(ends.filter((text) => text.endsWith("0\r\n\r\n"))).toEqual([]);
    const [ofEvents = "", ofArray = "", ofWhole = ""] = ends;
    expect(ofEvents).toMatch(/data: \{"error":\{"code":503,[^\n]*"status":"UNAVAILABLE"\}\}\n\n/);
    expect(ofArray).toMatch(/,\n\{"error":\{"code":503,[^\n]*"status":"UNAVAILABLE"\}\}/);
    expect(ofWhole).not.toContain("finishReason");

    expect(await exitCode()).toBe(0);
    const rows = recordedCalls(dataDirectory);
    expect(rows.length).toBe(6);
    expect(rows.filter((row) => row.state !== "settled")).toEqual([]);
  });

  test("writes the counts of rejected requests before it stops", async () => {
    await start({ nodeAdapterOnly: true, env: drainFor(2) });
    const body = JSON.stringify({ model: "no-such-model", input: "a" });
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    for (let i = 0; i < 5; i++) await sendRaw(product.url, { path: "/v1/embeddings", headers, body });
    product.process.kill("SIGTERM");
    expect(await exitCode()).toBe(0);
    const database = new Database(path.join(dataDirectory, "patchbay.db"), { readonly: true });
    const rows = database.prepare("select error, model, sum(calls) as calls from rejections").all();
    database.close();
    expect(rows).toEqual([{ error: "model_not_found", model: "no-such-model", calls: 5 }]);
  });

  test("finishes its calls when its terminal is closed (SIGHUP)", async () => {
    const speech = await startWithCall("The last train leaves at nine. ".repeat(40), 60);
    product.process.kill("SIGHUP");
    await lineFor("draining");
    product.process.kill("SIGHUP");
    speech.resume();
    expect(await speech.ended).toContain('"finishReason":"STOP"');
    expect(await exitCode()).toBe(0);
    expect(recordedCalls(dataDirectory)).toMatchObject([{ state: "settled", status: 200 }]);
  });

  test("exits at once after a second signal", async () => {
    const speech = await startWithCall(ENDLESS, 600);
    product.process.kill("SIGTERM");
    await lineFor("draining");
    await new Promise((resolve) => setTimeout(resolve, 600));
    product.process.kill("SIGTERM");
    expect(await exitCode()).toBe(1);
    speech.destroy();
  });

  test("treats a signal that npm forwards as the signal that the terminal has already sent", async () => {
    const speech = await startWithCall("The last train leaves at nine. ".repeat(40), 600);
    // Two signals of the same kind could be merged into one.
    product.process.kill("SIGINT");
    product.process.kill("SIGTERM");
    await lineFor("draining");
    speech.resume();
    expect(await speech.ended).toContain('"finishReason":"STOP"');
    expect(await exitCode()).toBe(0);
  });

  test("closes live streams of open pages at once", async () => {
    product = await startProduct({ dataDirectory, nodeAdapterOnly: true, env: drainFor(600) });
    const cookie = await setUp(product.url);
    const page = await openWire(product.port);
    page.send(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
    await page.until("event: hello");
    product.process.kill("SIGTERM");
    expect(await page.until('"reason":"closing"')).toContain("event: ended");
    expect(await exitCode()).toBe(0);
  });

  test("stops when only npm receives the signal, although npm's shell may not forward it", async () => {
    const env = {
      PATH: process.env.PATH,
      NODE_ENV: "production" as const,
      HOST: "127.0.0.1",
      PATCHBAY_API_ONLY: "1",
    };
    const npm: ChildProcess = spawn("npm", ["start"], {
      cwd: ROOT,
      env: { ...env, PORT: String(await freePort()), PATCHBAY_DATA_DIR: dataDirectory },
      stdio: ["ignore", "pipe", "inherit"],
      // A process group of its own, which the test kills at its end.
      detached: true,
    });
    let printed = "";
    npm.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const ended = new Promise((resolve) => npm.stdout?.once("end", resolve));
    try {
      await expect.poll(() => printed, { timeout: 20_000 }).toContain("is ready at");
      npm.kill("SIGTERM");
      await expect.poll(() => printed, { timeout: 10_000 }).toContain("stopped");
    } finally {
      try {
        process.kill(-(npm.pid ?? 0), "SIGKILL");
      } catch {
        // All processes of the group have ended.
      }
      await ended;
    }
  });

  test("exits without waiting when nothing is open", async () => {
    await start({ nodeAdapterOnly: true, env: drainFor(600) });
    expect(await product.close()).toBe(0);
    expect(product.output()).toContain("stopped");
  });
});
