import useSWR, { type Cache, type SWRConfiguration, type SWRResponse, useSWRConfig } from "swr";
import type { DataOf, InputOf, JsonKey } from "../contracts/console/endpoint";
import { cacheKey, endpointOf, type InputArgs, type RequestInput } from "./api";

export type GetKey = Extract<JsonKey, `GET ${string}`>;

/**
 * Data of an endpoint, cached by SWR; `input` null: nothing is fetched. `keepPreviousData` keeps the data of the
 * previous input until that of the next input has loaded or failed: after an error, the old data would look like that
 * of the next input.
 */
export function useApi<Key extends GetKey>(
  endpoint: Key,
  ...args: InputArgs<InputOf<Key> | null, [options?: SWRConfiguration<DataOf<Key>>]>
): SWRResponse<DataOf<Key>, unknown>;
export function useApi(endpoint: GetKey, input: RequestInput | null = {}, options?: SWRConfiguration) {
  const key = input === null ? null : cacheKey(endpoint, input);
  const { cache, fallback } = useSWRConfig();
  const reply = useSWR<unknown, unknown>(key, options);
  const isOwn = key === null || (cache.get(key)?.data ?? fallback[key]) !== undefined;
  return options?.keepPreviousData && reply.error && !isOwn ? { ...reply, data: undefined } : reply;
}

type Mutate = ReturnType<typeof useSWRConfig>["mutate"];

/** Fetches the cached replies of endpoints again, for every input; the page shows the old data until then. */
export function revalidate(
  { cache, mutate }: { cache: Cache; mutate: Mutate },
  endpoints: readonly string[],
  includesLaterPages: boolean,
): Promise<unknown> {
  const keys = [...cache.keys()].filter((key) => endpoints.includes(endpointOf(key) ?? ""));
  const isLaterPage = (key: string) => key.includes("&cursor=");
  // A list has a cache entry per page and one for all pages, which it shows. Without the entries of its later pages, it
  // fetches those again together with the first.
  if (includesLaterPages)
    for (const key of keys.filter(isLaterPage)) void mutate(key, undefined, { revalidate: false });
  return Promise.all(keys.filter((key) => !isLaterPage(key)).map((key) => mutate(key)));
}

/** The cached replies of the console API. */
export function useApiCache() {
  const { cache, mutate } = useSWRConfig();
  /** Replaces the cached reply of an endpoint. */
  function write<Key extends GetKey>(endpoint: Key, input: InputOf<Key>, data: DataOf<Key>): Promise<unknown>;
  function write(endpoint: GetKey, input: RequestInput, data: unknown): Promise<unknown> {
    return mutate(cacheKey(endpoint, input), data, { revalidate: false });
  }
  return {
    write,
    /** Fetches the replies of these endpoints again, for every input. */
    reload: (...endpoints: readonly GetKey[]) => revalidate({ cache, mutate }, endpoints, true),
    /** Forgets the replies of these endpoints and fetches them again. */
    clear: (...endpoints: readonly GetKey[]) =>
      mutate((key) => typeof key === "string" && endpoints.some((one) => one === endpointOf(key)), undefined),
  };
}
