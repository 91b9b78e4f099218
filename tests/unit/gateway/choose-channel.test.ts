import { describe, expect, test } from "vitest";
import { chooseChannel, trafficShares } from "@/lib/gateway/routing/choose-channel";
import { createTraffic, type RunningAttempt } from "@/lib/gateway/routing/traffic";
import { FakeClock, lexicalChannel } from "../../support/factories";

/** Simulates thousands of requests with a fake clock and seeded random numbers. */

/** The linear congruential generator of Numerical Recipes, so that every run draws the same numbers. */
function createRandom(seed = 1) {
  let state = seed;
  return {
    bytes: () => new Uint8Array(),
    fraction: () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    },
  };
}

interface Channel {
  weight: number;
  /** Milliseconds to the first byte of a request that begins at `at`; null: never. */
  latencyMs(at: number): number | null;
}

function simulate(channels: readonly Channel[]) {
  const clock = new FakeClock();
  const from = clock.at;
  const traffic = createTraffic(clock);
  const random = createRandom();
  const targets = channels.map(({ weight }, index) => ({
    channel: lexicalChannel({ id: String(index), weight }),
    upstreamName: "m",
  }));
  const running: { at: number; attempt: RunningAttempt }[] = [];

  function begin(counts: number[]): void {
    const target = chooseChannel(targets, new Set(), {
      model: "m",
      traffic,
      random,
      accessOf: () => "closed",
      mayProbe: true,
    });
    const index = Number(target?.channel.id);
    counts[index] = (counts[index] ?? 0) + 1;
    const attempt = traffic.begin(String(index), "m", false);
    const latencyMs = channels[index]?.latencyMs(clock.at - from) ?? null;
    if (latencyMs !== null) running.push({ at: clock.at + latencyMs, attempt });
  }
  /** Completes the next running request. */
  function answerNext(): void {
    running.sort((a, b) => a.at - b.at);
    const next = running.shift();
    if (next === undefined) return;
    clock.at = Math.max(clock.at, next.at);
    next.attempt.answered();
  }

  return {
    clock,
    /** Shares of the channels with `atOnce` requests always running. */
    closedLoop(requests: number, atOnce: number): number[] {
      const counts = channels.map(() => 0);
      for (let number = 0; number < requests; number += 1) {
        if (running.length >= atOnce) answerNext();
        begin(counts);
      }
      return counts.map((count) => count / requests);
    },
    /** Shares of the channels with a request every `everyMs` for `forMs`, regardless of running ones. */
    openLoop(everyMs: number, forMs: number): number[] {
      const counts = channels.map(() => 0);
      for (const until = clock.at + forMs; clock.at < until; clock.at += everyMs) {
        for (let due = running.filter(({ at }) => at <= clock.at).length; due > 0; due -= 1) answerNext();
        begin(counts);
      }
      const sum = counts.reduce((all, count) => all + count, 0);
      return counts.map((count) => count / sum);
    },
    /** The shares that a preview shows now. */
    shares: () => trafficShares(targets, ({ channel }) => traffic.latencyMs(channel.id, "m")),
  };
}

const steady = (ms: number) => () => ms;
/** Between 0.7 and 1.3 of `ms`, evenly. */
const jittery = (ms: number, seed: number) => {
  const random = createRandom(seed);
  return () => ms * (0.7 + 0.6 * random.fraction());
};

