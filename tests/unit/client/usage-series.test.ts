import { afterEach, expect, test, vi } from "vitest";
import { rangeOf, rangeQuery, startOfPeriod } from "@/lib/client/range";
import { spanOfBucket, toSeries } from "@/lib/client/usage-series";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";

afterEach(() => vi.unstubAllEnvs());

const DAYS = ["2026-04-22", "2026-04-23", "2026-04-24", "2026-04-25", "2026-04-26"];

test.each(["Africa/Cairo", "Europe/Berlin", "UTC"])("a chart has the calls of every day in %s", (zone) => {
  // In Cairo the clock goes from 24 April 0:00 to 1:00: that day has no midnight.
  vi.stubEnv("TZ", zone);
  // Longer than a week, so that its interval is a day.
  const range = rangeOf("custom", startOfPeriod("2026-04-22"), startOfPeriod("2026-05-01"));
  // Only what the series reads.
  const summary = { ...rangeQuery(range), items: DAYS.map((period) => ({ period })) } as UsageSummary;
  const { buckets, items } = toSeries(range, summary);
  expect(items.slice(0, DAYS.length).map((item) => item?.period)).toEqual(DAYS);
  expect(buckets.slice(0, DAYS.length)).toEqual(DAYS.map(startOfPeriod));
});

test("a summary that is kept while another range loads has the buckets of its own range", () => {
  const day = rangeOf("24h", Date.parse("2026-11-20T00:00:00Z"), Date.parse("2026-11-21T00:00:00Z"));
  const month = rangeOf("30d", Date.parse("2026-10-22T00:00:00Z"), Date.parse("2026-11-21T00:00:00Z"));
  // Only what the series reads.
  const summary = { ...rangeQuery(day), items: [{ period: "2026-11-20T23:00:00.000Z" }] } as UsageSummary;
  const series = toSeries(month, summary);
  expect(series).toEqual(toSeries(day, summary));
  expect(series.interval).toBe("hour");
  expect(series.items.at(-1)).not.toBeNull();
});

test.each([
  ["UTC", "Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"],
  ["Europe/Berlin", "Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
  ["America/New_York", "UTC", "2026-11-20", "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"],
  ["UTC", "Pacific/Kiritimati", "2026-11-20", "2026-11-19T10:00:00.000Z", "2026-11-20T10:00:00.000Z"],
  ["UTC", "Etc/GMT+12", "2026-11-20", "2026-11-20T12:00:00.000Z", "2026-11-21T12:00:00.000Z"],
  // Midnight is at 18:30 UTC: that hour counts towards the day before.
  ["UTC", "Asia/Kolkata", "2026-11-20", "2026-11-19T19:00:00.000Z", "2026-11-20T19:00:00.000Z"],
])("a day picked by a browser in %s is the day of an instance in %s", (browser, instance, day, from, to) => {
  vi.stubEnv("TZ", browser);
  const span = spanOfBucket(startOfPeriod(day), "day", instance);
  expect(span).toEqual({ from: Date.parse(from), to: Date.parse(to) });
});
