import { useEffect, useState } from "react";
import useSWR from "swr";
import { api } from "../../lib/client/api";
import { CHANNELS } from "../../lib/client/channels";
import { MODELS } from "../../lib/client/models";
import type { ApiKey } from "../../lib/contracts/console/api-keys";
import type { Channel } from "../../lib/contracts/console/channels";
import type { ManagedUser, Role } from "../../lib/contracts/console/user";
import type { Model } from "../../lib/contracts/gateway/models";

/** Something that bears the text which was typed, and the page that shows it. */
export interface Match {
  id: string;
  name: string;
  /** How else it is known: a name of machines. */
  note: string | null;
  path: string;
}

/** A list of the interface, and what a row of it is to the palette. */
interface Source<Item> {
  /** The whole list, or its first page. */
  path: string;
  /** Where the list itself searches; null: it comes whole. */
  searchPath: string | null;
  /** Its name first; then whatever else it is found by. */
  textsOf(item: Item): readonly (string | null)[];
  matchOf(item: Item): Match;
}

interface Listed<Item> {
  items: readonly Item[];
  next_cursor?: string | null;
}

const DEBOUNCE_MS = 150;
const MAX_MATCHES = 5;
/** What the lists themselves take. */
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

/** What bears `typed`, a few of each kind that somebody of that role sees; quiet where a list does not come. */
export function usePaletteMatches(typed: string, role: Role) {
  const text = typed.trim();
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
 * A list's first page answers every letter at once; only a list that is longer is asked, when the typing pauses. Until
 * it has answered, what stood there stays as far as it still fits.
 */
function useMatches<Item>(source: Source<Item>, text: string, isOpen: boolean) {
  const { path, searchPath, textsOf, matchOf } = source;
  const asked = useDebounced(text);
  const first = useSWR<Listed<Item>>(isOpen && asked !== "" ? path : null);
  const isLonger = searchPath !== null && Boolean(first.data?.next_cursor);
  const found = useSWR(
    isLonger && asked.length >= SEARCH_FROM ? `${searchPath}&q=${encodeURIComponent(asked)}` : null,
    async (query: string) => ({ text: asked, items: (await api.get<Listed<Item>>(query)).items }),
    { keepPreviousData: true },
  );
  const isAsking = isLonger && text.length >= SEARCH_FROM;
  const isAnswered = isAsking && found.data?.text === text;
  const known = (isAsking ? found.data : null) ?? first.data;
  const fits = (item: Item) => isAnswered || textOf(textsOf(item), text) !== null;
  const items = text === "" ? [] : (known?.items ?? []).filter(fits);
  const isComing = (!first.data && !first.error) || (isAsking && !isAnswered && !found.error);
  return {
    isSearching: isOpen && text !== "" && isComing,
    matches: nearest(items, text, textsOf).map((item) => withNote(matchOf(item), textsOf(item), text)),
  };
}

/** The first of the texts that holds `text`, whatever the case; null: none does. */
function textOf(texts: readonly (string | null)[], text: string): string | null {
  return texts.find((one) => one?.toLowerCase().includes(text.toLowerCase())) ?? null;
}

/** Those whose name begins with the text stand first. */
function nearest<Item>(items: readonly Item[], text: string, textsOf: Source<Item>["textsOf"]): Item[] {
  const begins = (item: Item) => textsOf(item)[0]?.toLowerCase().startsWith(text.toLowerCase()) === true;
  return [...items.filter(begins), ...items.filter((item) => !begins(item))].slice(0, MAX_MATCHES);
}

/** Says what it was found by, where that is not its name. */
function withNote(match: Match, texts: readonly (string | null)[], text: string): Match {
  const by = textOf(texts, text);
  return match.note === null && by !== match.name ? { ...match, note: by } : match;
}

/** `value` once it has stayed the same for a moment. */
function useDebounced(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
