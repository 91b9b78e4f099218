import { api } from "./api";
import { isApiError } from "./api-error";
import { forgetPlaygroundKey } from "./playground-key";
import { discardUnsaved } from "./unsaved";

/** What this browser keeps of a user, to be gone at sign-out; playgrounds add themselves. */
const cleaners = new Set<() => Promise<void> | void>();

/** Runs `clean` when the user signs out. */
export function onSignOut(clean: () => Promise<void> | void): void {
  cleaners.add(clean);
}

/** Databases of this browser that hold a user's own material. */
const DATABASE_PREFIX = "patchbay";

/** Ends the session on the server, then forgets everything of the user here. */
export async function signOut(): Promise<void> {
  try {
    await api.post("/api/user/logout");
  } catch (error) {
    if (!isApiError(error, "unauthenticated")) throw error;
  }
  forgetPlaygroundKey();
  await Promise.allSettled([...cleaners].map((clean) => clean()));
  await deleteDatabases();
  sessionStorage.clear();
  discardUnsaved();
  window.location.assign("/login");
}

/** Also those of playgrounds that were not opened since the page was loaded. */
async function deleteDatabases(): Promise<void> {
  // Firefox before 126 cannot list them; there the playground's own cleaner does it.
  const all = (await indexedDB.databases?.()) ?? [];
  for (const { name } of all) if (name?.startsWith(DATABASE_PREFIX)) indexedDB.deleteDatabase(name);
}
