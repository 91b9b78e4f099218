/** What the second step needs to know of the first; kept for this tab until the sign-in is done. Never a secret. */
export interface PendingSignIn {
  username: string;
  /** Milliseconds since 1970; null once the flow is over and only the name is kept. */
  expiresAt: number | null;
}

const STORAGE_KEY = "patchbay.sign-in";

export function savePendingSignIn(pending: PendingSignIn): void {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(pending));
}

export function readPendingSignIn(): PendingSignIn | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null");
    if (typeof value !== "object" || value === null || !("username" in value)) return null;
    const expiresAt = "expiresAt" in value && typeof value.expiresAt === "number" ? value.expiresAt : null;
    return typeof value.username === "string" ? { username: value.username, expiresAt } : null;
  } catch {
    return null;
  }
}

export function clearPendingSignIn(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}
