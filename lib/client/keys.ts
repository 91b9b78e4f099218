import useSWRInfinite from "swr/infinite";
import type { ApiKey } from "../contracts/keys";
import type { ListPage } from "../contracts/paging";

const PAGE_SIZE = 50;

/** The keys one may see, newest first, page after page; `q` searches names. */
export function useKeys(q: string) {
  const search = q.trim().length >= 2 ? `&q=${encodeURIComponent(q.trim())}` : "";
  const pages = useSWRInfinite<ListPage<ApiKey>>(
    (index, previous: ListPage<ApiKey> | null) => {
      if (index > 0 && !previous?.next_cursor) return null;
      const cursor = previous?.next_cursor ? `&cursor=${encodeURIComponent(previous.next_cursor)}` : "";
      return `/api/keys?limit=${PAGE_SIZE}${search}${cursor}`;
    },
    { keepPreviousData: true, revalidateFirstPage: true },
  );
  return {
    keys: pages.data?.flatMap((page) => page.items),
    hasMore: Boolean(pages.data?.at(-1)?.next_cursor),
    loadMore: () => pages.setSize(pages.size + 1),
    isLoadingMore: pages.isValidating && pages.size > (pages.data?.length ?? 0),
    error: pages.error as unknown,
    reload: () => pages.mutate(),
  };
}
