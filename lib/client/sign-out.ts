import { api, callApi } from "./api";
import { isApiError } from "./api-error";
import { forgetPlaygroundKey } from "./playground-key";
import { clearSessionStorage } from "./storage";
import { discardUnsaved } from "./unsaved";

/** Functions that delete the user's data in this browser at sign-out; each playground registers one. */
const cleaners = new Set<() => Promise<void> | void>();

/** Registers a function that runs at sign-out. */
export function onSignOut(clean: () => Promise<void> | void): void {
  cleaners.add(clean);
}

/** Prefix of the IndexedDB databases that hold a user's data. */
const DATABASE_PREFIX = "patchbay";

/** Ends the session, then deletes the user's data in this browser. */
export async function signOut(): Promise<void> {
  try {
    await callApi(api.signOut);
  } catch (error) {
    if (!isApiError(error, "unauthenticated")) throw error;
  }
  // Before other requests of this page notice that the session has ended and ask about unsaved changes.
  discardUnsaved();
  forgetPlaygroundKey();
  await Promise.allSettled([...cleaners].map((clean) => clean()));
  await deleteDatabases();
  clearSessionStorage();
  window.location.assign("/login");
}

/** Also deletes the databases of playgrounds that were not opened since the page was loaded. */
async function deleteDatabases(): Promise<void> {
  try {
    // Firefox before 126 cannot list databases; there only the playgrounds' cleaners run.
    const all = (await indexedDB.databases?.()) ?? [];
    for (const { name } of all) if (name?.startsWith(DATABASE_PREFIX)) indexedDB.deleteDatabase(name);
  } catch {
    // A browser without IndexedDB, or one that refuses it, stores no takes.
  }
}
