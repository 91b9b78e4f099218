import { expect, test } from "vitest";
import { intervalFor, rangeQuery, readRange } from "@/lib/client/range";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-11-20T14:32:10.500Z");

const read = (query: string, now = NOW) => readRange(new URLSearchParams(query), now);

test("a day ends with the hour that is running, and the day before ends where it begins", () => {
  const range = read("range=24h");
  expect(range).toMatchObject({ name: "24h", interval: "hour" });
  expect(new Date(range.to).toISOString()).toBe("2026-11-20T15:00:00.000Z");
  expect(range.to - range.from).toBe(DAY);
  expect(range.before).toEqual({ from: range.from - DAY, to: range.from });
});

test("an hour ends with the minute that is running and is cut into minutes", () => {
  const range = read("range=1h");
  expect(new Date(range.to).toISOString()).toBe("2026-11-20T14:33:00.000Z");
  expect(range.interval).toBe("minute");
});

test("a range keeps its ends for as long as its last piece runs", () => {
  expect(read("range=7d", NOW + 20 * 60_000)).toEqual(read("range=7d"));
  expect(read("range=7d", NOW + 30 * 60_000)).not.toEqual(read("range=7d"));
});

test("an address may name its own ends", () => {
  const range = read("from=2026-11-01T00:00:00.000Z&to=2026-11-09T00:00:00.000Z&range=1h");
  expect(range).toMatchObject({ name: "custom", interval: "day" });
  expect(rangeQuery(range)).toBe(
    "from=2026-11-01T00%3A00%3A00.000Z&to=2026-11-09T00%3A00%3A00.000Z&interval=day",
  );
});

test("what makes no sense is the page's own range", () => {
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

test("a chart of any range has pieces that can be seen", () => {
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
