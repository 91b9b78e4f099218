import useSWRInfinite from "swr/infinite";
import type { ListPage } from "../contracts/paging";

const PAGE_SIZE = 50;

/** A list of the console, page after page; `path` may hold a query (filters), null: not yet. */
export function usePagedList<Item>(path: string | null) {
  const pages = useSWRInfinite<ListPage<Item>>(
    (index, previous: ListPage<Item> | null) => {
      if (path === null || (index > 0 && !previous?.next_cursor)) return null;
      const cursor = previous?.next_cursor ? `&cursor=${encodeURIComponent(previous.next_cursor)}` : "";
      return `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE_SIZE}${cursor}`;
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
