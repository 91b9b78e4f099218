import { expect, test } from "vitest";
import { percentile } from "../../../lib/console/usage/to-usage-sums";

const BOUNDS = [100, 500, 1_000];

/** The sums of calls with these latencies in milliseconds. */
function latenciesOf(...times: number[]) {
  const latency = [0, 0, 0, 0];
  for (const time of times) {
    const index = BOUNDS.findIndex((bound) => time <= bound);
    const bucket = index === -1 ? BOUNDS.length : index;
    latency[bucket] = (latency[bucket] ?? 0) + 1;
  }
  return { latency, latencySumMs: times.reduce((sum, time) => sum + time, 0), latencyMaxMs: null };
}

test("every percentile of one call is its latency, also above the last bound", () => {
  for (const time of [3, 700, 1_000, 90_000]) {
    expect(percentile(latenciesOf(time), BOUNDS, 0.5)).toBe(time);
    expect(percentile(latenciesOf(time), BOUNDS, 0.95)).toBe(time);
  }
});

test("no percentile lies outside the possible latencies", () => {
  const two = latenciesOf(620, 640);
  // Both calls took more than 500 ms, so neither took more than the sum less 500 ms.
  expect(percentile(two, BOUNDS, 0.95)).toBeLessThanOrEqual(1_260 - 500);
  const alike = latenciesOf(1_000, 1_000, 1_000);
  expect(percentile(alike, BOUNDS, 0.5)).toBe(1_000);
  const far = latenciesOf(50, 60, 900);
  expect(percentile(far, BOUNDS, 0.95)).toBeGreaterThanOrEqual(1_010 - 200);
});

test("no percentile is above the slowest call if the slowest call is known", () => {
  for (const times of [
    [620, 640],
    [4_000, 8_000, 8_040],
    [80, 90, 95, 2_500],
    [510, 520, 530, 540, 550],
  ]) {
    const slowest = Math.max(...times);
    const p95 = percentile({ ...latenciesOf(...times), latencyMaxMs: slowest }, BOUNDS, 0.95);
    expect(p95).toBeLessThanOrEqual(slowest);
    expect(p95).toBeGreaterThan(Math.min(...times));
  }
  const far = { latency: [0, 0, 0, 100], latencySumMs: 300_000, latencyMaxMs: 9_000 };
  expect(percentile(far, BOUNDS, 0.95)).toBe(8_600);
});

test("a percentile of many calls is interpolated within its bucket; the last bucket ends at twice its start", () => {
  const halves = { latency: [10, 10, 0], latencySumMs: 200, latencyMaxMs: null };
  expect(percentile(halves, [10, 20], 0.5)).toBe(10);
  expect(percentile(halves, [10, 20], 0.95)).toBe(19);
  expect(percentile({ latency: [0, 0, 4], latencySumMs: 100, latencyMaxMs: null }, [10, 20], 0.5)).toBe(30);
});

test("a percentile ignores a sum that does not fit its buckets, and is null without calls", () => {
  for (const latencySumMs of [40, 2_000])
    expect(percentile({ latency: [0, 0, 1, 0], latencySumMs, latencyMaxMs: null }, BOUNDS, 0.5)).toBe(750);
  expect(percentile({ latency: [0, 0, 0, 0], latencySumMs: 0, latencyMaxMs: 0 }, BOUNDS, 0.5)).toBeNull();
});
