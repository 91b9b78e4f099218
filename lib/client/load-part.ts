import { api, callApi } from "./api";
import { isApiError, isUnreachable } from "./api-error";

/** The wait after the first failed attempt, doubled after each further one up to the maximum; in milliseconds. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 5_000;

/** After this many failed attempts while the server can be reached, it is assumed not to have the code. */
const MAX_MISSES = 2;

/**
 * Loads the code of a part of a page. Failed attempts are repeated until the server can be reached, because an error
 * would replace the page and lose what was entered or received in it. Rejects where the server answers but does not
 * have the code: it runs another version by now.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  let misses = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      return await load();
    } catch (error) {
      if ((await isReachable()) && ++misses === MAX_MISSES) throw error;
    }
    await waitOrOnline(Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS));
  }
}

/** Loads a part like `loadPart`, once for all calls that wait for it: they continue in their order. */
export function partInOrder<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | null = null;
  return () => {
    loading ??= loadPart(load).finally(() => {
      loading = null;
    });
    return loading;
  };
}

async function isReachable(): Promise<boolean> {
  try {
    await callApi(api.checkHealth);
    return true;
  } catch (error) {
    return isApiError(error) && !isUnreachable(error);
  }
}

/** Waits, at most until the browser is online again. */
function waitOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
  });
}
