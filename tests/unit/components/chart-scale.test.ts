import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { afterEach, expect, test, vi } from "vitest";
import { niceTicks, timeTicks } from "@/components/charts/chart-scale";
import { ChartTable } from "@/components/charts/chart-table";
import { barPaths, plotFrame, yOf } from "@/components/charts/plot-geometry";
import { heightOf, maxOf, valueText } from "@/components/charts/series";
import { common } from "@/lib/messages/en/common";

const HOUR = 3_600_000;

afterEach(() => vi.unstubAllEnvs());

/** Labels of the ticks in local time. */
const labelsOf = (ticks: readonly { at: number; isDay: boolean }[]) =>
  ticks.map(({ at, isDay }) => {
    const date = new Date(at);
    return isDay ? `${date.getMonth() + 1}/${date.getDate()}` : `${date.getHours()}:${date.getMinutes()}`;
  });

test("the height of a bucket is the sum of its bars, or the value of its highest line", () => {
  const bars = [
    { name: "Succeeded", values: [0, 3] },
    { name: "Failed", values: [500, null] },
  ];
  expect([heightOf(bars, 0), heightOf(bars, 1)]).toEqual([500, 3]);
  const lines = bars.map((one) => ({ ...one, kind: "line" as const, previous: [1, 900] }));
  expect([heightOf(lines, 0), heightOf(lines, 1), maxOf(lines, 2)]).toEqual([500, 3, 900]);
});

test("reads the values of the previous period to screen-reader users too", () => {
  const table = createElement(ChartTable, {
    label: "Requests",
    buckets: [0, 1],
    bucketLabel: (at) => `hour ${at}`,
    series: [
      { name: "Succeeded", values: [3, 4], previous: [7, null] },
      { name: "Failed", values: [1, 0] },
    ],
    format: String,
  });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: { common }, children: table };
  const html = renderToStaticMarkup(createElement(IntlProvider, intl));
  const textsOf = (element: string) =>
    [...html.matchAll(new RegExp(`<${element}\\b[^>]*>([^<]*)<`, "g"))].map((match) => match[1]);
  expect(textsOf("th").slice(0, 4)).toEqual(["Time", "Succeeded", "Succeeded (before)", "Failed"]);
  expect(textsOf("td")).toEqual(["3", "7", "1", "4", "–", "0"]);
});

test("steps an axis in round values up to or above the maximum", () => {
  expect(niceTicks(87)).toEqual([0, 50, 100]);
  expect(niceTicks(100)).toEqual([0, 50, 100]);
  expect(niceTicks(4_100)).toEqual([0, 2_000, 4_000, 6_000]);
  expect(niceTicks(0.29)).toEqual([0, 0.1, 0.2, 0.3]);
});

test("steps counts in whole numbers and gives an empty axis a maximum", () => {
  expect(niceTicks(1, 4, true)).toEqual([0, 1]);
  expect(niceTicks(3, 4, true)).toEqual([0, 1, 2, 3]);
  expect(niceTicks(0, 4, true)).toEqual([0, 1, 2, 3, 4]);
  expect(niceTicks(0).at(-1)).toBe(1);
});

test("labels a day at round local hours and midnight with the date", () => {
  vi.stubEnv("TZ", "Asia/Kolkata");
  const from = Date.parse("2026-11-20T10:00:00Z");
  expect(labelsOf(timeTicks(from, from + 24 * HOUR, 8))).toEqual([
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

test("labels an hour by minutes and a month by days", () => {
  vi.stubEnv("TZ", "UTC");
  const from = Date.parse("2026-11-01T00:00:00Z");
  expect(labelsOf(timeTicks(from, from + HOUR, 6))).toEqual(["11/1", "0:10", "0:20", "0:30", "0:40", "0:50"]);
  expect(labelsOf(timeTicks(from, from + 30 * 24 * HOUR, 6))).toEqual([
    "11/1",
    "11/8",
    "11/15",
    "11/22",
    "11/29",
  ]);
});

test("keeps labels at round hours on the day of a clock change", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  const from = Date.parse("2026-10-24T22:00:00Z");
  expect(labelsOf(timeTicks(from, from + 25 * HOUR, 5))).toEqual(["10/25", "6:0", "12:0", "18:0"]);
});

test("returns at most one axis label more than requested", () => {
  for (const hours of [1, 2, 5, 24, 31, 100, 168, 720, 2_208])
    for (const count of [2, 4, 9])
      expect(timeTicks(0, hours * HOUR, count).length, `${hours} h`).toBeLessThanOrEqual(count + 1);
});

test("draws a value far below the maximum one pixel high, and draws nothing for 0", () => {
  const frame = plotFrame({ width: 400, height: 200, buckets: 1, max: 1_000_000, tickLength: 4 });
  const [path = "", none] = barPaths(frame, [
    { name: "few", values: [1] },
    { name: "none", values: [0] },
  ]);
  const base = yOf(frame, 0);
  expect(path).toContain(` ${base.toFixed(1)}V${(base - 1).toFixed(1)}h`);
  expect(none).toBe("");
});

test("a value that is unknown is a dash, not zero", () => {
  const format = (value: number) => `${value} ms`;
  expect([0, 12, null, undefined].map((value) => valueText(value, format))).toEqual([
    "0 ms",
    "12 ms",
    "–",
    "–",
  ]);
});
