import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { type RawReply, sendRaw } from "../support/raw-request";
import { geminiSpeech, openSpeech, recordedCalls, STREAM_PATH } from "../support/speech-call";

/** The gateway with a store that is locked, full, or shared with another process. */

let product: Product;
let cookie: string;
let key: string;
beforeEach(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
  cookie = await setUp(product.url);
  key = await createKey(product.url, cookie);
});
afterEach(() => product?.close());

let count = 0;
function embed(url = product.url, bearer = key): Promise<RawReply> {
  count += 1;
  return sendRaw(url, {
    path: "/v1/embeddings",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "patchbay-embed", input: `text ${count}`, dimensions: 8 }),
  });
}

/** Speech gets its row before its first audio; free embeddings get theirs after the call, once the store accepts it. */
function speak(id: string): Promise<RawReply> {
  return sendRaw(product.url, {
    path: "/v1/audio/speech",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-request-id": id },
    body: JSON.stringify({ model: "patchbay-speech", input: "Hi.", voice: "alloy", response_format: "pcm" }),
  });
}
const rowOf = (id: string) => recordedCalls(product.dataDirectory).filter((row) => row.request_id === id);

function expectUnavailable(reply: RawReply): void {
  expect(reply.status, reply.text).toBe(503);
  expect(reply.json).toMatchObject({ error: { type: "api_error", code: "storage_unavailable" } });
  expect(Number(reply.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect(reply.text).not.toMatch(/SQLITE|sqlite|\.db|select|insert/);
}

describe("while another process holds the store's lock", () => {
  test("billable calls wait briefly and are refused; reads, streams and the event loop continue; then calls work again", async () => {
    const text = "The last train leaves at nine. ".repeat(30);
    const speech = await openSpeech(product.port, key, STREAM_PATH, geminiSpeech(text));
    await speech.until("inlineData");
    speech.pause();

    const holder = new Database(path.join(product.dataDirectory, "patchbay.db"));
    holder.exec("begin immediate");
    const from = performance.now();
    let waitedMs = 0;
    const refused = Promise.all([embed(), speak("refused"), embed()]).then((replies) => {
      waitedMs = performance.now() - from;
      return replies;
    });
    let isOver = false;
    void refused.finally(() => {
      isOver = true;
    });
    let answered = 0;
    let slowestMs = 0;
    while (!isOver) {
      const sentAt = performance.now();
      const live = await sendRaw(product.url, { method: "GET", path: "/api/health/live" });
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
      expect(live.status).toBe(200);
      answered += 1;
    }
    for (const reply of await refused) expectUnavailable(reply);
    console.log(
      `refused after ${waitedMs.toFixed(0)} ms; ${answered} probes meanwhile, the slowest ${slowestMs.toFixed(0)} ms`,
    );
    // About a second is promised; a loaded machine needs some more.
    expect(waitedMs).toBeLessThan(5_000);
    expect(answered).toBeGreaterThan(5);

    const headers = { authorization: `Bearer ${key}` };
    expect((await sendRaw(product.url, { method: "GET", path: "/v1/models", headers })).status).toBe(200);
    expect(
      (await sendRaw(product.url, { method: "GET", path: "/api/keys", headers: { cookie } })).status,
    ).toBe(200);
    const written = await sendRaw(product.url, {
      path: "/api/keys",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify({ name: "while locked" }),
    });
    expect(written.status).toBe(503);
    expect(written.json).toMatchObject({ success: false, code: "unavailable", retry_after: 1 });

    holder.exec("rollback");
    holder.close();
    speech.resume();
    await speech.until('"finishReason":"STOP"');
    await speech.until("0\r\n\r\n");
    speech.destroy();
    expect((await embed()).status).toBe(200);
    expect((await speak("afterwards")).status).toBe(200);
    expect(rowOf("afterwards")).toEqual([{ request_id: "afterwards", state: "settled", status: 200 }]);
    // Refused calls are rolled back, and nothing stays open.
    await expect.poll(() => rowOf("refused"), { timeout: 10_000 }).toEqual([]);
    await expect
      .poll(() => recordedCalls(product.dataDirectory).filter((row) => row.state !== "settled"), {
        timeout: 10_000,
      })
      .toEqual([]);
  });
});

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;
describe.runIf(hasPrlimit)("when no file can grow", () => {
  /** Simulates a full disk: every write that would make a file longer fails. */
  const allowBytes = (soft: string) =>
    execFileSync("prlimit", ["--pid", String(product.process.pid), `--fsize=${soft}:unlimited`]);

  test("new calls are refused before they start, reads continue, and free space restores service without a restart", async () => {
    expect((await embed()).status).toBe(200);
    allowBytes("4096");
    try {
      expectUnavailable(await embed());
      expectUnavailable(await speak("no-room"));
      const headers = { authorization: `Bearer ${key}` };
      expect((await sendRaw(product.url, { method: "GET", path: "/v1/models", headers })).status).toBe(200);
      expect((await sendRaw(product.url, { method: "GET", path: "/api/health/live" })).status).toBe(200);
    } finally {
      allowBytes("unlimited");
    }
    await expect.poll(async () => (await embed()).status, { timeout: 10_000 }).toBe(200);
    expect((await speak("room-again")).status).toBe(200);
    expect(rowOf("room-again").length).toBe(1);
    await expect.poll(() => rowOf("no-room"), { timeout: 10_000 }).toEqual([]);
  });
});

describe("with a second process on the same file", () => {
  test("each process sees the other's changes within a second", async () => {
    const other = await startProduct({ dataDirectory: product.dataDirectory, nodeAdapterOnly: true });
    try {
      const made = await createKey(other.url, cookie, { name: "made over there" });
      const within = { timeout: 1_000 };
      const status = async () => (await embed(product.url, made)).status;
      await expect.poll(status, within).toBe(200);
      const list = await sendRaw(other.url, { method: "GET", path: "/api/keys", headers: { cookie } });
      const { data } = list.json as { data: { items: { id: string; name: string }[] } };
      const id = data.items.find((one) => one.name === "made over there")?.id;
      expect((await embed(other.url, made)).status).toBe(200);

      const revoked = await sendRaw(other.url, {
        method: "DELETE",
        path: `/api/keys/${id}`,
        headers: { cookie },
      });
      expect(revoked.status).toBe(200);
      expect((await embed(other.url, made)).status).toBe(401);
      await expect.poll(status, within).toBe(401);

      const out = await sendRaw(other.url, {
        path: "/api/user/logout",
        headers: { cookie, "content-type": "application/json" },
        body: "{}",
      });
      expect(out.status).toBe(200);
      const self = () => sendRaw(product.url, { method: "GET", path: "/api/user/self", headers: { cookie } });
      await expect.poll(async () => (await self()).status, within).toBe(401);
    } finally {
      await other.close();
    }
  });
});
