import type { ApiKey } from "../contracts/keys";
import { usePagedList } from "./paged-list";

/** The keys one may see, newest first, page after page; `q` searches names. */
export function useKeys(q: string) {
  const search = q.trim().length >= 2 ? `?q=${encodeURIComponent(q.trim())}` : "";
  const { items, ...rest } = usePagedList<ApiKey>(`/api/keys${search}`);
  return { keys: items, ...rest };
}
