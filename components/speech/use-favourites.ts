"use client";

import { useCallback, useEffect, useState } from "react";
import { readStoredJson, writeStored } from "@/lib/client/storage";

/** Storage key of a model's voice: another model may have a different voice of the same name. */
const keyOf = (model: string, voice: string) => `${model}|${voice}`;

function readFavourites(storageKey: string): string[] {
  const stored = readStoredJson("localStorage", storageKey);
  return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [];
}

/** The user's favourite voices of a model, kept in this browser. */
export function useFavourites(userId: string, model: string) {
  const storageKey = `patchbay-favourite-voices-${userId}`;
  const [favourites, setFavourites] = useState<readonly string[]>([]);

  // In an effect: local storage does not exist where the server renders.
  useEffect(() => setFavourites(readFavourites(storageKey)), [storageKey]);

  const isFavourite = useCallback(
    (voice: string) => favourites.includes(keyOf(model, voice)),
    [favourites, model],
  );
  const toggle = (voice: string) => {
    const key = keyOf(model, voice);
    const stored = readFavourites(storageKey);
    const changed = stored.includes(key) ? stored.filter((one) => one !== key) : [...stored, key];
    setFavourites(changed);
    writeStored("localStorage", storageKey, JSON.stringify(changed));
  };
  return { isFavourite, toggle };
}
