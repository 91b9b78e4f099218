"use client";

import { useCallback, useEffect, useState } from "react";
import { clearTakes, deleteTake, keepTake, listTakes, type Take } from "@/components/speech/history";
import { onSignOut } from "@/lib/client/sign-out";

onSignOut(clearTakes);

const newestFirst = (one: Take, other: Take) => other.createdAt - one.createdAt;

/** The user's takes in this browser, newest first; null until they are read. */
export function useTakes(userId: string) {
  const [takes, setTakes] = useState<Take[] | null>(null);
  const [isKept, setKept] = useState(true);

  useEffect(() => {
    let isLeft = false;
    void listTakes(userId).then((found) => {
      // A take made while the list was read stays.
      if (!isLeft) setTakes((now) => [...(now ?? []), ...found].sort(newestFirst));
    });
    return () => {
      isLeft = true;
      setTakes(null);
    };
  }, [userId]);

  const keep = useCallback(async (take: Take) => {
    setTakes((now) => [take, ...(now ?? [])].sort(newestFirst));
    setKept(await keepTake(take));
  }, []);

  const remove = useCallback((id: string) => {
    setTakes((now) => (now ?? []).filter((one) => one.id !== id));
    // Where the browser keeps nothing there is nothing to delete.
    deleteTake(id).catch(() => undefined);
  }, []);

  const clear = useCallback(async () => {
    setTakes([]);
    await clearTakes();
  }, []);

  return { takes, isKept, keep, remove, clear };
}
