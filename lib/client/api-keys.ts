import type { ApiKey } from "../contracts/console/api-keys";
import type { ListPage } from "../contracts/paging";
import { pagedListKey, usePagedList } from "./paged-list";

/** The keys one may see, newest first, page after page; `q` searches names, `owner` is `me`, a user's id, or everybody. */
export function useApiKeys(q: string, owner: string | null = null) {
  const { items, ...rest } = usePagedList<ApiKey>(keysPath(q, owner));
  return { keys: items, ...rest };
}

function keysPath(q: string, owner: string | null): string {
  const query = new URLSearchParams();
  if (q.trim().length >= 2) query.set("q", q.trim());
  if (owner !== null) query.set("owner_id", owner);
  return query.size > 0 ? `/api/keys?${query}` : "/api/keys";
}

/** The keys that the page shows at once, read by the server, and what its address asked for. */
export interface InitialApiKeys {
  q: string;
  owner: string | null;
  /** Null: the address asks for what no list takes. */
  keys: ListPage<ApiKey> | null;
}

/** The same under the path that `useKeys` asks for: a `fallback` of SWR. */
export function apiKeysFallback({ q, owner, keys }: InitialApiKeys): Record<string, unknown> {
  return keys === null ? {} : { [pagedListKey(keysPath(q, owner))]: [keys] };
}
