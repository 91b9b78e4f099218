import type { SWRConfiguration } from "swr";
import { signInPath } from "../contracts/return-path";
import { fetchCached } from "./api";
import { isApiError, isUnreachable } from "./api-error";
import { askToSignIn } from "./unsaved";

/** SWR's configuration for the console. */
export const SWR_CONFIG: SWRConfiguration = {
  fetcher: fetchCached,
  // A retry after any other error would fail again.
  shouldRetryOnError: isUnreachable,
  errorRetryCount: 4,
  errorRetryInterval: 2_000,
  revalidateOnFocus: true,
  onError: (error: unknown) => {
    if (isApiError(error, "unauthenticated")) leaveAtSessionEnd();
  },
};

/**
 * Opens the sign-in page, which says that the session has ended and returns to the current page. With unsaved changes,
 * asks the user to sign in in another tab instead.
 */
export const leaveForSignIn = (): void => leave(false);

/** As `leaveForSignIn`, when no action of the user revealed the end of the session: asks only once. */
export const leaveAtSessionEnd = (): void => leave(true);

function leave(isAutomatic: boolean): void {
  if (askToSignIn(isAutomatic)) return;
  const { pathname, search, hash } = window.location;
  // The fragment may hold the user's text: it stays a fragment, which is never sent to the server.
  window.location.assign(`${signInPath(`${pathname}${search}`, true)}${hash}`);
}
