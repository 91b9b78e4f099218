import useSWRInfinite, { unstable_serialize } from "swr/infinite";
import type { ListPage } from "../contracts/paging";

/** Default of `ListQuery`, so that lists preloaded by the server have the same rows. */
const PAGE_SIZE = 50;

/** A paged list of the console API; `path` may have a query (filters), null loads nothing. */
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

/** Key of a list in SWR's `fallback`, for pages preloaded by the server. */
export function pagedListKey(path: string): string {
  return unstable_serialize(() => firstPageOf(path));
}
