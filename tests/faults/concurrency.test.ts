import http from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWire, sendRaw } from "../support/raw-request";
import { type Reply, type RoutedProduct, sendOver, startRouted } from "../support/routed-product";

/**
 * The effect on other callers of clients that open many sockets or exceed their limits. Latencies are compared within
 * one run; the bounds are wide for busy machines.
 */
const ATTACKERS = 1_000;
const NORMAL_CALLS = 400;
const CONCURRENCY_LIMIT = 10;
const OVERLOAD_FACTOR = 10;
/** Serving all 100 callers once, ten at a time, takes 2 s: twice as long as a call waits for a slot. */
const SERVICE_MS = 200;
const OFFERED_MS = 4_000;

/** A valid, incomplete request head. */
const HEAD = `GET /api/health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${"a".repeat(1_000)}`;

let routed: RoutedProduct;
beforeAll(async () => {
  // All attackers call from one address, which has the default limit of sockets.
  routed = await startRouted({ env: { PATCHBAY_LIMITS: JSON.stringify({ headersTimeoutMs: 60_000 }) } });
});
afterAll(() => routed?.close());

function p99(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

async function openFiles(): Promise<number> {
  const { text } = await sendRaw(routed.product.url, { method: "GET", path: "/metrics" });
  return Number(/^process_open_fds (\d+)$/m.exec(text)?.[1]);
}

/** Latencies of normal calls, eight at a time, each on its own socket. */
async function normalLatencies(): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const times: number[] = [];
  const body = { model: "patchbay-embed", input: "a short text" };
  const worker = async () => {
    while (times.length < NORMAL_CALLS) {
      const reply = await sendOver(routed.product.url, "/v1/embeddings", body, routed.key, { agent });
      expect(reply.status).toBe(200);
      times.push(reply.tookMs);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  agent.destroy();
  return times;
}

test(`${ATTACKERS} clients that send a head byte by byte, or nothing, do not slow others down and leave no socket behind`, {
  timeout: 120_000,
}, async () => {
  await normalLatencies();
  const before = p99(await normalLatencies());
  const filesBefore = await openFiles();
  const attackers = await Promise.all(Array.from({ length: ATTACKERS }, () => openWire(routed.product.port)));
  // Accepting a thousand sockets takes some 50 ms, which would otherwise be measured.
  await expect.poll(openFiles, { timeout: 20_000 }).toBeGreaterThan(filesBefore + ATTACKERS * 0.9);
  let at = 0;
  const sending = setInterval(() => {
    // Half of them send nothing; the others one byte each, a hundred at a time.
    for (let i = 0; i < 100; i += 1) {
      attackers[at % ATTACKERS]?.send(HEAD[Math.floor(at / ATTACKERS)] ?? "a");
      at += 2;
    }
  }, 20);
  const during = p99(await normalLatencies());
  const filesDuring = await openFiles();
  clearInterval(sending);
  expect(attackers.filter((wire) => !wire.isClosed()).length).toBeGreaterThan(ATTACKERS * 0.9);
  expect(filesDuring - filesBefore).toBeLessThan(ATTACKERS + 50);
  for (const wire of attackers) wire.destroy();
  await expect.poll(openFiles, { timeout: 20_000 }).toBeLessThan(filesBefore + 20);
  // Measured before and after, since the machine may have become busy.
  const alone = Math.max(before, p99(await normalLatencies()));
  console.log(
    `p99 ${alone.toFixed(1)} ms alone, ${during.toFixed(1)} ms with ${ATTACKERS} attackers (${(during / alone).toFixed(2)} times); ${filesDuring - filesBefore} additional open files`,
  );
  expect(during).toBeLessThan(2 * alone + 25);
});

/** Latencies of the admitted calls of `model`, from their rows. */
async function serviceTimes(model: string): Promise<number[]> {
  const { items } = await routed.console(`/api/usage?limit=100&status=ok&model=${model}`);
  const traces = await Promise.all(
    items.map(async ({ id }: { id: string }) => (await routed.console(`/api/usage/${id}`)).trace),
  );
  return traces.map(({ admitted_ms, settled_ms }) => settled_ms - admitted_ms);
}

/** Runs `callers`, each of which makes one call after the other for `OFFERED_MS`. */
async function offer(model: string, key: string, callers: number): Promise<Reply[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: callers });
  const replies: Reply[] = [];
  const stopAt = performance.now() + OFFERED_MS;
  const caller = async () => {
    while (performance.now() < stopAt)
      replies.push(
        await sendOver(routed.product.url, "/v1/embeddings", { model, input: "a" }, key, { agent }),
      );
  };
  await Promise.all(Array.from({ length: callers }, caller));
  agent.destroy();
  return replies;
}

test(`${OVERLOAD_FACTOR} times the concurrency limit of a key: admitted calls take as long as before, the others are refused within about a second`, {
  timeout: 120_000,
}, async () => {
  const { name: normal } = await routed.route("embeddings", [{ as: `embed.8--slow-${SERVICE_MS}` }]);
  const { name: overloaded } = await routed.route("embeddings", [{ as: `embed.8--slow-${SERVICE_MS}` }]);
  const key = await routed.newKey({ concurrency: CONCURRENCY_LIMIT });
  const within = await offer(normal, key, CONCURRENCY_LIMIT);
  expect(within.every(({ status }) => status === 200)).toBe(true);
  const above = await offer(overloaded, key, CONCURRENCY_LIMIT * OVERLOAD_FACTOR);
  const accepted = above.filter(({ status }) => status === 200);
  const refused = above.filter(({ status }) => status === 429);
  const [before, after] = [p99(await serviceTimes(normal)), p99(await serviceTimes(overloaded))];
  console.log(
    `at the limit p99 ${before.toFixed(0)} ms; at ${OVERLOAD_FACTOR} times the limit ${after.toFixed(0)} ms after admission; ` +
      `${accepted.length} accepted (${within.length} at the limit), ${refused.length} refused`,
  );
  expect(accepted.length + refused.length).toBe(above.length);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) expect(Number(reply.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  // A refused call waits for at most a second, and some time on a busy machine.
  expect(p99(refused.map(({ tookMs }) => tookMs))).toBeLessThan(2_500);
  expect(after).toBeLessThan(1.5 * before + 50);
  // The slots are used as fully as before.
  expect(accepted.length).toBeGreaterThan(within.length * 0.7);
});
