import { ApiError } from "./api-error";
import { failureOfBody, GatewayError } from "./gateway-error";
import { forgetPlaygroundKey, getPlaygroundKey } from "./playground-key";

/** The playground key; an error of the console API becomes a GatewayError, like any other failed playground request. */
async function requireKey(): Promise<string> {
  try {
    return await getPlaygroundKey();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const failure = failureOfBody({ success: false, message: error.message, code: error.code }, error.status);
    if (failure === null || error.status === 0) throw new TypeError(error.message, { cause: error });
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
