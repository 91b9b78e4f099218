import type { ApiKey } from "../contracts/console/api-keys";
import type { ListPage } from "../contracts/paging";
import { pagedListKey, usePagedList } from "./paged-list";

/** The keys the user may see, newest first. `q` searches names; `owner` is `me`, a user's ID, or null for all owners. */
export const useApiKeys = (q: string, owner: string | null = null) =>
  usePagedList<ApiKey>(apiKeysPath(q, owner));

function apiKeysPath(q: string, owner: string | null): string {
  const query = new URLSearchParams();
  if (q.trim().length >= 2) query.set("q", q.trim());
  if (owner !== null) query.set("owner_id", owner);
  return query.size > 0 ? `/api/keys?${query}` : "/api/keys";
}

export const apiKeyPath = (id: string) => `/api/keys/${encodeURIComponent(id)}`;

/** The first page of keys, read by the server for the filters in the page's URL. */
export interface InitialApiKeys {
  q: string;
  owner: string | null;
  /** Null if the filters are invalid. */
  keys: ListPage<ApiKey> | null;
}

/** SWR's `fallback` for `useApiKeys`. */
export function apiKeysFallback({ q, owner, keys }: InitialApiKeys): Record<string, unknown> {
  return keys === null ? {} : { [pagedListKey(apiKeysPath(q, owner))]: [keys] };
}
