import { AppError } from "../../errors";
import type { Cipher } from "../../ports/cipher";
import { createProviders } from "../../providers/registry";
import type { Environment } from "./env";
import { systemClock } from "./system";
import { packageFolder, workerFile } from "./workers";

/** Ciphertexts are those of channels to upstreams, which the primary does not call. */
const NO_CIPHER: Cipher = {
  encrypt: refuseCipher,
  decrypt: refuseCipher,
  encryptBytes: refuseCipher,
  decryptBytes: refuseCipher,
  isCurrent: refuseCipher,
  digest: refuseCipher,
};

function refuseCipher(): never {
  throw new AppError("internal", "The process of the engines has no secret.");
}

/**
 * The built-in engines for all processes of a server; they run in its primary, which knows the limits of its environment
 * but not those changed in the console.
 */
export function createSharedEngines({ voices, limits }: Pick<Environment, "voices" | "limits">) {
  return createProviders({
    workerFile,
    packageFolder,
    clock: systemClock,
    voices,
    upstreams: { cipher: NO_CIPHER, limits, allowedUpstreams: () => [], allowedWebhooks: [] },
  });
}
