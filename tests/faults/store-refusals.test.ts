import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { type Reply, type RoutedProduct, startRouted, until } from "../support/routed-product";
import { openTcpGate, type TcpGate } from "../support/tcp-gate";

/** The store fails between the upstream's answer and the commit: reply, ledger and sums must agree. */

/** An upstream that `hold` pauses, so that a test controls the time between answer and commit. */
interface HeldUpstream {
  origin: string;
  asked(): number;
  /** No reply ends until the returned function is called. */
  hold(): () => void;
  close(): void;
}

const AUDIO = Buffer.alloc(24_000, 1);

async function startHeldUpstream(): Promise<HeldUpstream> {
  let asked = 0;
  let held = Promise.resolve();
  const answer = async (path: string, response: ServerResponse): Promise<void> => {
    if (path.endsWith("/embeddings")) {
      await held;
      const data = [{ object: "embedding", index: 0, embedding: [0.6, 0.8] }];
      const usage = { prompt_tokens: 2_000, total_tokens: 2_000 };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data, model: "m", usage }));
      return;
    }
    response.writeHead(200, { "content-type": "audio/pcm" });
    response.write(AUDIO);
    await held;
    response.end(AUDIO);
  };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(404).end();
      asked += 1;
      void answer(request.url ?? "", response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on TCP: the address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked: () => asked,
    hold() {
      let release = (): void => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A store that can fail every commit, and recover. */
interface FailingStore {
  env: Record<string, string>;
  fail(): void;
  recover(): void;
  close(): Promise<void>;
}

async function fullDisk(): Promise<FailingStore> {
  const failureFile = path.join(tmpdir(), `patchbay-failure-${randomUUID()}`);
  const preload = pathToFileURL(path.resolve("tests/support/faults/store-writer.mjs")).href;
  return {
    env: { NODE_OPTIONS: `--import=${preload}`, PATCHBAY_TEST_STORE: failureFile },
    // SQLite raises this limit to the current number of pages.
    fail: () => writeFileSync(failureFile, "1"),
    recover: () => writeFileSync(failureFile, "1000000"),
    close: async () => rmSync(failureFile, { force: true }),
  };
}

let server: TestPostgres | undefined;
afterAll(() => server?.close());

async function throughGate(act: (gate: TcpGate) => void): Promise<FailingStore> {
  server ??= await startPostgres();
  const url = new URL(await server.createDatabase());
  const gate = await openTcpGate(Number(url.port));
  url.port = String(gate.port);
  return {
    env: { DATABASE_URL: url.href },
    fail: () => act(gate),
    recover: () => gate.reopen(),
    close: () => gate.close(),
  };
}

const STORES: readonly [title: string, open: () => Promise<FailingStore>][] = [
  ["SQLite on a full disk", fullDisk],
  ["PostgreSQL that no longer answers", () => throughGate((gate) => gate.block())],
  [
    "PostgreSQL whose COMMIT succeeds without an answer",
    () => throughGate((gate) => gate.loseAnswersTo("commit\0")),
  ],
];

const PRICES = { input_per_million_tokens: "1000", output_per_million_seconds: "1000000" };
const FREE = "0.000000000";
/** Stored with the entry, so that it needs pages that a full disk does not have. */
const PROMPT = "町の時計 ".repeat(800);

describe.each(STORES)("%s", (_title, open) => {
  let store: FailingStore;
  let upstream: HeldUpstream;
  let routed: RoutedProduct;
  beforeAll(async () => {
    store = await open();
    upstream = await startHeldUpstream();
    routed = await startRouted({ env: store.env });
    await routed.changeSettings({ keep_prompts: true });
  }, 120_000);
  afterAll(async () => {
    await routed?.close();
    upstream?.close();
    await store?.close();
  });

  const target = () => ({ at: { origin: upstream.origin }, as: "m", options: { list_voices: false } });

  /** Compares the console's sums and the key's spending with the entries. */
  async function expectSumsToBe(models: readonly string[]): Promise<void> {
    const rows = (await Promise.all(models.map((name) => routed.rows(name)))).flat();
    const cost = rows.reduce((sum, row) => sum + Math.round(Number(row.cost_usd) * 1e9), 0);
    const { total } = await routed.console("/api/usage/summary");
    expect(Math.round(Number(total.cost_usd) * 1e9)).toBe(cost);
    expect([total.calls, total.errors]).toEqual([
      rows.length,
      rows.filter((row) => row.error !== null).length,
    ]);
    const { items } = await routed.console("/api/keys");
    const spent = items.map((key: { spent: { total_usd: string } }) => Number(key.spent.total_usd));
    expect(Math.round(spent.reduce((sum: number, one: number) => sum + one, 0) * 1e9)).toBe(cost);
  }

  /** Sends a call whose commit fails after the upstream's answer, and waits until its entry shows that. */
  async function refused(model: string, send: () => Promise<Reply>): Promise<Reply> {
    const release = upstream.hold();
    const before = upstream.asked();
    const sent = send();
    await until(() => upstream.asked() > before);
    store.fail();
    release();
    const reply = await sent;
    store.recover();
    const newest = async () => {
      const rows = await routed.rows(model).catch(() => []);
      return rows.map((row) => [row.status, row.error, row.cost_usd]);
    };
    await expect
      .poll(newest, { timeout: 20_000, interval: 50 })
      .toEqual([[503, "storage_unavailable", FREE]]);
    return reply;
  }

  test("a call that gets a 503 has an entry of 503 without cost, and only its retry is charged", async () => {
    const { name } = await routed.route("embeddings", [target()], { prices: PRICES });
    const headers = { "idempotency-key": randomUUID() };
    const send = () => routed.send("/v1/embeddings", { model: name, input: PROMPT }, { headers });
    const reply = await refused(name, send);
    expect(reply.status, reply.text).toBe(503);
    expect(reply.json.error).toMatchObject({ type: "api_error", code: "storage_unavailable" });
    expect(Number(reply.headers["retry-after"])).toBeGreaterThanOrEqual(1);

    const retry = await send();
    expect(retry.status, retry.text).toBe(200);
    expect((await send()).text).toBe(retry.text);
    const rows = await routed.whenRows(name, 3);
    expect(rows.map((row) => [row.status, row.cost_usd === FREE, row.cached, row.input_tokens])).toEqual([
      [200, true, true, 2_000],
      [200, false, false, 2_000],
      // The upstream's usage stays visible.
      [503, true, false, 2_000],
    ]);
    const { name: speech } = await routed.route("speech", [target()], { prices: PRICES });
    const call = { model: speech, input: PROMPT.slice(0, 4_000), voice: "alloy", response_format: "pcm" };
    const cut = await refused(speech, () => routed.send("/v1/audio/speech", call));
    // The head of the reply and some of its audio had been sent.
    expect([cut.status, cut.isWhole]).toEqual([200, false]);
    expect(cut.bytes.length).toBeGreaterThan(0);
    const whole = await routed.send("/v1/audio/speech", call);
    expect([whole.status, whole.isWhole]).toEqual([200, true]);
    expect((await routed.whenRows(speech, 2)).map((row) => [row.status, row.cost_usd === FREE])).toEqual([
      [200, false],
      [503, true],
    ]);
    await expectSumsToBe([name, speech]);
  });
});
