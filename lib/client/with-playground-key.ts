import { ApiError } from "./api-error";
import { GatewayError, readFailure } from "./gateway-error";
import { forgetPlaygroundKey, getPlaygroundKey } from "./use-playground-key";

async function key(): Promise<string> {
  try {
    return await getPlaygroundKey();
  } catch (error) {
    // The console's refusal of a key reads like any other failed call of the playground.
    if (!(error instanceof ApiError)) throw error;
    const failure = readFailure({ success: false, message: error.message, code: error.code }, error.status);
    if (failure === null || error.status === 0) throw new TypeError(error.message, { cause: error });
    throw new GatewayError({ ...failure, requestId: error.requestId }, error);
  }
}

/** Runs a gateway call with the playground key; a key that died meanwhile is renewed and the call made once more. */
export async function withPlaygroundKey<T>(run: (key: string) => Promise<T>): Promise<T> {
  try {
    return await run(await key());
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure.status !== 401) throw error;
    forgetPlaygroundKey();
    return run(await key());
  }
}
