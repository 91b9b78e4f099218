import { describe, expect, test } from "vitest";
import {
  callsHref,
  callsQuery,
  mergeNewest,
  readCallFilters,
  rejectionsHref,
  rejectionsQuery,
  withFilter,
} from "@/lib/client/calls";
import { type Range, rangeOf, rangeQuery, readRange } from "@/lib/client/range";
import { toSeries } from "@/lib/client/usage-series";
import { fromFirstPage, runningRows, withNewestPage, withRowsAgain } from "@/lib/client/use-calls";
import type { UsageRow } from "@/lib/contracts/console/usage";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";

const NOW = Date.parse("2026-09-21T14:13:20Z");

/** A list row of a call, `second` seconds after NOW. */
const call = (second: number, fields: Partial<UsageRow> = {}) =>
  // Only the fields that merging uses.
  ({
    id: `use_${second}`,
    at: new Date(NOW + second * 1_000).toISOString(),
    state: "settled",
    ...fields,
  }) as UsageRow;
const seconds = (rows: readonly UsageRow[]) => rows.map((row) => Number(row.id.slice(4)));

const page = (items: UsageRow[], next_cursor: string | null = null, searched_from: string | null = null) => ({
  items,
  next_cursor,
  searched_from,
});

test("a list that was empty continues where its first page ends", () => {
  const empty = fromFirstPage("path", page([]));
  const filled = withNewestPage(empty, page([call(2), call(1)], "older"));
  expect(filled).toMatchObject({ rows: [call(2), call(1)], cursor: "older" });
  expect(withNewestPage(filled, page([call(3), call(2)], "newer")).cursor).toBe("older");
});

describe("rows of running calls below the newest page", () => {
  const open = (second: number) => call(second, { state: "open" });
  const list = withNewestPage(
    fromFirstPage("path", page([open(4), call(3), open(2), call(1)], "older")),
    page([open(5), open(4)], "newer"),
  );

  test("are read again from the oldest running call on, without the rows of the newest page", () => {
    expect(runningRows(list)).toEqual({ from: call(2).at, to: call(5.001).at });
    expect(runningRows(fromFirstPage("path", page([open(2), open(1)])))).toBeNull();
    const rows = Array.from({ length: 200 }, (_, index) => open(300 - index));
    expect(runningRows({ ...list, rows })).toEqual({ from: call(101).at, to: call(190.001).at });
  });

  test("show how the calls ended", () => {
    const times = { from: call(2).at, to: call(5.001).at };
    const { rows } = withRowsAgain(list, times, page([call(5), call(4), call(3), call(2)]));
    expect(rows).toEqual([call(5), call(4), call(3), call(2), call(1)]);
  });

  test("disappear when the ended call does not match the filters, unless the reply may lack it", () => {
    const times = { from: call(2).at, to: call(3).at };
    expect(seconds(withRowsAgain(list, times, page([])).rows)).toEqual([5, 4, 3, 1]);
    expect(seconds(withRowsAgain(list, times, page([], "older")).rows)).toEqual([5, 4, 3, 2, 1]);
    expect(seconds(withRowsAgain(list, times, page([], null, call(2).at)).rows)).toEqual([5, 4, 3, 2, 1]);
  });

  test("never change from ended back to running", () => {
    const { rows } = withRowsAgain(list, { from: call(1).at, to: call(3).at }, page([open(2), open(1)]));
    expect(rows.find(({ id }) => id === call(1).id)?.state).toBe("settled");
  });
});

describe("mergeNewest", () => {
  test("puts new calls first and keeps older ones, each once", () => {
    const before = [call(5), call(4), call(3), call(2)];
    const { rows, hasGap } = mergeNewest([call(7), call(6), call(5)], before, false);
    expect([seconds(rows), hasGap]).toEqual([[7, 6, 5, 4, 3, 2], false]);
  });

  test("takes the latest state of each call", () => {
    const { rows } = mergeNewest(
      [call(5, { state: "settled" })],
      [call(5, { state: "open" }), call(4)],
      false,
    );
    expect(rows.map((row) => row.state)).toEqual(["settled", "settled"]);
  });

  test("reports a gap when calls between the two pages may be missing", () => {
    expect(mergeNewest([call(9), call(8)], [call(5), call(4)], false)).toMatchObject({ hasGap: true });
    expect(mergeNewest([], [call(5)], true)).toEqual({ rows: [], hasGap: false });
    expect(mergeNewest([call(9)], [], false).hasGap).toBe(false);
  });

  test("keeps older matches of a search that stopped before them", () => {
    const before = [call(5), call(3), call(2)];
    const since = call(4).at;
    expect(mergeNewest([call(7)], before, false, since)).toMatchObject({ hasGap: false });
    expect(seconds(mergeNewest([call(7)], before, false, since).rows)).toEqual([7, 3, 2]);
    expect(seconds(mergeNewest([], before, false, since).rows)).toEqual([3, 2]);
    expect(mergeNewest([], before, true, null).rows).toEqual([]);
  });

  test("drops calls that the newest page should have but does not", () => {
    const { rows } = mergeNewest([call(5), call(3)], [call(5), call(4), call(3), call(2)], false);
    expect(seconds(rows)).toEqual([5, 3, 2]);
  });
});

