import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "../errors";
import type { Cipher } from "../ports/cipher";

type Secret = Uint8Array | string;

const FORMAT = "v1";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Part of the derived keys of stored secrets, so it must not change. */
const ENCRYPTION_LABEL = "seal";

const encryptionPurpose = (purpose: string): string => `${ENCRYPTION_LABEL}/${purpose}`;

/** One instance secret and the keys derived from it (HKDF-SHA-256, RFC 5869; one key per purpose). */
class DerivedKeys {
  readonly id: string;
  readonly #secret: Uint8Array;
  readonly #keys = new Map<string, Buffer>();

  constructor(secret: Secret) {
    this.#secret = typeof secret === "string" ? Buffer.from(secret, "utf8") : secret;
    this.id = createHash("sha256").update(this.key("key-id")).digest("hex").slice(0, 8);
  }

  key(purpose: string): Buffer {
    let key = this.#keys.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync("sha256", this.#secret, "", `patchbay/${purpose}`, KEY_BYTES));
      this.#keys.set(purpose, key);
    }
    return key;
  }
}

/** AES-256-GCM of base64url texts. Throws AppError `internal` when text or `aad` is not what was encrypted. */
function decryptWith(key: Buffer, aad: string, nonceText: string, encryptedText: string): string {
  const encrypted = Buffer.from(encryptedText, "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonceText, "base64url"), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(aad, "utf8"));
    decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
    const plain = [decipher.update(encrypted.subarray(0, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(plain).toString("utf8");
  } catch (cause) {
    throw new AppError(
      "internal",
      `The secret at ${aad} was changed or moved; it cannot be decrypted.`,
      {},
      cause,
    );
  }
}

/**
 * Encryption under the instance secret: encrypts with `current`, decrypts what was encrypted with `current` or one of
 * `previous`. Digests use `digestKey`, which is stored encrypted and survives a rotation of the secret, because the
 * digested values are not stored and cannot be digested again; without it they use `current`. `decrypt` throws AppError
 * `internal` with the key ID when the secret of that key is not loaded.
 */
export function createCipher(secrets: {
  current: Secret;
  previous: readonly Secret[];
  digestKey?: Secret;
}): Cipher {
  const current = new DerivedKeys(secrets.current);
  const digests = secrets.digestKey === undefined ? current : new DerivedKeys(secrets.digestKey);
  const byId = new Map(
    [...secrets.previous.map((one) => new DerivedKeys(one)), current].map((keys) => [keys.id, keys]),
  );

  return {
    encrypt(purpose, aad, plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", current.key(encryptionPurpose(purpose)), nonce);
      cipher.setAAD(Buffer.from(aad, "utf8"));
      const encrypted = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return [FORMAT, current.id, nonce.toString("base64url"), encrypted.toString("base64url")].join(".");
    },

    decrypt(purpose, aad, text) {
      const [format, keyId, nonceText, encryptedText, ...rest] = text.split(".");
      if (format !== FORMAT || !keyId || !nonceText || !encryptedText || rest.length > 0) {
        throw new AppError("internal", `The secret at ${aad} is not in a format this Patchbay knows.`);
      }
      const keys = byId.get(keyId);
      if (!keys) {
        throw new AppError(
          "internal",
          `The secret at ${aad} was encrypted with key ${keyId}, which is not loaded: set PATCHBAY_SECRET, ` +
            "or PATCHBAY_SECRET_PREVIOUS, to the secret it was made with.",
        );
      }
      return decryptWith(keys.key(encryptionPurpose(purpose)), aad, nonceText, encryptedText);
    },

    isCurrent: (encrypted) => encryptionKeyId(encrypted) === current.id,

    digest(purpose, value) {
      return createHmac("sha256", digests.key(`digest/${purpose}`))
        .update(value, "utf8")
        .digest("base64url");
    },
  };
}

/** The key ID in an encrypted text; null when the format is unknown. For the start-up check and rotation. */
export function encryptionKeyId(encrypted: string): string | null {
  return /^v1\.([0-9a-f]{8})\.[\w-]+\.[\w-]+$/.exec(encrypted)?.[1] ?? null;
}
