import { api } from "../../lib/client/api";
import { searchText } from "../../lib/client/query-params";
import { useApi } from "../../lib/client/use-api";
import { useDebounced } from "../../lib/client/use-debounced";
import type { ApiKey } from "../../lib/contracts/console/api-keys";
import type { Channel } from "../../lib/contracts/console/channels";
import type { Model } from "../../lib/contracts/console/models";
import type { ManagedUser, Role } from "../../lib/contracts/console/user";

/** A record that matches the search text, and the page that shows it. */
export interface Match {
  id: string;
  name: string;
  /** A second name, such as the username. */
  note: string | null;
  path: string;
}

/** How the records of a list are matched. */
interface Source<Item> {
  /** The searched texts, the name first. */
  textsOf(item: Item): readonly (string | null)[];
  matchOf(item: Item): Match;
}

/** A list as far as it has been loaded. */
interface Loaded<Item> {
  data: { items: readonly Item[] } | undefined;
  error: unknown;
  isLoading: boolean;
}

const MAX_MATCHES = 5;

const CHANNEL_SOURCE: Source<Channel> = {
  textsOf: (one) => [one.name, one.id],
  matchOf: ({ id, name }) => ({ id, name, note: null, path: `/channels/${encodeURIComponent(id)}` }),
};
const MODEL_SOURCE: Source<Model> = {
  textsOf: (one) => [one.name, ...one.aliases],
  matchOf: ({ name }) => ({
    id: name,
    name,
    note: null,
    path: `/models?model=${encodeURIComponent(name)}`,
  }),
};
const KEY_SOURCE: Source<ApiKey> = {
  textsOf: (one) => [one.name, one.display],
  matchOf: ({ id, name, display }) => ({
    id,
    name,
    note: display,
    path: `/keys?q=${encodeURIComponent(searchText(name) ?? display)}`,
  }),
};
const USER_SOURCE: Source<ManagedUser> = {
  textsOf: (one) => [one.display_name, one.username, one.email],
  matchOf: ({ id, display_name, username }) => ({
    id,
    name: display_name,
    note: username === display_name ? null : username,
    path: `/users?q=${encodeURIComponent(username)}`,
  }),
};

/**
 * Up to five matches of each kind that the role may see. A list that fails to load has no matches. If the first page of
 * keys or users is not the whole list, the server is asked once typing pauses.
 */
export function usePaletteMatches(query: string, role: Role) {
  const text = query.trim();
  const debounced = useDebounced(text);
  const isOpen = debounced !== "";
  const isAdminOpen = isOpen && role !== "member";
  const first = { query: { limit: 100 } };
  const channels = useApi(api.listChannels, isAdminOpen ? {} : null);
  const models = useApi(api.listModels, isAdminOpen ? {} : null);
  const keys = useApi(api.listKeys, isOpen ? first : null);
  const users = useApi(api.listUsers, isAdminOpen ? first : null);
  const q = searchText(debounced);
  const search = q === null ? null : { query: { limit: 20, q } };
  const keep = { keepPreviousData: true };
  const foundKeys = useApi(api.listKeys, keys.data?.next_cursor ? search : null, keep);
  const foundUsers = useApi(api.listUsers, users.data?.next_cursor ? search : null, keep);
  const isAdmin = role !== "member";
  const usesServer = searchText(text) !== null;
  const isCurrent = text === debounced;
  const none = { isSearching: false, matches: [] };
  const lists = {
    channels: isAdmin ? matchesIn(CHANNEL_SOURCE, text, channels) : none,
    models: isAdmin ? matchesIn(MODEL_SOURCE, text, models) : none,
    keys: matchesIn(
      KEY_SOURCE,
      text,
      keys,
      usesServer && keys.data?.next_cursor ? foundKeys : null,
      isCurrent,
    ),
    users: isAdmin
      ? matchesIn(
          USER_SOURCE,
          text,
          users,
          usesServer && users.data?.next_cursor ? foundUsers : null,
          isCurrent,
        )
      : none,
  };
  return { lists, isSearching: Object.values(lists).some((list) => list.isSearching) };
}

/**
 * The matches in the list `first` or, if given, in `found`: what the server found. Until the server has responded for
 * `text` (`isCurrent`: it was asked for that text), its previous results are shown as far as they still match.
 */
function matchesIn<Item>(
  { textsOf, matchOf }: Source<Item>,
  text: string,
  first: Loaded<Item>,
  found: Loaded<Item> | null = null,
  isCurrent = false,
) {
  const isFound = found !== null && isCurrent && !found.isLoading && found.data !== undefined;
  const loaded = found?.data ?? first.data;
  const matches = (item: Item) => isFound || matchingText(textsOf(item), text) !== null;
  const items = text === "" ? [] : (loaded?.items ?? []).filter(matches);
  const isLoading = (!first.data && !first.error) || (found !== null && !isFound && !found.error);
  return {
    isSearching: text !== "" && isLoading,
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
