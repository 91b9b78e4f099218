import { expect, test } from "vitest";
import { dayStarts, mergeSurplus, splitIntoIntervals, sumOf } from "../../../lib/console/usage/intervals";
import { NO_SUMS } from "../../../lib/ports/store/usage-query";

test.each([
  ["April", "2026-03-31T22:00:00.000Z", "2026-04-30T22:00:00.000Z", "2026-03-02"],
  ["October", "2026-09-30T22:00:00.000Z", "2026-10-31T23:00:00.000Z", "2026-08-31"],
])(
  "the period before %s has the same number of days and counts each of its hours",
  (_, start, end, firstDay) => {
    const [from, to] = [Date.parse(start), Date.parse(end)];
    const range = { timeZone: "Europe/Berlin", interval: "day" } as const;
    const previous = { ...range, from: 2 * from - to, to: from };
    const count = splitIntoIntervals({ ...range, from, to }, []).starts.length;
    const hours = Array.from(
      { length: (to - from) / 3_600_000 },
      (_, index) => previous.from + index * 3_600_000,
    );
    const groups = hours.map((hour) => ({ ...NO_SUMS, name: null, hour, calls: 1 }));
    const merged = mergeSurplus(splitIntoIntervals(previous, groups), count);
    expect([merged.periods.length, merged.starts.length, merged.periods[0]]).toEqual([
      count,
      count,
      firstDay,
    ]);
    expect(sumOf(merged, count).calls).toBe(hours.length);
    expect(merged.sums[1]?.calls).toBe(24);
  },
);

test.each([
  ["Europe/Berlin", "2026-11-20T23:00:00.000Z"],
  // In UTC, midnight is at 18:30 and 18:15: that hour counts towards the day before.
  ["Asia/Kolkata", "2026-11-20T19:00:00.000Z"],
  ["Asia/Kathmandu", "2026-11-20T19:00:00.000Z"],
])("a day of usage in %s starts at the first full hour of UTC, %s", (timeZone, start) => {
  const range = { from: Date.parse("2026-11-20T12:00:00Z"), to: Date.parse("2026-11-21T12:00:00Z") };
  const [first, second, ...others] = dayStarts({ ...range, timeZone });
  expect([first, second]).toEqual([range.from, Date.parse(start)]);
  expect(others).toEqual([]);
});
