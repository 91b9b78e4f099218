import { statSync } from "node:fs";
import { encryptClearWebhookUrl } from "../../console/alerts/webhook-credentials";
import { systemCode } from "../../errors";
import type { Store } from "../../ports/store";
import type { Log } from "../../ports/telemetry";
import { createCipher } from "../../store/cipher";
import { DAMAGE_ERROR, DamageError, START_ERROR, StartError } from "../../store/errors";
import { openStore } from "../../store/open";
import { fileOf } from "../../store/options";
import { type Environment, SettingError, storeVariable } from "./env";
import { findSecret, instanceSecret, previousSecrets, secretFile, secretSource } from "./secret";
import { checkCipher, ensureDigestKey, findKeyId, openAuditChain } from "./secret-check";
import { systemClock } from "./system";
import { workerFile } from "./workers";

/** Rejects a lost database next to an existing secret: the instance would start as a new one with setup open. */
function refuseLostStore(env: Environment): void {
  if (env.secret !== null || !env.databaseUrl.startsWith("file:")) return;
  const [database, secret] = [fileOf(env.databaseUrl), secretFile(env.dataDirectory)];
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;
  const size = sizeOf(database);
  if (!sizeOf(secret) || (size ?? 0) > 0) return;
  throw new SettingError(
    `DATABASE_URL: ${database} is ${size === undefined ? "missing" : "empty"}, but ${secret} belongs to an instance that was in use; ` +
      "check that its disk is mounted, restore a backup with: npm run admin -- restore <backup file>, " +
      "or start a new instance with another PATCHBAY_DATA_DIR",
  );
}

/** The instance secret, created for a new store. Throws SettingError when the secret of a store in use is missing. */
async function secretFor(store: Store, env: Environment): Promise<string> {
  // The key ID is read before the secret file: of two processes that start together, the first one writes the file
  // before it encrypts, so a key ID without a file means that the file was lost.
  const keyId = await findKeyId(store);
  const found = findSecret(env.secret, env.dataDirectory);
  if (found === null && keyId !== null && env.previousSecrets === null)
    throw new SettingError(
      `${secretFile(env.dataDirectory)}: missing or empty; the store was encrypted with it (key id ${keyId}). ` +
        "Put the file back, or set PATCHBAY_SECRET to its content",
    );
  return instanceSecret(env.secret, env.dataDirectory);
}

/**
 * Adds the variable's name to the error of a store that cannot be opened. The error is recognised by its code, because
 * an error from another thread has lost its class.
 */
function nameVariable(error: unknown, env: Environment): unknown {
  if (!(error instanceof Error)) return error;
  const message = `${storeVariable(env)}: ${error.message}`;
  switch (systemCode(error)) {
    case START_ERROR:
      return new StartError(message, { cause: error });
    case DAMAGE_ERROR:
      return new DamageError(message, { cause: error });
    default:
      return error;
  }
}

/** Opens the store, its cipher and secrets: all that the admin command needs. */
export async function openEncryptedStore(env: Environment, instanceId: string, log?: Log) {
  // An invalid secret is reported before the store is created.
  findSecret(env.secret, env.dataDirectory);
  const previous = previousSecrets(env.previousSecrets, env.dataDirectory);
  refuseLostStore(env);
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const store = await openStore({
    databaseUrl: env.databaseUrl,
    listenUrl: env.databaseUrlDirect ?? undefined,
    storeWorker: workerFile("store"),
    instanceId,
    clock: systemClock,
    timeZone,
    log,
  }).catch((error: unknown) => {
    throw nameVariable(error, env);
  });
  try {
    // Created after the store: a secret next to an empty database means that the database was lost.
    const secret = await secretFor(store, env);
    const secrets = { current: secret, previous };
    const opener = createCipher(secrets);
    await checkCipher(store, opener, secretSource(env.secret, env.dataDirectory));
    const digestKey = await ensureDigestKey(store, opener);
    const cipher = createCipher({ ...secrets, digestKey });
    await openAuditChain(store, cipher, systemClock);
    await encryptClearWebhookUrl(store, cipher);
    return { store, cipher, secret, timeZone };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export type EncryptedStore = Awaited<ReturnType<typeof openEncryptedStore>>;
