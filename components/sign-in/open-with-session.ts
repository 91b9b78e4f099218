import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { clearPendingSignIn } from "./pending-sign-in";

/**
 * Opens a page with the session that was just created. Throws `unauthenticated` where the browser did not keep the
 * session's cookie: the page would only redirect to sign-in again.
 */
export async function openWithSession(path: string): Promise<void> {
  try {
    await callApi(api.readSelf);
  } catch (error) {
    if (isApiError(error, "unauthenticated")) throw error;
  }
  clearPendingSignIn();
  // Not a client navigation: the whole page must belong to the new session.
  window.location.assign(path + window.location.hash);
}
