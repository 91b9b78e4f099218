import type { Cipher } from "../../ports/cipher";
import type { Settings } from "../../ports/store";
import { createCipher } from "../../store/cipher";
import type { Environment } from "../process/env";
import { findSecret, previousSecrets, secretFile, secretSource } from "../process/secret";
import { checkCipher, findDigestKey } from "../process/secret-check";
import { CommandError } from "./command";

/**
 * The digest function of the instance whose settings `source` has, for verifying its audit log without opening its
 * store. Throws SettingError or CommandError when the instance secret is missing or does not match.
 */
export async function readDigest(
  env: Environment,
  source: { settings: Pick<Settings, "all"> },
): Promise<Cipher["digest"]> {
  const current = findSecret(env.secret, env.dataDirectory);
  if (current === null)
    throw new CommandError(
      `${secretFile(env.dataDirectory)} is missing. The audit log is verified with the instance secret of the source: set PATCHBAY_DATA_DIR or PATCHBAY_SECRET as its server has it.`,
    );
  const secrets = { current, previous: previousSecrets(env.previousSecrets, env.dataDirectory) };
  const opener = createCipher(secrets);
  await checkCipher(source, opener, secretSource(env.secret, env.dataDirectory));
  const digestKey = await findDigestKey(source, opener);
  if (digestKey === null) throw new CommandError("The store has no digest key: start the server on it once.");
  const cipher = createCipher({ ...secrets, digestKey });
  return (purpose, value) => cipher.digest(purpose, value);
}
