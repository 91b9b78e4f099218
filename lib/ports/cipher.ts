export type CipherPurpose =
  | "totp"
  | "upstream-key"
  | "secret-check"
  | "digest-key"
  | "webhook-secret"
  | "webhook-url"
  | "shared-reply"
  | "shared-cache";

/**
 * Encryption of secrets at rest and keyed digests, under the instance secret. AES-256-GCM with one key per purpose
 * (HKDF-SHA-256) and `aad` as additional authenticated data; stored as `v1.keyid.nonce.ciphertext`.
 */
export interface Cipher {
  /**
   * `aad` names table, row and column (`two_factors/usr_…/secret`): a ciphertext that was moved cannot be decrypted.
   */
  encrypt(purpose: CipherPurpose, aad: string, plain: string): string;
  /** Throws AppError `internal` when the text was changed, moved, or its key is not loaded. */
  decrypt(purpose: CipherPurpose, aad: string, encrypted: string): string;
  /** The same for bytes: key ID, nonce, ciphertext and tag in sequence. */
  encryptBytes(purpose: CipherPurpose, aad: string, plain: Uint8Array): Buffer;
  decryptBytes(purpose: CipherPurpose, aad: string, encrypted: Uint8Array): Buffer;
  /** True when the text was encrypted with the current secret. */
  isCurrent(encrypted: string): boolean;
  /** HMAC-SHA-256 with one key per purpose, base64url; survives a change of the instance secret. */
  digest(
    purpose: "backup-code" | "login-name" | "audit-row" | "audit-head" | "shared-state",
    value: string,
  ): string;
}
