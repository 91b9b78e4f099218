import { api, callApi } from "./api";
import { ApiError, isUnreachable } from "./api-error";
import { failureOfBody, GatewayError } from "./gateway-error";

/** A key is renewed this long before it expires, so that no request outlives it. */
const RENEW_BEFORE_MS = 60_000;

let current: { key: string; expiresAt: number } | null = null;
let pending: Promise<string> | null = null;

/** A 15-minute API key of the signed-in user, shared by all playgrounds of this tab; held in memory only. */
function getPlaygroundKey(): Promise<string> {
  if (current && current.expiresAt - Date.now() > RENEW_BEFORE_MS) return Promise.resolve(current.key);
  pending ??= callApi(api.createPlaygroundKey)
    .then(({ key, expires_at }) => {
      current = { key, expiresAt: Date.parse(expires_at) };
      return key;
    })
    .finally(() => {
      pending = null;
    });
  return pending;
}

/** Drops the cached key: after a 401 with it, and at sign-out. */
export function forgetPlaygroundKey(): void {
  current = null;
}

/** The playground key; an error of the console API becomes a GatewayError, like any other failed playground request. */
async function requireKey(): Promise<string> {
  try {
    return await getPlaygroundKey();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const failure = failureOfBody({ success: false, message: error.message, code: error.code }, error.status);
    if (failure === null || (!error.message && isUnreachable(error)))
      throw new TypeError(error.message, { cause: error });
    throw new GatewayError({ ...failure, requestId: error.requestId }, error);
  }
}

/** Runs a gateway request with the playground key; on a 401 the key is renewed and the request is sent once more. */
export async function withPlaygroundKey<T>(run: (key: string) => Promise<T>): Promise<T> {
  try {
    return await run(await requireKey());
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure.status !== 401) throw error;
    forgetPlaygroundKey();
    return run(await requireKey());
  }
}
