import { randomBytes } from "node:crypto";
import type { Sealer } from "../../ports/cipher";
import type { Store } from "../../ports/store";

export const DIGEST_KEY_SETTING = "digest_key";
export const DIGEST_KEY_PLACE = `settings/${DIGEST_KEY_SETTING}/value`;

/** The key of the store's digests, made at the first start and kept sealed under the instance secret. */
export function ensureDigestKey(store: Store, sealer: Sealer): Promise<string> {
  // In one transaction, so that of processes that start together one makes it.
  return store.transaction(async (tx) => {
    const kept = (await tx.settings.all())[DIGEST_KEY_SETTING];
    if (typeof kept === "string") return sealer.open("digest-key", DIGEST_KEY_PLACE, kept);
    const made = randomBytes(32).toString("base64url");
    await tx.settings.put(DIGEST_KEY_SETTING, sealer.seal("digest-key", DIGEST_KEY_PLACE, made));
    return made;
  });
}
