import { expect, test } from "vitest";
import { dayStarts } from "../../../lib/console/usage/intervals";

test.each([
  ["Europe/Berlin", "2026-11-20T23:00:00.000Z"],
  // Midnight is at 18:30 and 18:15: that hour counts to the day before.
  ["Asia/Kolkata", "2026-11-20T19:00:00.000Z"],
  ["Asia/Kathmandu", "2026-11-20T19:00:00.000Z"],
])("a day of usage in %s starts at the first full hour of UTC, %s", (timeZone, start) => {
  const range = { from: Date.parse("2026-11-20T12:00:00Z"), to: Date.parse("2026-11-21T12:00:00Z") };
  const [first, second, ...others] = dayStarts({ ...range, timeZone });
  expect([first, second]).toEqual([range.from, Date.parse(start)]);
  expect(others).toEqual([]);
});
