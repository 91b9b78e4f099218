"use client";

import { useCallback, useEffect, useState } from "react";
import { clearTakes, deleteTake, listTakes, saveTake, type Take } from "@/components/speech/history";
import { onSignOut } from "@/lib/client/sign-out";

onSignOut(clearTakes);

const newestFirst = (one: Take, other: Take) => other.createdAt - one.createdAt;

/** The user's takes in this browser, newest first; null while they load. */
export function useHistory(userId: string) {
  const [takes, setTakes] = useState<Take[] | null>(null);
  const [isStored, setStored] = useState(true);

  useEffect(() => {
    let isUnmounted = false;
    void listTakes(userId).then((found) => {
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
    setStored(await saveTake(take));
  }, []);

  const remove = useCallback((id: string) => {
    setTakes((now) => (now ?? []).filter((one) => one.id !== id));
    // Fails only where the browser has no storage, so nothing was stored either.
    deleteTake(id).catch(() => undefined);
  }, []);

  const clear = useCallback(async () => {
    setTakes([]);
    await clearTakes();
  }, []);

  return { takes, isStored, save, remove, clear };
}
