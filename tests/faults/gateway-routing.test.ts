import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "@/lib/errors";
import type { EmbeddingModel } from "@/lib/ports/embedding-model";
import type { ChannelRecord } from "@/lib/ports/store";
import { embedModel, FakeClock, lexicalChannel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";

/** Routing over minutes of simulated time and thousands of calls, with the real routes and a ledger in memory. */

/** The engine of one channel: its latency and its reply. */
interface Engine {
  latencyMs: number;
  answer?: () => void;
}

const VECTOR = new Float32Array(1_024).fill(1 / 32);

function open(engines: Readonly<Record<string, Engine>>, weights: Readonly<Record<string, number>> = {}) {
  const clock = new FakeClock();
  const channels: ChannelRecord[] = Object.keys(engines).map((id, index) =>
    lexicalChannel({
      id,
      name: id,
      embedded: false,
      weight: weights[id] ?? 1,
      priority: weights[id] === undefined ? index : 0,
    }),
  );
  const calls: Record<string, number> = {};
  const engine = (channel: ChannelRecord): EmbeddingModel => ({
    async embed({ texts }) {
      const own = engines[channel.id];
      calls[channel.id] = (calls[channel.id] ?? 0) + 1;
      const latencyMs = own?.latencyMs ?? 0;
      // No timer without a latency: on a busy machine it could be set after the simulated tick that would fire it.
      if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
      own?.answer?.();
      return { vectors: texts.map(() => VECTOR), inputTokens: 1 };
    },
  });
  const models = [embedModel({ cacheable: false })];
  const harness = openGatewayHarness({ models, channels, engine, clock, bothAdapters: false });
  let seed = 1;
  // A seeded generator, so that runs are repeatable.
  harness.services.random.fraction = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  let running = 0;
  const call = async () => {
    running += 1;
    const body = { model: "patchbay-embed", input: "a", encoding_format: "base64" };
    return harness.call("/v1/embeddings", { body }).finally(() => {
      running -= 1;
    });
  };
  /** Advances simulated time: a millisecond at a time while calls are running, else at once. */
  const advance = async (ms: number) => {
    for (let left = ms; left > 0; ) {
      const step = running === 0 ? left : 1;
      left -= step;
      clock.at += step;
      await vi.advanceTimersByTimeAsync(step);
    }
  };
  return { harness, clock, calls, call, advance };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a primary that flaps for a minute fails no request, and its open circuit stops most requests to it", async () => {
  let isDown = false;
  const failing = () => {
    if (isDown) throw new AppError("upstream_error", "It failed.");
  };
  const { harness, calls, call, advance, clock } = open({
    primary: { latencyMs: 2, answer: failing },
    standby: { latencyMs: 2 },
  });
  const from = clock.at;
  const statuses = new Map<number, number>();
  const replies: Promise<void>[] = [];
  let sent = 0;
  while (clock.at - from < 60_000) {
    // Four seconds healthy, four seconds failing: the first probe, after 34 s, succeeds.
    isDown = Math.floor((clock.at - from) / 4_000) % 2 === 1;
    sent += 1;
    replies.push(
      call().then(({ status }) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }),
    );
    await advance(20);
  }
  await advance(100);
  await Promise.all(replies);
  const asked = (calls.primary ?? 0) + (calls.standby ?? 0);
  console.log(`${sent} requests, ${asked - sent} failovers, primary asked ${calls.primary} times`);
  expect([...statuses]).toEqual([[200, sent]]);
  // Five failures open the circuit, then one probe each 30 s: few failovers.
  expect(asked - sent).toBeLessThanOrEqual(20);
  // The primary is used again once it is healthy.
  expect(calls.primary).toBeGreaterThan(sent / 12);
  expect(harness.rows).toHaveLength(sent);
}, 120_000);

test("ten thousand calls at equal latency are shared by weight within 5 %", async () => {
  const weights = { a: 1, b: 2, c: 5 };
  const { calls, call, advance } = open(
    { a: { latencyMs: 0 }, b: { latencyMs: 0 }, c: { latencyMs: 0 } },
    weights,
  );
  for (let i = 0; i < 10_000; i += 1) {
    const reply = call();
    await vi.advanceTimersByTimeAsync(0);
    await reply;
  }
  await advance(1);
  console.log(`shares ${JSON.stringify(calls)}`);
  for (const [id, weight] of Object.entries(weights)) {
    const share = (calls[id] ?? 0) / 10_000;
    expect(Math.abs(share - weight / 8)).toBeLessThan(0.05 * (weight / 8) + 0.005);
  }
}, 180_000);

test("of two channels of equal weight, one that is ten times slower gets a few percent of the requests", async () => {
  const { calls, call, advance } = open(
    { slow: { latencyMs: 100 }, quick: { latencyMs: 10 } },
    { slow: 1, quick: 1 },
  );
  const replies: Promise<unknown>[] = [];
  for (let i = 0; i < 1_000; i += 1) {
    replies.push(call());
    await advance(5);
  }
  await advance(200);
  await Promise.all(replies);
  console.log(`shares ${JSON.stringify(calls)}`);
  expect(calls.quick).toBeGreaterThan(950);
  // The slow channel still gets calls, which measure its latency.
  expect(calls.slow).toBeGreaterThan(0);
}, 60_000);

test("in an outage of all channels the circuits keep upstream calls below a tenth of the requests", async () => {
  const down = () => {
    throw new AppError("upstream_error", "It failed.");
  };
  const engines = Object.fromEntries(
    ["a", "b", "c", "d", "e", "f"].map((id) => [id, { latencyMs: 0, answer: down }]),
  );
  const { calls, call, advance } = open(engines);
  const refusals = new Map<number, number>();
  const replies: Promise<void>[] = [];
  const sent = 1_000;
  for (let i = 0; i < sent; i += 1) {
    replies.push(
      call().then(({ status }) => {
        refusals.set(status, (refusals.get(status) ?? 0) + 1);
      }),
    );
    await advance(20);
  }
  await Promise.all(replies);
  const asked = Object.values(calls).reduce((sum, count) => sum + count, 0);
  console.log(
    `${sent} requests in an outage: ${asked} upstream calls, refusals ${JSON.stringify([...refusals])}`,
  );
  expect(asked).toBeLessThanOrEqual(sent / 10);
  expect([...refusals.keys()].every((status) => status === 502 || status === 503)).toBe(true);
}, 60_000);
