import { afterEach, expect, test, vi } from "vitest";
import { niceTicks, timeTicks } from "@/components/charts/chart-scale";

const HOUR = 3_600_000;

afterEach(() => vi.unstubAllEnvs());

/** Labels of the ticks as the visitor's clock reads them. */
const read = (ticks: readonly { at: number; isDay: boolean }[]) =>
  ticks.map(({ at, isDay }) => {
    const date = new Date(at);
    return isDay ? `${date.getMonth() + 1}/${date.getDate()}` : `${date.getHours()}:${date.getMinutes()}`;
  });

test("an axis goes up in round steps and reaches over the highest value", () => {
  expect(niceTicks(87)).toEqual([0, 50, 100]);
  expect(niceTicks(100)).toEqual([0, 50, 100]);
  expect(niceTicks(4_100)).toEqual([0, 2_000, 4_000, 6_000]);
  expect(niceTicks(0.29)).toEqual([0, 0.1, 0.2, 0.3]);
});

test("an axis of counts has no fractions, and one of nothing still has a top", () => {
  expect(niceTicks(1, 4, true)).toEqual([0, 1]);
  expect(niceTicks(3, 4, true)).toEqual([0, 1, 2, 3]);
  expect(niceTicks(0, 4, true)).toEqual([0, 1, 2, 3, 4]);
  expect(niceTicks(0).at(-1)).toBe(1);
});

test("a day is labelled at round hours of the visitor's clock, midnight with its date", () => {
  vi.stubEnv("TZ", "Asia/Kolkata");
  const from = Date.parse("2026-11-20T10:00:00Z");
  expect(read(timeTicks(from, from + 24 * HOUR, 8))).toEqual([
    "18:0",
    "21:0",
    "11/21",
    "3:0",
    "6:0",
    "9:0",
    "12:0",
    "15:0",
  ]);
});

test("an hour is labelled by minutes, a month by days", () => {
  vi.stubEnv("TZ", "UTC");
  const from = Date.parse("2026-11-01T00:00:00Z");
  expect(read(timeTicks(from, from + HOUR, 6))).toEqual(["11/1", "0:10", "0:20", "0:30", "0:40", "0:50"]);
  expect(read(timeTicks(from, from + 30 * 24 * HOUR, 6))).toEqual([
    "11/1",
    "11/8",
    "11/15",
    "11/22",
    "11/29",
  ]);
});

test("labels stay at round hours when the clocks change", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  const from = Date.parse("2026-10-24T22:00:00Z");
  expect(read(timeTicks(from, from + 25 * HOUR, 5))).toEqual(["10/25", "6:0", "12:0", "18:0"]);
});

test("there are never more labels than asked for room", () => {
  for (const hours of [1, 2, 5, 24, 31, 100, 168, 720, 2_208])
    for (const most of [2, 4, 9])
      expect(timeTicks(0, hours * HOUR, most).length, `${hours} h`).toBeLessThanOrEqual(most + 1);
});
