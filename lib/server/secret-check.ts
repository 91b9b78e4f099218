import type { Sealer } from "../ports/sealer";
import type { Store } from "../ports/store";
import { SettingError } from "./env";

export const SECRET_CHECK_SETTING = "secret_check";
export const SECRET_CHECK_PLACE = `settings/${SECRET_CHECK_SETTING}/value`;
const WORD = "patchbay";

/**
 * Refuses to start with a secret that does not open what the store holds (SECURITY EN-3): at the first start a word is
 * sealed and kept, every later start must be able to open it. Throws SettingError naming the key id that is missing.
 */
export async function checkSealer(store: Store, sealer: Sealer): Promise<void> {
  const kept = (await store.settings.all())[SECRET_CHECK_SETTING];
  if (typeof kept !== "string") {
    await store.settings.put(SECRET_CHECK_SETTING, sealer.seal("secret-check", SECRET_CHECK_PLACE, WORD));
    return;
  }
  try {
    sealer.open("secret-check", SECRET_CHECK_PLACE, kept);
  } catch {
    const keyId = kept.split(".")[1] ?? "unknown";
    throw new SettingError(
      `PATCHBAY_SECRET: the store was sealed with another secret (key id ${keyId}); set that one, here or in PATCHBAY_SECRET_PREVIOUS`,
    );
  }
}
