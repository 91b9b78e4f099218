import { api } from "@/lib/client/api";
import { searchText } from "@/lib/client/query-params";
import { useApi } from "@/lib/client/use-api";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import type { ManagedUser } from "@/lib/contracts/console/user";

/** What a `RecordSelect` offers. */
export type RecordKind = "users" | "keys";

export interface Choice {
  value: string;
  name: string;
  /** A second name. */
  note?: string;
}

/** Most records that a select offers at once; a longer list is searched by the server. */
const MAX_CHOICES = 100;

const userChoice = ({ id, username, display_name }: ManagedUser): Choice => ({
  value: id,
  name: username,
  note: display_name,
});
const keyChoice = ({ id, name, display }: ApiKey): Choice => ({ value: id, name, note: display });

/**
 * The first records, or the first ones that match `q` if it has two characters or more. Until these are loaded,
 * `choices` are those of the previous text, or undefined, and `isCurrent` is false; it is also false after an `error`.
 */
export function useChoices(kind: RecordKind, q: string) {
  const input = { query: { limit: MAX_CHOICES, q: searchText(q) } };
  const keep = { keepPreviousData: true };
  const users = useApi(api.listUsers, kind === "users" ? input : null, keep);
  const keys = useApi(api.listKeys, kind === "keys" ? input : null, keep);
  const { data, isLoading, error } = kind === "users" ? users : keys;
  return {
    choices: kind === "users" ? users.data?.items.map(userChoice) : keys.data?.items.map(keyChoice),
    hasMore: Boolean(data?.next_cursor),
    isCurrent: !isLoading && error === undefined,
    error,
  };
}

/**
 * The record with this ID; undefined while it loads, when there is none, and for an empty ID. A record that is not
 * among the first ones is fetched by its ID.
 */
export function useChoice(kind: RecordKind, id: string): Choice | undefined {
  const { choices } = useChoices(kind, "");
  const first = choices?.find((one) => one.value === id);
  const input = id !== "" && choices && !first ? { params: { id } } : null;
  const user = useApi(api.getUser, kind === "users" ? input : null);
  const key = useApi(api.getKey, kind === "keys" ? input : null);
  return first ?? (user.data && userChoice(user.data)) ?? (key.data && keyChoice(key.data));
}
