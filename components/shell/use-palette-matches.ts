import { useEffect, useState } from "react";
import useSWR from "swr";
import { api } from "../../lib/client/api";
import { CHANNELS } from "../../lib/client/channels";
import { MODELS } from "../../lib/client/models";
import type { ApiKey } from "../../lib/contracts/console/api-keys";
import type { Channel } from "../../lib/contracts/console/channels";
import type { ManagedUser, Role } from "../../lib/contracts/console/user";
import type { Model } from "../../lib/contracts/gateway/models";

/** A record that matches the search text, and the page that shows it. */
export interface Match {
  id: string;
  name: string;
  /** A second name, such as the username. */
  note: string | null;
  path: string;
}

/** A list of the console API, and how its records are matched. */
interface Source<Item> {
  /** The whole list, or its first page. */
  path: string;
  /** The server's search; null if `path` returns the whole list. */
  searchPath: string | null;
  /** The searched texts, the name first. */
  textsOf(item: Item): readonly (string | null)[];
  matchOf(item: Item): Match;
}

interface ListResponse<Item> {
  items: readonly Item[];
  next_cursor?: string | null;
}

const DEBOUNCE_MS = 150;
const MAX_MATCHES = 5;
/** The shortest text that the server's search accepts. */
const SEARCH_FROM = 2;

const CHANNEL_SOURCE: Source<Channel> = {
  path: CHANNELS,
  searchPath: null,
  textsOf: (one) => [one.name, one.id],
  matchOf: ({ id, name }) => ({ id, name, note: null, path: `/channels/${encodeURIComponent(id)}` }),
};
const MODEL_SOURCE: Source<Model> = {
  path: MODELS,
  searchPath: null,
  textsOf: (one) => [one.name, ...one.aliases],
  matchOf: ({ name }) => ({
    id: name,
    name,
    note: null,
    path: `/models?model=${encodeURIComponent(name)}`,
  }),
};
const KEY_SOURCE: Source<ApiKey> = {
  path: "/api/keys?limit=100",
  searchPath: "/api/keys?limit=20",
  textsOf: (one) => [one.name, one.display],
  matchOf: ({ id, name, display }) => ({
    id,
    name,
    note: display,
    path: `/keys?q=${encodeURIComponent(name.trim().length < SEARCH_FROM ? display : name)}`,
  }),
};
const USER_SOURCE: Source<ManagedUser> = {
  path: "/api/users?limit=100",
  searchPath: "/api/users?limit=20",
  textsOf: (one) => [one.display_name, one.username, one.email],
  matchOf: ({ id, display_name, username }) => ({
    id,
    name: display_name,
    note: username === display_name ? null : username,
    path: `/users?q=${encodeURIComponent(username)}`,
  }),
};

/** Up to five matches of each kind that the role may see. A list that fails to load has no matches. */
export function usePaletteMatches(query: string, role: Role) {
  const text = query.trim();
  const isAdmin = role !== "member";
  const lists = {
    channels: useMatches(CHANNEL_SOURCE, text, isAdmin),
    models: useMatches(MODEL_SOURCE, text, isAdmin),
    keys: useMatches(KEY_SOURCE, text, true),
    users: useMatches(USER_SOURCE, text, isAdmin),
  };
  return { lists, isSearching: Object.values(lists).some((list) => list.isSearching) };
}

/**
 * Searches a list. If its first page is the whole list, it is filtered here; otherwise the server is asked once typing
 * pauses, and until it responds the previous results are shown as far as they still match.
 */
function useMatches<Item>(source: Source<Item>, text: string, isAllowed: boolean) {
  const { path, searchPath, textsOf, matchOf } = source;
  const debounced = useDebounced(text);
  const first = useSWR<ListResponse<Item>>(isAllowed && debounced !== "" ? path : null);
  const hasMorePages = searchPath !== null && Boolean(first.data?.next_cursor);
  const found = useSWR(
    hasMorePages && debounced.length >= SEARCH_FROM
      ? `${searchPath}&q=${encodeURIComponent(debounced)}`
      : null,
    async (query: string) => ({ text: debounced, items: (await api.get<ListResponse<Item>>(query)).items }),
    { keepPreviousData: true },
  );
  const usesServer = hasMorePages && text.length >= SEARCH_FROM;
  const isCurrent = usesServer && found.data?.text === text;
  const loaded = (usesServer ? found.data : null) ?? first.data;
  const matches = (item: Item) => isCurrent || matchingText(textsOf(item), text) !== null;
  const items = text === "" ? [] : (loaded?.items ?? []).filter(matches);
  const isLoading = (!first.data && !first.error) || (usesServer && !isCurrent && !found.error);
  return {
    isSearching: isAllowed && text !== "" && isLoading,
    matches: bestMatches(items, text, textsOf).map((item) => withNote(matchOf(item), textsOf(item), text)),
  };
}

/** The first text that contains `text`, ignoring case; null if none does. */
function matchingText(texts: readonly (string | null)[], text: string): string | null {
  return texts.find((one) => one?.toLowerCase().includes(text.toLowerCase())) ?? null;
}

/** The first matches, those whose name starts with the text before the others. */
function bestMatches<Item>(items: readonly Item[], text: string, textsOf: Source<Item>["textsOf"]): Item[] {
  const startsWithText = (item: Item) =>
    textsOf(item)[0]?.toLowerCase().startsWith(text.toLowerCase()) === true;
  const others = items.filter((item) => !startsWithText(item));
  return [...items.filter(startsWithText), ...others].slice(0, MAX_MATCHES);
}

/** Adds the text that matched, if it is not the name. */
function withNote(match: Match, texts: readonly (string | null)[], text: string): Match {
  const matched = matchingText(texts, text);
  return match.note === null && matched !== match.name ? { ...match, note: matched } : match;
}

/** `value` after it has not changed for `DEBOUNCE_MS`. */
function useDebounced(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
