import type { Cipher } from "../../ports/cipher";
import type { Clock } from "../../ports/clock";
import type { Repositories, Store } from "../../ports/store";
import { SettingError } from "./env";

export const SECRET_CHECK_SETTING = "secret_check";
export const SECRET_CHECK_AAD = `settings/${SECRET_CHECK_SETTING}/value`;
/** Of stores whose audit log had no key. */
const UNKEYED_WORD = "patchbay";
/** Says besides that the audit log has a keyed head: without the secret nobody can claim that it never had one. */
const WORD = "patchbay, keyed audit";

/** The word kept in the store; null in a new one. Throws SettingError naming the key id that is missing. */
async function readWord(store: Pick<Repositories, "settings">, sealer: Cipher): Promise<string | null> {
  const kept = (await store.settings.all())[SECRET_CHECK_SETTING];
  if (typeof kept !== "string") return null;
  try {
    return sealer.decrypt("secret-check", SECRET_CHECK_AAD, kept);
  } catch {
    const keyId = kept.split(".")[1] ?? "unknown";
    throw new SettingError(
      `PATCHBAY_SECRET: the store was encrypted with another secret (key id ${keyId}); set that one, here or in PATCHBAY_SECRET_PREVIOUS`,
    );
  }
}

/** Refuses to start with a secret that does not open what the store holds (SECURITY EN-3). Throws SettingError. */
export async function checkCipher(store: Store, sealer: Cipher): Promise<void> {
  await readWord(store, sealer);
}

/**
 * Gives the audit log its key. In a new store, and in one from before there was a key, starts the keyed chain and
 * notes so in the encrypted word, so that it is started once. Throws SettingError where a store in use has lost the word.
 */
export async function openAuditChain(store: Store, sealer: Cipher, clock: Pick<Clock, "now">): Promise<void> {
  store.keyAudit((purpose, value) => sealer.digest(purpose, value));
  if ((await readWord(store, sealer)) === WORD) return;
  // Of processes that start together, one does it.
  await store.transaction(async (tx) => {
    const word = await readWord(tx, sealer);
    if (word === WORD) return;
    if (word !== UNKEYED_WORD && (await isInUse(tx))) {
      throw new SettingError(
        `DATABASE_URL: the store is in use, but its setting '${SECRET_CHECK_SETTING}' is missing, so the audit log cannot be trusted; restore a backup with: npm run admin -- restore <backup file>`,
      );
    }
    await tx.audit.startChain(clock.now());
    await tx.settings.put(SECRET_CHECK_SETTING, sealer.encrypt("secret-check", SECRET_CHECK_AAD, WORD));
  });
}

async function isInUse(tx: Repositories): Promise<boolean> {
  const { items } = await tx.audit.list({ limit: 1, cursor: null, q: null });
  return items.length > 0 || (await tx.setup.isSetUp());
}
