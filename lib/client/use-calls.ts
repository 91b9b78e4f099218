import { useState } from "react";
import type { z } from "zod";
import type { UsageFilters, UsageList, UsageRow } from "../contracts/console/usage";
import { api, callApi, urlOf } from "./api";
import { mergeNewest } from "./calls";
import type { Range } from "./range";
import { useApi } from "./use-api";

type CallPage = z.output<typeof UsageList>;

const PAGE_SIZE = 50;
/** Rows that are read again at once; below the API's page maximum, because further calls may have the same time. */
const ROWS_AGAIN = 90;
const MAX_PAGE_SIZE = 100;
/** Limits the memory of a page left open for long. */
const MAX_ROWS = 5_000;

interface LoadedCalls {
  /** The filters and the name of the range. */
  path: string;
  /** The newest page, as merged into `rows` last. */
  page: CallPage | null;
  rows: UsageRow[];
  /** The latest reply to the request that reads rows again because calls among them were running. */
  again: CallPage | null;
  /** Cursor of the next older page; null when there is none. */
  cursor: string | null;
  /** All matching calls since this time are loaded; null: the last page was full, or nothing is left. */
  searchedFrom: string | null;
  /** A newer page that does not overlap `rows`; shown when the user asks for it. */
  newer: CallPage | null;
}

export function fromFirstPage(path: string, page: CallPage): LoadedCalls {
  return {
    path,
    page,
    rows: page.items,
    again: null,
    cursor: page.next_cursor,
    searchedFrom: page.searched_from,
    newer: null,
  };
}

/** The list after its newest page was loaded again. */
export function withNewestPage(loaded: LoadedCalls, page: CallPage): LoadedCalls {
  // An empty list has no older page, but the new page may have one.
  if (loaded.rows.length === 0) return fromFirstPage(loaded.path, page);
  const { rows, hasGap } = mergeNewest(
    page.items,
    loaded.rows,
    page.next_cursor === null,
    page.searched_from,
  );
  // On the first page the list follows the newest calls; after loading more it keeps its position.
  if (hasGap)
    return loaded.rows.length > PAGE_SIZE
      ? { ...loaded, page, newer: page }
      : fromFirstPage(loaded.path, page);
  if (rows.length > MAX_ROWS) return fromFirstPage(loaded.path, page);
  return { ...loaded, page, rows, newer: null };
}

/**
 * The times (`to` exclusive) of the rows to read again, from the oldest running call that is not on the newest page;
 * null when there is none.
 */
export function runningRows({ rows, page }: LoadedCalls): { from: string; to: string } | null {
  const newest = new Set(page?.items.map((row) => row.id));
  const last = rows.findLastIndex((row) => row.state === "open" && !newest.has(row.id));
  const from = rows[last]?.at;
  const to = rows[Math.max(0, last - ROWS_AGAIN + 1)]?.at;
  if (from === undefined || to === undefined) return null;
  return { from, to: new Date(Date.parse(to) + 1).toISOString() };
}

/** The list after the rows of `from` to `to` were read again. */
export function withRowsAgain(
  loaded: LoadedCalls,
  { from, to }: { from: string; to: string },
  again: CallPage,
): LoadedCalls {
  const read = new Map(again.items.map((row) => [row.id, row]));
  const isComplete = again.next_cursor === null && again.searched_from === null;
  const rows = loaded.rows.flatMap((row) => {
    if (row.state === "settled") return row;
    // A call that has ended may no longer match the filters.
    const isGone = isComplete && row.at >= from && row.at < to;
    return read.get(row.id) ?? (isGone ? [] : row);
  });
  return { ...loaded, again, rows };
}

interface OlderLoad {
  path: string;
  isLoading: boolean;
  error: unknown;
}

export type PagedCalls = ReturnType<typeof useCalls>;

/**
 * A list of calls, newest first. SWR revalidates the newest page; `loadMore` appends older pages, which are fetched
 * once, except for the rows of running calls. `range`: the name of the range that `filters` contain; the list of a
 * relative range is kept while the range's start moves.
 */
export function useCalls(filters: UsageFilters, range: Range["name"]) {
  const query = { ...filters, limit: PAGE_SIZE };
  const fixed = range === "custom" ? query : { ...query, from: undefined };
  const path = `${range} ${urlOf(api.listCalls, { query: fixed })}`;
  const first = useApi(api.listCalls, { query }, { keepPreviousData: false });
  const [loaded, setLoaded] = useState<LoadedCalls | null>(null);
  /** The last load of older calls; ignored if it was for other filters. */
  const [lastOlder, setOlder] = useState<OlderLoad>({ path, isLoading: false, error: null });
  const older = lastOlder.path === path ? lastOlder : null;
  const current = loaded?.path === path ? loaded : null;
  const running = current ? runningRows(current) : null;
  const again = useApi(api.listCalls, running && { query: { ...query, ...running, limit: MAX_PAGE_SIZE } }, {
    keepPreviousData: false,
  });
  if (first.data && first.data !== current?.page)
    setLoaded(current ? withNewestPage(current, first.data) : fromFirstPage(path, first.data));
  else if (current && running && again.data && again.data !== current.again)
    setLoaded(withRowsAgain(current, running, again.data));

  const finish = (error: unknown) =>
    setOlder((now) => (now.path === path ? { path, isLoading: false, error } : now));
  const loadMore = async () => {
    if (!current?.cursor || older?.isLoading) return;
    const { cursor } = current;
    setOlder({ path, isLoading: true, error: null });
    try {
      const page = await callApi(api.listCalls, { query: { ...query, cursor } });
      setLoaded((now) => {
        // The list may have restarted from its newest page meanwhile: appending this page would leave a gap.
        if (now?.path !== path || now.cursor !== cursor) return now;
        const ids = new Set(now.rows.map((row) => row.id));
        const rows = [...now.rows, ...page.items.filter((row) => !ids.has(row.id))];
        return { ...now, rows, cursor: page.next_cursor, searchedFrom: page.searched_from };
      });
      finish(null);
    } catch (error) {
      finish(error);
    }
  };
  return {
    /** Identifies the filters and the range. */
    query: path,
    rows: current?.rows,
    /** True while the newest calls are loaded, also where earlier ones are shown. */
    isLoading: first.isValidating,
    hasMore: Boolean(current?.cursor),
    /** Set where the search stopped before the end of the range; `loadMore` continues it. */
    searchedFrom: current?.searchedFrom ?? null,
    loadMore,
    isLoadingMore: older?.isLoading ?? false,
    hasNewer: Boolean(current?.newer),
    showNewer: () => setLoaded((now) => (now?.newer ? fromFirstPage(now.path, now.newer) : now)),
    error: first.error ?? older?.error,
    reload: () => first.mutate(),
    /** Repeats the request that failed with `error`. */
    retry: () => (first.error ? first.mutate() : loadMore()),
  };
}
