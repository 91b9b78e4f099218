"use client";

import { useCallback, useEffect, useState } from "react";
import type { Take } from "@/components/speech/history";
import { onSignOut } from "@/lib/client/sign-out";

/** The stored takes; loaded on demand, because a first visit has none. */
const loadStore = () => import("@/components/speech/history");

const DATABASE = "patchbay-takes";

/** Lists the takes of a user, newest first, without loading the store where this browser has none. */
async function listStored(userId: string): Promise<Take[]> {
  // Firefox before 126 cannot list databases; private windows may refuse.
  const databases = await indexedDB.databases?.().catch(() => null);
  if (databases && !databases.some(({ name }) => name === DATABASE)) return [];
  return (await loadStore()).listTakes(userId);
}

const clearTakes = async () => (await loadStore()).clearTakes();

onSignOut(clearTakes);

const newestFirst = (one: Take, other: Take) => other.createdAt - one.createdAt;

/** The user's takes in this browser, newest first; null while they load. */
export function useHistory(userId: string) {
  const [takes, setTakes] = useState<Take[] | null>(null);
  const [isStored, setStored] = useState(true);

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

  const save = useCallback(async (take: Take) => {
    setTakes((now) => [take, ...(now ?? [])].sort(newestFirst));
    const { saveTake } = await loadStore();
    setStored(await saveTake(take));
  }, []);

  const remove = useCallback((id: string) => {
    setTakes((now) => (now ?? []).filter((one) => one.id !== id));
    // Fails only where the browser has no storage, so nothing was stored either.
    loadStore()
      .then(({ deleteTake }) => deleteTake(id))
      .catch(() => undefined);
  }, []);

  const clear = useCallback(async () => {
    setTakes([]);
    await clearTakes();
  }, []);

  return { takes, isStored, save, remove, clear };
}