describe("queries and filters of calls", () => {
  const filters = readCallFilters(new URLSearchParams("model=tts&tag=a%26b&other=1&status="));

  test("reads only known filters from the query", () => {
    expect(filters).toEqual({ model: "tts", tag: "a&b" });
  });

  test("leaves out `to` in lists of ranges that end now", () => {
    const day = readRange(new URLSearchParams("range=24h"), NOW);
    expect(callsQuery(filters, day)).toEqual({ from: "2026-09-20T15:00:00.000Z", model: "tts", tag: "a&b" });
    const custom = readRange(new URLSearchParams("from=2026-09-20T00:00:00Z&to=2026-09-21T00:00:00Z"), NOW);
    expect(callsQuery({}, custom).to).toBe("2026-09-21T00:00:00.000Z");
  });

  test("adds a filter to the current query and closes the open call", () => {
    const next = withFilter(new URLSearchParams("range=7d&call=use_1&model=old"), "model", "new");
    expect(next).toBe("?range=7d&model=new");
  });
});

describe("toSeries", () => {
  const item = (period: string, calls: number) => ({ period, calls });
  const summary = (range: Range, ...items: object[]) =>
    ({ ...rangeQuery(range), items }) as unknown as UsageSummary;

  test("fills hours without calls", () => {
    const range = readRange(new URLSearchParams("from=2026-09-21T10:30:00Z&to=2026-09-21T14:00:00Z"), NOW);
    const { buckets, items } = toSeries(range, summary(range, item("2026-09-21T12:00:00.000Z", 3)));
    expect(buckets.map((at) => new Date(at).getUTCHours())).toEqual([10, 11, 12, 13]);
    expect(items.map((one) => one?.calls ?? 0)).toEqual([0, 0, 3, 0]);
  });

  test("puts daily totals on the day that the server counted", () => {
    const range = readRange(new URLSearchParams("range=30d"), NOW);
    const { buckets, items } = toSeries(range, summary(range, item("2026-09-20", 2)));
    const at = items.findIndex((one) => one !== null);
    expect(new Date(buckets[at] ?? 0).getDate()).toBe(20);
    expect(toSeries(range, undefined).items.every((one) => one === null)).toBe(true);
    const whole = rangeOf("custom", new Date(2026, 8, 1).getTime(), new Date(2026, 8, 11).getTime());
    expect(toSeries(whole, undefined).buckets).toHaveLength(10);
  });
});

describe("rejected requests", () => {
  const range = readRange(new URLSearchParams("range=7d"), NOW);

  test("are listed only with filters that apply to them", () => {
    const { from } = callsQuery({}, range);
    const filters = { status: "rejected", key_id: "key_1", model: "tts" };
    expect(rejectionsQuery(filters, range)).toEqual({ from, key_id: "key_1", model: "tts" });
    expect(rejectionsQuery({ status: "rejected", channel_id: "chn_1" }, range)).toBeNull();
    expect(rejectionsQuery({ status: "rejected", tag: "night" }, range)).toBeNull();
  });

  test("are linked on a page that the user may see, with a range that contains the latest", () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const link = (hours: number) => rejectionsHref(true, { since: hoursAgo(hours) }, { key_id: "key_1" });
    expect(link(1)).toBe("/logs?key_id=key_1&status=rejected&range=24h");
    expect(link(25)).toBe("/logs?key_id=key_1&status=rejected&range=7d");
    expect(link(200)).toBe("/logs?key_id=key_1&status=rejected&range=30d");
    expect(callsHref(false, range, { model: "tts" })).toBe("/usage?model=tts&range=7d");
    expect(rejectionsHref(false, range)).toBe("/usage?status=rejected&range=7d");
    const custom = readRange(new URLSearchParams("from=2026-09-01T00:00:00Z&to=2026-09-02T00:00:00Z"), NOW);
    expect(rejectionsHref(true, custom)).toBe(
      "/logs?status=rejected&from=2026-09-01T00%3A00%3A00.000Z&to=2026-09-02T00%3A00%3A00.000Z",
    );
  });
});
