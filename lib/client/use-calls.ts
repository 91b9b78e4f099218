import { useState } from "react";
import useSWR from "swr";
import type { UsageRow } from "../contracts/console/usage";
import type { ListPage } from "../contracts/paging";
import { api } from "./api";
import { mergeNewest } from "./calls";

const PAGE_SIZE = 50;
/** A page left open for a day must not hold the day's calls. */
const MOST_ROWS = 5_000;

interface Read {
  path: string;
  /** The page that `rows` were merged with last. */
  page: ListPage<UsageRow> | null;
  rows: UsageRow[];
  /** Where the next older page begins; null: there is none. */
  cursor: string | null;
  /** Newer calls that do not join what stands here; shown when the visitor asks for them. */
  waiting: ListPage<UsageRow> | null;
}

function readFirst(path: string, page: ListPage<UsageRow>): Read {
  return { path, page, rows: page.items, cursor: page.next_cursor, waiting: null };
}

function readAgain(read: Read, page: ListPage<UsageRow>): Read {
  const { rows, hasGap } = mergeNewest(page.items, read.rows, page.next_cursor === null);
  // Somebody who reads the first page follows along; who has gone further is not moved.
  if (hasGap)
    return read.rows.length > PAGE_SIZE ? { ...read, page, waiting: page } : readFirst(read.path, page);
  if (rows.length > MOST_ROWS) return readFirst(read.path, page);
  return { ...read, page, rows, waiting: null };
}

export type CallsRead = ReturnType<typeof useCalls>;

/**
 * A list of calls, newest first, that grows at both ends: at the top whenever its path is read again, at the bottom by
 * `loadMore`. Older pages are read once, however often the top moves.
 */
export function useCalls(path: string) {
  const first = useSWR<ListPage<UsageRow>>(`${path}&limit=${PAGE_SIZE}`, { keepPreviousData: false });
  const [read, setRead] = useState<Read | null>(null);
  const [older, setOlder] = useState<{ isLoading: boolean; error: unknown }>({
    isLoading: false,
    error: null,
  });
  const known = read?.path === path ? read : null;
  if (first.data && first.data !== known?.page)
    setRead(known ? readAgain(known, first.data) : readFirst(path, first.data));

  const loadMore = async () => {
    if (!known?.cursor || older.isLoading) return;
    setOlder({ isLoading: true, error: null });
    try {
      const cursor = encodeURIComponent(known.cursor);
      const page = await api.get<ListPage<UsageRow>>(`${path}&limit=${PAGE_SIZE}&cursor=${cursor}`);
      setRead((now) => {
        if (now?.path !== path) return now;
        const ids = new Set(now.rows.map((row) => row.id));
        const rows = [...now.rows, ...page.items.filter((row) => !ids.has(row.id))];
        return { ...now, rows, cursor: page.next_cursor };
      });
      setOlder({ isLoading: false, error: null });
    } catch (error) {
      setOlder({ isLoading: false, error });
    }
  };
  return {
    rows: known?.rows,
    hasMore: Boolean(known?.cursor),
    loadMore,
    isLoadingMore: older.isLoading,
    hasNewer: Boolean(known?.waiting),
    showNewer: () => setRead((now) => (now?.waiting ? readFirst(now.path, now.waiting) : now)),
    error: (first.error ?? older.error) as unknown,
    reload: () => first.mutate(),
  };
}
