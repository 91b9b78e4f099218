import useSWRInfinite, { unstable_serialize } from "swr/infinite";
import type { ListPage } from "../contracts/paging";

/** The default of `ListQuery`: a list that the server read ahead has the same rows. */
const PAGE_SIZE = 50;

/** A list of the console, page after page; `path` may hold a query (filters), null: not yet. */
export function usePagedList<Item>(path: string | null) {
  const pages = useSWRInfinite<ListPage<Item>>(
    (index, previous: ListPage<Item> | null) => {
      if (path === null || (index > 0 && !previous?.next_cursor)) return null;
      const cursor = previous?.next_cursor ? `&cursor=${encodeURIComponent(previous.next_cursor)}` : "";
      return `${firstPageOf(path)}${cursor}`;
    },
    { keepPreviousData: true, revalidateFirstPage: true },
  );
  return {
    items: pages.data?.flatMap((page) => page.items),
    hasMore: Boolean(pages.data?.at(-1)?.next_cursor),
    loadMore: () => pages.setSize(pages.size + 1),
    isLoadingMore: pages.isValidating && pages.size > (pages.data?.length ?? 0),
    error: pages.error as unknown,
    reload: () => pages.mutate(),
  };
}

const firstPageOf = (path: string) => `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE_SIZE}`;

/** Where a `fallback` of SWR keeps the pages of this list that are known already. */
export function pagedListKey(path: string): string {
  return unstable_serialize(() => firstPageOf(path));
}
