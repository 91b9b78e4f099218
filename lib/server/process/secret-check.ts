import { randomBytes } from "node:crypto";
import type { Cipher } from "../../ports/cipher";
import type { Clock } from "../../ports/clock";
import type { Repositories, Settings, Store } from "../../ports/store";
import { SettingError } from "./env";

export const SECRET_CHECK_SETTING = "secret_check";
export const SECRET_CHECK_AAD = `settings/${SECRET_CHECK_SETTING}/value`;
/** The marker of stores whose audit log had no key. */
const UNKEYED_MARKER = "patchbay";
/**
 * The current marker, which also states that the audit log has a keyed head. It is stored encrypted: without the
 * secret, an attacker cannot make the store look as if it never had one.
 */
const MARKER = "patchbay, keyed audit";

/** What reading the settings needs of a store. */
interface WithSettings {
  settings: Pick<Settings, "all">;
}

async function storedMarker(store: WithSettings): Promise<string | null> {
  const stored = (await store.settings.all())[SECRET_CHECK_SETTING];
  return typeof stored === "string" ? stored : null;
}

const keyIdOf = (marker: string): string => marker.split(".")[1] ?? "unknown";

/** The decrypted marker of the store; null in a new one. Throws SettingError naming `source` and the missing key ID. */
async function readMarker(
  store: WithSettings,
  cipher: Cipher,
  source = "PATCHBAY_SECRET",
): Promise<string | null> {
  const stored = await storedMarker(store);
  if (stored === null) return null;
  try {
    return cipher.decrypt("secret-check", SECRET_CHECK_AAD, stored);
  } catch {
    throw new SettingError(
      `${source}: the store was encrypted with another secret (key id ${keyIdOf(stored)}); set that one, here or in PATCHBAY_SECRET_PREVIOUS`,
    );
  }
}

/** Checks that the secret, which is set in `source`, can decrypt the store. Throws SettingError. */
export async function checkCipher(store: WithSettings, cipher: Cipher, source: string): Promise<void> {
  await readMarker(store, cipher, source);
}

/** ID of the key that the store was encrypted with; null in a new one. */
export async function findKeyId(store: WithSettings): Promise<string | null> {
  const stored = await storedMarker(store);
  return stored === null ? null : keyIdOf(stored);
}

/**
 * Sets the key of the audit log. In a new store, and in one whose audit log has no key yet, starts the keyed chain and
 * records it in the encrypted marker, so that it starts once. Throws SettingError when a store in use has lost the
 * marker.
 */
export async function openAuditChain(store: Store, cipher: Cipher, clock: Pick<Clock, "now">): Promise<void> {
  store.setAuditKey((purpose, value) => cipher.digest(purpose, value));
  if ((await readMarker(store, cipher)) === MARKER) return;
  // In one transaction, so that of several starting processes only one does it.
  await store.transaction(async (tx) => {
    const marker = await readMarker(tx, cipher);
    if (marker === MARKER) return;
    if (marker !== UNKEYED_MARKER && (await isInUse(tx))) {
      throw new SettingError(
        `DATABASE_URL: the store is in use, but its setting '${SECRET_CHECK_SETTING}' is missing, so the audit log cannot be trusted; restore a backup with: npm run admin -- restore <backup file>`,
      );
    }
    await tx.audit.startChain(clock.now());
    await tx.settings.put(SECRET_CHECK_SETTING, cipher.encrypt("secret-check", SECRET_CHECK_AAD, MARKER));
  });
}

async function isInUse(tx: Repositories): Promise<boolean> {
  const { items } = await tx.audit.list({ limit: 1, cursor: null, q: null });
  return items.length > 0 || (await tx.setup.isSetUp());
}

export const DIGEST_KEY_SETTING = "digest_key";
export const DIGEST_KEY_AAD = `settings/${DIGEST_KEY_SETTING}/value`;

/** The key of the store's digests; null before the first start. */
export async function findDigestKey(store: WithSettings, cipher: Cipher): Promise<string | null> {
  const stored = (await store.settings.all())[DIGEST_KEY_SETTING];
  return typeof stored === "string" ? cipher.decrypt("digest-key", DIGEST_KEY_AAD, stored) : null;
}

/** The key of the store's digests, created at the first start and stored encrypted with the instance secret. */
export function ensureDigestKey(store: Store, cipher: Cipher): Promise<string> {
  // In one transaction, so that of several starting processes only one creates it.
  return store.transaction(async (tx) => {
    const found = await findDigestKey(tx, cipher);
    if (found !== null) return found;
    const created = randomBytes(32).toString("base64url");
    await tx.settings.put(DIGEST_KEY_SETTING, cipher.encrypt("digest-key", DIGEST_KEY_AAD, created));
    return created;
  });
}
