import { useState } from "react";
import type { z } from "zod";
import type { UsageFilters, UsageList, UsageRow } from "../contracts/console/usage";
import { api, callApi, urlOf } from "./api";
import { mergeNewest } from "./calls";
import type { Range } from "./range";
import { useApi } from "./use-api";

type CallPage = z.output<typeof UsageList>;

const PAGE_SIZE = 50;
/** Limits the memory of a page left open for long. */
const MAX_ROWS = 5_000;

interface LoadedCalls {
  /** The filters and the name of the range. */
  path: string;
  /** The newest page, as merged into `rows` last. */
  page: CallPage | null;
  rows: UsageRow[];
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
    cursor: page.next_cursor,
    searchedFrom: page.searched_from,
    newer: null,
  };
}

/** The list after its newest page was loaded again. */
export function withNewestPage(loaded: LoadedCalls, page: CallPage): LoadedCalls {
  // The cursor of an empty list is not that of the page.
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

interface OlderLoad {
  path: string;
  isLoading: boolean;
  error: unknown;
}

export type PagedCalls = ReturnType<typeof useCalls>;

/**
 * A list of calls, newest first. SWR revalidates the newest page; `loadMore` appends older pages, which are fetched once.
 * `range`: the name of the range that `filters` hold; the list of a relative one stays while its start moves on.
 */
export function useCalls(filters: UsageFilters, range: Range["name"]) {
  const query = { ...filters, limit: PAGE_SIZE };
  const fixed = range === "custom" ? query : { ...query, from: undefined };
  const path = `${range} ${urlOf(api.listCalls, { query: fixed })}`;
  const first = useApi(api.listCalls, { query }, { keepPreviousData: false });
  const [loaded, setLoaded] = useState<LoadedCalls | null>(null);
  /** The last load of older calls; one of other filters does not count. */
  const [lastOlder, setOlder] = useState<OlderLoad>({ path, isLoading: false, error: null });
  const older = lastOlder.path === path ? lastOlder : null;
  const current = loaded?.path === path ? loaded : null;
  if (first.data && first.data !== current?.page)
    setLoaded(current ? withNewestPage(current, first.data) : fromFirstPage(path, first.data));

  const finish = (error: unknown) =>
    setOlder((now) => (now.path === path ? { path, isLoading: false, error } : now));
  const loadMore = async () => {
    if (!current?.cursor || older?.isLoading) return;
    const { cursor } = current;
    setOlder({ path, isLoading: true, error: null });
    try {
      const page = await callApi(api.listCalls, { query: { ...query, cursor } });
      setLoaded((now) => {
        // The list may have begun again meanwhile: the calls between the two would be missing.
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
    rows: current?.rows,
    hasMore: Boolean(current?.cursor),
    /** Set where the search stopped before the end of the range; `loadMore` continues it. */
    searchedFrom: current?.searchedFrom ?? null,
    loadMore,
    isLoadingMore: older?.isLoading ?? false,
    hasNewer: Boolean(current?.newer),
    showNewer: () => setLoaded((now) => (now?.newer ? fromFirstPage(now.path, now.newer) : now)),
    error: first.error ?? older?.error,
    reload: () => first.mutate(),
    /** Repeats what `error` is about. */
    retry: () => (first.error ? first.mutate() : loadMore()),
  };
}
