import { randomBytes } from "node:crypto";
import type { Cipher } from "../../ports/cipher";
import type { Store } from "../../ports/store";

export const DIGEST_KEY_SETTING = "digest_key";
export const DIGEST_KEY_AAD = `settings/${DIGEST_KEY_SETTING}/value`;

/** The key of the store's digests, created at the first start and stored encrypted with the instance secret. */
export function ensureDigestKey(store: Store, cipher: Cipher): Promise<string> {
  // In one transaction, so that of several starting processes only one creates it.
  return store.transaction(async (tx) => {
    const stored = (await tx.settings.all())[DIGEST_KEY_SETTING];
    if (typeof stored === "string") return cipher.decrypt("digest-key", DIGEST_KEY_AAD, stored);
    const created = randomBytes(32).toString("base64url");
    await tx.settings.put(DIGEST_KEY_SETTING, cipher.encrypt("digest-key", DIGEST_KEY_AAD, created));
    return created;
  });
}
