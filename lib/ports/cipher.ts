export type CipherPurpose =
  | "totp"
  | "upstream-key"
  | "secret-check"
  | "digest-key"
  | "webhook-secret"
  | "webhook-url";

/**
 * Encryption of secrets at rest and keyed digests, under the instance secret.
 * AES-256-GCM, a key per purpose by HKDF-SHA-256, additional data = `place`; stored `v1.keyid.nonce.ciphertext`.
 */
export interface Cipher {
  /** `place` names table, row and column (`two_factors/usr_…/secret`): a ciphertext moved elsewhere does not open. */
  encrypt(purpose: CipherPurpose, place: string, plain: string): string;
  /** Throws AppError `internal` when the text was tampered with, moved, or its key is not loaded. */
  decrypt(purpose: CipherPurpose, place: string, sealed: string): string;
  /** True when the text was sealed under the newest secret. */
  isCurrent(sealed: string): boolean;
  /** HMAC-SHA-256 under a key of its own per purpose, base64url; outlives a change of the instance secret. */
  digest(purpose: "backup-code" | "login-name" | "audit-row" | "audit-head", value: string): string;
}
