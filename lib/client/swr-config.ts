import type { SWRConfiguration } from "swr";
import { api } from "./api";
import { isApiError } from "./api-error";
import { discardUnsaved } from "./unsaved";

/** How every list and object of the console is read and kept fresh. */
export const SWR_CONFIG: SWRConfiguration = {
  fetcher: (path: string) => api.get(path),
  // A refusal stays one; only an absent server is asked again.
  shouldRetryOnError: (error: unknown) => isApiError(error) && (error.status === 0 || error.status === 503),
  errorRetryCount: 4,
  errorRetryInterval: 2_000,
  revalidateOnFocus: true,
  onError: (error: unknown) => {
    if (isApiError(error, "unauthenticated")) leaveForSignIn();
  },
};

/** The session has ended: to the sign-in page, and back here afterwards. */
export function leaveForSignIn(): void {
  const { pathname, search, hash } = window.location;
  discardUnsaved();
  // The fragment may hold the visitor's words: it goes along as one, unseen by the server.
  window.location.assign(`${signInPath(`${pathname}${search}`)}${hash}`);
}

/** Address of the sign-in page that returns to `path`. */
export function signInPath(path: string): string {
  return path === "/" ? "/login" : `/login?return_to=${encodeURIComponent(path)}`;
}
