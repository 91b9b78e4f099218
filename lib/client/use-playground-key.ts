import { useCallback } from "react";
import { api } from "./api";

interface PlaygroundKey {
  key: string;
  expires_at: string;
}

/** Renewed this long before it expires, so that no call starts with a key that dies on the way. */
const RENEW_BEFORE_MS = 60_000;

let current: { key: string; expiresAt: number } | null = null;
let pending: Promise<string> | null = null;

async function renew(): Promise<string> {
  const { key, expires_at } = await api.post<PlaygroundKey>("/api/keys/playground");
  current = { key, expiresAt: Date.parse(expires_at) };
  return key;
}

/** A key of the signed-in user that lives a quarter of an hour; one for all playgrounds of this tab, in memory only. */
export function getPlaygroundKey(): Promise<string> {
  if (current && current.expiresAt - Date.now() > RENEW_BEFORE_MS) return Promise.resolve(current.key);
  pending ??= renew().finally(() => {
    pending = null;
  });
  return pending;
}

/** Forgets the key: after a 401 with it, and at sign-out. */
export function forgetPlaygroundKey(): void {
  current = null;
}

/** `getKey()` before each call; `forgetKey()` when the gateway answers 401, then once more `getKey()`. */
export function usePlaygroundKey(): { getKey(): Promise<string>; forgetKey(): void } {
  const getKey = useCallback(getPlaygroundKey, []);
  const forgetKey = useCallback(forgetPlaygroundKey, []);
  return { getKey, forgetKey };
}
