"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { partInOrder } from "@/lib/client/load-part";
import { onSignOut } from "@/lib/client/sign-out";
import type { SpeechPlayer } from "@/lib/client/speech-player";
import { toast } from "../ui/toast";
import type { Take } from "./history";

/** The stored takes; loaded on demand, because a first visit has none. */
const importStore = () => import("@/components/speech/history");
// Keeps store operations in the order of their calls: a deletion must not delete a take that is stored after it.
const loadStore = partInOrder(importStore);

const DATABASE = "patchbay-takes";

/** Lists the takes of a user, newest first, without loading the store where this browser has none. */
async function listStored(userId: string): Promise<Take[]> {
  // Firefox before 126 cannot list databases; private windows may refuse.
  const databases = await indexedDB.databases?.().catch(() => null);
  if (databases && !databases.some(({ name }) => name === DATABASE)) return [];
  return (await loadStore()).listTakes(userId);
}

// Unlike `loadStore`, this does not wait for an unreachable server; sign-out deletes all databases in any case.
onSignOut(async () => (await importStore()).clearTakes());

/** Whether the session has ended, as by a sign-out in another tab, which a hidden tab does not notice. */
const hasSignedOut = (userId: string): Promise<boolean> =>
  callApi(api.readSelf).then(
    ({ id }) => id !== userId,
    (error) => isApiError(error, "unauthenticated"),
  );

const newestFirst = (one: Take, other: Take) => other.createdAt - one.createdAt;

/** The user's takes in this browser, newest first; null while they load. */
function useHistory(userId: string) {
  const [takes, setTakes] = useState<Take[] | null>(null);
  const [isStored, setStored] = useState(true);
  /** IDs of the takes to store once the store's code is loaded. */
  const unsaved = useRef(new Set<string>());

  useEffect(() => {
    let isUnmounted = false;
    // A browser without storage has no takes.
    const listed = listStored(userId).catch((): Take[] => []);
    void listed.then((found) => {
      // Takes recorded while the list was loading are in `now`.
      if (!isUnmounted) setTakes((now) => [...(now ?? []), ...found].sort(newestFirst));
    });
    return () => {
      isUnmounted = true;
      setTakes(null);
    };
  }, [userId]);

  return {
    takes,
    isStored,
    save: async (take: Take) => {
      setTakes((now) => [take, ...(now ?? [])].sort(newestFirst));
      unsaved.current.add(take.id);
      const isSignedOut = await hasSignedOut(userId);
      const store = isSignedOut ? null : await loadStore().catch(() => null);
      // The take was deleted, or the history cleared, meanwhile.
      if (!unsaved.current.delete(take.id)) return;
      const surplus = store && (await store.saveTake(take));
      setStored(surplus !== null);
      if (surplus) setTakes((now) => now?.filter((one) => !surplus.includes(one.id)) ?? null);
    },
    remove: (id: string) => {
      setTakes((now) => (now ?? []).filter((one) => one.id !== id));
      unsaved.current.delete(id);
      // Fails where the browser has no storage or the code cannot be loaded: then nothing was stored either.
      loadStore()
        .then(({ deleteTake }) => deleteTake(id))
        .catch(() => undefined);
    },
    clear: () => {
      setTakes([]);
      unsaved.current.clear();
      loadStore()
        .then(({ deleteTakes }) => deleteTakes(userId))
        .catch(() => undefined);
    },
  };
}

/** The takes of the page: the history, the take in the player, and the takes marked for comparison. */
export function useTakes(userId: string, player: SpeechPlayer) {
  const t = useTranslations("speech.history");
  const { takes, isStored, save, remove, clear } = useHistory(userId);
  const [current, setCurrent] = useState<Take | null>(null);
  const { marked, mark, unmark, unmarkAll } = useMarks();
  const emptyPlayer = () => {
    // An arriving take stays in the player.
    if (player.snapshot().phase === "arriving") return;
    player.clear();
    setCurrent(null);
  };

  return {
    takes,
    isStored,
    current,
    marked,
    add: (take: Take) => {
      setCurrent(take);
      void save(take);
    },
    /** Stores a take without loading it into the player. */
    keep: (take: Take) => void save(take),
    unload: () => setCurrent(null),
    /** Plays a take from its start; pauses or resumes it where it is in the player already. */
    play: (take: Take) => {
      if (take.id === current?.id) return player.toggle();
      setCurrent(take);
      player.load(take.samples);
      player.play();
    },
    /** Switches to the other take of a comparison at the same position. */
    swap: (take: Take) => {
      setCurrent(take);
      player.swap(take.samples);
    },
    mark,
    unmark: unmarkAll,
    remove: (take: Take) => {
      remove(take.id);
      unmark(take.id);
      if (take.id === current?.id) emptyPlayer();
      toast(t("deleted"), { action: { label: t("undo"), onClick: () => void save(take) } });
    },
    clear: () => {
      clear();
      unmarkAll();
      emptyPlayer();
    },
  };
}

/** IDs of at most two takes to compare. */
function useMarks() {
  const [marked, setMarked] = useState<readonly string[]>([]);
  return {
    marked,
    /** Marks or unmarks a take; a third mark replaces the oldest one. */
    mark: ({ id }: Take) =>
      setMarked((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now.slice(-1), id])),
    unmark: (id: string) => setMarked((now) => now.filter((one) => one !== id)),
    unmarkAll: () => setMarked([]),
  };
}