describe.each([1, 2, 8, 64])("with %s requests at once", (atOnce) => {
  test.each([[[1, 1]], [[1, 3]], [[1, 9]], [[1, 2, 5]], [[1, 1, 1, 1]]])(
    "channels of equal latency and weights %j get their shares of 10,000 requests within 3 points",
    (weights) => {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (const isJittery of [false, true]) {
        const { closedLoop } = simulate(
          weights.map((weight, index) => ({
            weight,
            latencyMs: isJittery ? jittery(20, index) : steady(20),
          })),
        );
        for (const [index, share] of closedLoop(10_000, atOnce).entries())
          expect(Math.abs(share - (weights[index] ?? 0) / total)).toBeLessThan(0.03);
      }
    },
  );

  test.each([
    [2, 0.17, 0.23],
    [4, 0.04, 0.08],
    [10, 0.003, 0.02],
    [1_000, 0.001, 0.015],
  ])(
    "a channel that is %s times slower than one of equal weight gets a share from %s to %s",
    (times, least, most) => {
      const { closedLoop, shares } = simulate([
        { weight: 1, latencyMs: steady(20) },
        { weight: 1, latencyMs: steady(20 * times) },
      ]);
      const slow = closedLoop(10_000, atOnce)[1] ?? 0;
      expect(slow).toBeGreaterThan(least);
      expect(slow).toBeLessThan(most);
      // The preview shows the same shares.
      expect(Math.abs((shares()[1] ?? 0) - slow)).toBeLessThan(0.03);
    },
  );
});

test("a channel without measured latency gets the share of its weight from the first request", () => {
  const { closedLoop, shares } = simulate([
    { weight: 1, latencyMs: steady(20) },
    { weight: 3, latencyMs: steady(20) },
  ]);
  expect(shares()).toEqual([0.25, 0.75]);
  closedLoop(1, 1);
  expect(shares()).toEqual([0.25, 0.75]);
});

test("a slow channel that becomes as fast as the other gets its share again", () => {
  const { openLoop } = simulate([
    { weight: 1, latencyMs: steady(20) },
    { weight: 1, latencyMs: (at) => (at < 60_000 ? 2_000 : 20) },
  ]);
  expect(openLoop(50, 60_000)[1]).toBeLessThan(0.05);
  openLoop(50, 60_000);
  expect(openLoop(50, 60_000)[1]).toBeGreaterThan(0.4);
});

test("a channel that stops answering loses its requests before any of them times out", () => {
  const { openLoop } = simulate([
    { weight: 1, latencyMs: steady(20) },
    { weight: 1, latencyMs: (at) => (at < 10_000 ? 20 : null) },
  ]);
  expect(openLoop(10, 10_000)[1]).toBeGreaterThan(0.4);
  openLoop(10, 500);
  expect(openLoop(10, 5_000)[1]).toBeLessThan(0.02);
});

test("measures latency per model on a channel", () => {
  const clock = new FakeClock();
  const traffic = createTraffic(clock);
  for (const [model, tookMs] of [
    ["speech", 800],
    ["embeddings", 8],
  ] as const) {
    const attempt = traffic.begin("a", model, false);
    clock.at += tookMs;
    attempt.answered();
  }
  expect([traffic.latencyMs("a", "speech"), traffic.latencyMs("a", "embeddings")]).toEqual([800, 8]);
  expect(traffic.latencyMs("b", "speech")).toBeNull();
});

test("a request that waits raises the latency of its channel once the mean wait exceeds 4 times the measured latency", () => {
  const clock = new FakeClock();
  const traffic = createTraffic(clock);
  const latency = () => traffic.latencyMs("a", "m");
  const measured = traffic.begin("a", "m", false);
  clock.at += 100;
  measured.answered();
  const waiting = traffic.begin("a", "m", false);
  clock.at += 400;
  expect(latency()).toBe(100);
  clock.at += 400;
  expect(latency()).toBe(200);
  // The mean wait of one that has waited 800 ms and one that begins now is 400 ms.
  const beginning = traffic.begin("a", "m", false);
  expect(latency()).toBe(100);
  beginning.ended();
  expect(latency()).toBe(200);
  waiting.ended();
  expect(latency()).toBe(100);
});

test("differences in latency below 1 ms do not change the shares", () => {
  const pool = ["a", "b"].map((id) => ({ channel: lexicalChannel({ id }), upstreamName: "m" }));
  const sharesAt = (latencies: Record<string, number>) =>
    trafficShares(pool, ({ channel }) => latencies[channel.id] ?? null);
  expect(sharesAt({ a: 0.1, b: 1 })).toEqual([0.5, 0.5]);
  expect(sharesAt({ a: 0, b: 2 })).toEqual([0.8, 0.2]);
});
