import { randomBytes } from "node:crypto";
import type { Cipher } from "../../ports/cipher";
import type { Store } from "../../ports/store";

export const DIGEST_KEY_SETTING = "digest_key";
export const DIGEST_KEY_AAD = `settings/${DIGEST_KEY_SETTING}/value`;

/** The key of the store's digests, made at the first start and kept sealed under the instance secret. */
export function ensureDigestKey(store: Store, sealer: Cipher): Promise<string> {
  // In one transaction, so that of processes that start together one makes it.
  return store.transaction(async (tx) => {
    const kept = (await tx.settings.all())[DIGEST_KEY_SETTING];
    if (typeof kept === "string") return sealer.decrypt("digest-key", DIGEST_KEY_AAD, kept);
    const made = randomBytes(32).toString("base64url");
    await tx.settings.put(DIGEST_KEY_SETTING, sealer.encrypt("digest-key", DIGEST_KEY_AAD, made));
    return made;
  });
}
