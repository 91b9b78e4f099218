import { useSWRConfig } from "swr";
import useSWRInfinite, { unstable_serialize } from "swr/infinite";
import type { DataOf, InputOf } from "../contracts/console/endpoint";
import type { ListPage } from "../contracts/paging";
import { cacheKey, type InputArgs, type RequestInput } from "./api";
import type { GetKey } from "./use-api";

type ItemOf<Key extends GetKey> = DataOf<Key> extends ListPage<infer Item> ? Item : never;
/** Endpoints of lists. */
type PagesKey = { [Key in GetKey]: DataOf<Key> extends ListPage<unknown> ? Key : never }[GetKey];

/** Default of `ListQuery`, so that lists preloaded by the server have the same rows. */
const PAGE_SIZE = 50;

const pageKey = (endpoint: PagesKey, { query }: RequestInput, cursor?: string | null) =>
  cacheKey(endpoint, { query: { ...query, limit: PAGE_SIZE, cursor } });

/** A paged list. */
export interface ApiPages<Item> {
  items: Item[] | undefined;
  /** Identifies the list and its filters. */
  query: string;
  /** False while the items are those of the previous filters. */
  isCurrent: boolean;
  /** True while items are loaded, also when those shown are only revalidated. */
  isLoading: boolean;
  hasMore: boolean;
  loadMore(): Promise<unknown>;
  isLoadingMore: boolean;
  error: unknown;
  reload(): Promise<unknown>;
}

/** Pages of a list of the console API. */
export function useApiPages<Key extends PagesKey>(
  endpoint: Key,
  ...args: InputArgs<InputOf<Key>, [options?: { refreshInterval?: number }]>
): ApiPages<ItemOf<Key>>;
export function useApiPages(
  endpoint: PagesKey,
  input: RequestInput = {},
  options?: { refreshInterval?: number },
): ApiPages<unknown> {
  const keyOf = (index: number, previous: ListPage<unknown> | null) =>
    index > 0 && !previous?.next_cursor ? null : pageKey(endpoint, input, previous?.next_cursor);
  const pages = useSWRInfinite<ListPage<unknown>, unknown>(keyOf, {
    keepPreviousData: true,
    revalidateFirstPage: true,
    ...options,
  });
  const { cache, fallback } = useSWRConfig();
  const key = unstable_serialize(keyOf);
  const isOwn = (cache.get(key)?.data ?? fallback[key]) !== undefined;
  // The rows of the previous filters are kept until those of the next ones have loaded or failed.
  const data = pages.error && !isOwn ? undefined : pages.data;
  return {
    items: data?.flatMap((page) => page.items),
    query: key,
    isCurrent: isOwn,
    isLoading: pages.isValidating,
    hasMore: Boolean(data?.at(-1)?.next_cursor),
    loadMore: () => pages.setSize(pages.size + 1),
    isLoadingMore: pages.isValidating && pages.size > (data?.length ?? 0),
    error: pages.error,
    reload: () => pages.mutate(),
  };
}

/** SWR's `fallback` with the first page of a list. */
export function cachedPages<Key extends PagesKey>(
  endpoint: Key,
  input: InputOf<Key>,
  page: DataOf<Key>,
): Record<string, unknown>;
export function cachedPages(endpoint: PagesKey, input: RequestInput, page: unknown): Record<string, unknown> {
  return { [unstable_serialize(() => pageKey(endpoint, input))]: [page] };
}
