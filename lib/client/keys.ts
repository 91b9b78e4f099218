import type { ApiKey } from "../contracts/keys";
import { usePagedList } from "./paged-list";

/** The keys one may see, newest first, page after page; `q` searches names, `owner` is `me`, a user's id, or everybody. */
export function useKeys(q: string, owner: string | null = null) {
  const query = new URLSearchParams();
  if (q.trim().length >= 2) query.set("q", q.trim());
  if (owner !== null) query.set("owner_id", owner);
  const { items, ...rest } = usePagedList<ApiKey>(query.size > 0 ? `/api/keys?${query}` : "/api/keys");
  return { keys: items, ...rest };
}
