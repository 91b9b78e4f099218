type BrowserStorage = "localStorage" | "sessionStorage";

/** A stored text; null where there is none or the browser refuses storage, as private windows may. */
export function readStored(storage: BrowserStorage, key: string): string | null {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

/** The stored JSON, which the caller must validate; null where `readStored` returns null or the text is not JSON. */
export function readStoredJson(storage: BrowserStorage, key: string): unknown {
  try {
    return JSON.parse(readStored(storage, key) ?? "null");
  } catch {
    return null;
  }
}

const TAB_USER = "patchbay-user";

/**
 * Deletes what another user left in this tab's session storage: a session may end without a sign-out, and a page may
 * write between the sign-out and being left.
 */
export function clearOtherUsersData(userId: string): void {
  if (readStored("sessionStorage", TAB_USER) === userId) return;
  clearSessionStorage();
  writeStored("sessionStorage", TAB_USER, userId);
}

/** Deletes everything in this tab's session storage; nothing is there where storage is disabled. */
export function clearSessionStorage(): void {
  try {
    window.sessionStorage.clear();
  } catch {
    // Storage is disabled.
  }
}

/** Deletes a stored text. */
export function removeStored(storage: BrowserStorage, key: string): void {
  try {
    window[storage].removeItem(key);
  } catch {
    // Storage is disabled, so nothing was stored.
  }
}

/**
 * Stores a text. Returns false where storage is full or disabled: the caller can keep it only until the page is left.
 */
export function writeStored(storage: BrowserStorage, key: string, text: string): boolean {
  try {
    window[storage].setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
