import { api, callApi } from "./api";

/** A key is renewed this long before it expires, so that no request outlives it. */
const RENEW_BEFORE_MS = 60_000;

let current: { key: string; expiresAt: number } | null = null;
let pending: Promise<string> | null = null;

async function createPlaygroundKey(): Promise<string> {
  const { key, expires_at } = await callApi(api.createPlaygroundKey);
  current = { key, expiresAt: Date.parse(expires_at) };
  return key;
}

/** A 15-minute API key of the signed-in user, shared by all playgrounds of this tab; held in memory only. */
export function getPlaygroundKey(): Promise<string> {
  if (current && current.expiresAt - Date.now() > RENEW_BEFORE_MS) return Promise.resolve(current.key);
  pending ??= createPlaygroundKey().finally(() => {
    pending = null;
  });
  return pending;
}

/** Drops the cached key: after a 401 with it, and at sign-out. */
export function forgetPlaygroundKey(): void {
  current = null;
}
