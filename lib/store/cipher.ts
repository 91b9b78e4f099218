import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "../errors";
import type { Cipher } from "../ports/cipher";

type Secret = Uint8Array | string;

const FORMAT = "v1";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;
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
    this.id = createHash("sha256")
      .update(this.key("key-id"))
      .digest("hex")
      .slice(0, 2 * KEY_ID_BYTES);
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

/** The key ID of an instance secret, as in encrypted texts and error messages. */
export function keyIdOf(secret: string): string {
  return new DerivedKeys(secret).id;
}

/** AES-256-GCM: a new nonce, and ciphertext with tag. */
function encryptWith(key: Buffer, aad: string, plain: Uint8Array): { nonce: Buffer; encrypted: Buffer } {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(aad, "utf8"));
  return { nonce, encrypted: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]) };
}

/** Throws AppError `internal` when bytes or `aad` are not what was encrypted. */
function decryptWith(key: Buffer, aad: string, nonce: Uint8Array, encrypted: Uint8Array): Buffer {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(aad, "utf8"));
    decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(encrypted.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new AppError(
      "internal",
      `The secret at ${aad} was changed or moved; it cannot be decrypted.`,
      {},
      cause,
    );
  }
}

/** The parts of an encrypted text. Throws AppError `internal` for an unknown format. */
function partsOf(aad: string, text: string): { keyId: string; nonce: Buffer; encrypted: Buffer } {
  const [format, keyId, nonce, encrypted, ...rest] = text.split(".");
  if (format !== FORMAT || !keyId || !nonce || !encrypted || rest.length > 0) {
    throw new AppError(
      "internal",
      `The secret at ${aad} is not in a format that this version of Patchbay supports.`,
    );
  }
  return { keyId, nonce: Buffer.from(nonce, "base64url"), encrypted: Buffer.from(encrypted, "base64url") };
}

function notLoaded(aad: string, keyId: string): AppError {
  return new AppError(
    "internal",
    `The secret at ${aad} was encrypted with key ${keyId}, which is not loaded: set PATCHBAY_SECRET, ` +
      "or PATCHBAY_SECRET_PREVIOUS, to the secret it was made with.",
  );
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

  function keyOf(purpose: string, aad: string, keyId: string): Buffer {
    const keys = byId.get(keyId);
    if (keys === undefined) throw notLoaded(aad, keyId);
    return keys.key(encryptionPurpose(purpose));
  }

  return {
    encrypt(purpose, aad, plain) {
      const key = current.key(encryptionPurpose(purpose));
      const { nonce, encrypted } = encryptWith(key, aad, Buffer.from(plain, "utf8"));
      return [FORMAT, current.id, nonce.toString("base64url"), encrypted.toString("base64url")].join(".");
    },

    decrypt(purpose, aad, text) {
      const { keyId, nonce, encrypted } = partsOf(aad, text);
      return decryptWith(keyOf(purpose, aad, keyId), aad, nonce, encrypted).toString("utf8");
    },

    encryptBytes(purpose, aad, plain) {
      const { nonce, encrypted } = encryptWith(current.key(encryptionPurpose(purpose)), aad, plain);
      return Buffer.concat([Buffer.from(current.id, "hex"), nonce, encrypted]);
    },

    decryptBytes(purpose, aad, bytes) {
      const id = Buffer.from(bytes.subarray(0, KEY_ID_BYTES)).toString("hex");
      const key = keyOf(purpose, aad, id);
      const nonce = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES);
      return decryptWith(key, aad, nonce, bytes.subarray(KEY_ID_BYTES + NONCE_BYTES));
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
