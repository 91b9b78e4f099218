import { Secret, TOTP } from "otpauth";

/** The code an authenticator app shows for a base32 secret at a wall-clock time in milliseconds. */
export function totpCode(secret: string, at: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: 30 }).generate({
    timestamp: at,
  });
}
