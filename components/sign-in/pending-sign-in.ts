import { readStoredJson, removeStored, writeStored } from "@/lib/client/storage";

/** What the 2FA page needs from the password page, stored in this tab's sessionStorage. Holds no secret. */
interface PendingSignIn {
  username: string;
  /** When the sign-in expires, in ms since 1970; null once it has ended and only the username is remembered. */
  expiresAt: number | null;
}

const STORAGE_KEY = "patchbay.sign-in";

export function savePendingSignIn(pending: PendingSignIn): void {
  writeStored("sessionStorage", STORAGE_KEY, JSON.stringify(pending));
}

export function readPendingSignIn(): PendingSignIn | null {
  const value = readStoredJson("sessionStorage", STORAGE_KEY);
  if (typeof value !== "object" || value === null || !("username" in value)) return null;
  const expiresAt = "expiresAt" in value && typeof value.expiresAt === "number" ? value.expiresAt : null;
  return typeof value.username === "string" ? { username: value.username, expiresAt } : null;
}

export function clearPendingSignIn(): void {
  removeStored("sessionStorage", STORAGE_KEY);
}
