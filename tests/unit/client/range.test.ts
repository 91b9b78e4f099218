import { expect, test } from "vitest";
import { intervalFor, rangeQuery, readRange, MAX_RANGE_MS as SELECTABLE_MS } from "@/lib/client/range";
import { MAX_RANGE_MS } from "@/lib/console/requested-range";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-11-20T14:32:10.500Z");

const read = (query: string, now = NOW) => readRange(new URLSearchParams(query), now);

test("ends a range of a day at the end of the current hour", () => {
  const range = read("range=24h");
  expect(range).toMatchObject({ name: "24h", interval: "hour" });
  expect(new Date(range.to).toISOString()).toBe("2026-11-20T15:00:00.000Z");
  expect(range.to - range.from).toBe(DAY);
});

test("ends a range of an hour at the end of the current minute and divides it into minutes", () => {
  const range = read("range=1h");
  expect(new Date(range.to).toISOString()).toBe("2026-11-20T14:33:00.000Z");
  expect(range.interval).toBe("minute");
});

test("keeps the ends of a range until its last minute or hour is over", () => {
  expect(read("range=7d", NOW + 20 * 60_000)).toEqual(read("range=7d"));
  expect(read("range=7d", NOW + 30 * 60_000)).not.toEqual(read("range=7d"));
});

test("reads a custom range from the query", () => {
  const range = read("from=2026-11-01T00:00:00.000Z&to=2026-11-09T00:00:00.000Z&range=1h");
  expect(range).toMatchObject({ name: "custom", interval: "day" });
  expect(rangeQuery(range)).toEqual({
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-11-09T00:00:00.000Z",
  });
});

test("uses the default range for an invalid query", () => {
  for (const query of [
    "",
    "range=year",
    "range=toString",
    "from=x&to=y",
    "from=2026-11-02&to=2026-11-01",
    "from=2020-01-01&to=2026-01-01",
  ])
    expect(read(query).name, query).toBe("24h");
});

test("chooses the interval by the length of the range", () => {
  expect([HOUR, 2 * HOUR, 3 * HOUR, DAY, 7 * DAY, 8 * DAY, 92 * DAY].map(intervalFor)).toEqual([
    "minute",
    "minute",
    "hour",
    "hour",
    "hour",
    "day",
    "day",
  ]);
});

test("offers the longest range that the API accepts", () => {
  expect([SELECTABLE_MS, SELECTABLE_MS]).toEqual([MAX_RANGE_MS.hour, MAX_RANGE_MS.day]);
});
