import { afterEach, expect, test, vi } from "vitest";
import { rangeOf, startOfPeriod } from "@/lib/client/range";
import { toSeries } from "@/lib/client/usage-series";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";

afterEach(() => vi.unstubAllEnvs());

const DAYS = ["2026-04-22", "2026-04-23", "2026-04-24", "2026-04-25", "2026-04-26"];

test.each(["Africa/Cairo", "Europe/Berlin", "UTC"])("a chart has the calls of every day in %s", (zone) => {
  // In Cairo the clock goes from 24 April 0:00 to 1:00: that day has no midnight.
  vi.stubEnv("TZ", zone);
  const range = rangeOf("custom", startOfPeriod("2026-04-22"), startOfPeriod("2026-04-27"));
  // Only what the series reads.
  const summary = { items: DAYS.map((period) => ({ period })) } as UsageSummary;
  const { buckets, items } = toSeries({ ...range, interval: "day" }, summary);
  expect(items.map((item) => item?.period)).toEqual(DAYS);
  expect(buckets).toEqual(DAYS.map(startOfPeriod));
});
