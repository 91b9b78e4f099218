import { Secret, TOTP } from "otpauth";
import type { Random } from "../../ports/clock";
import { isSameSecret } from "./tokens";

/** RFC 6238 with the parameters every authenticator app supports: HMAC-SHA-1, six digits, 30 seconds. */
const PERIOD_MS = 30_000;
const SECRET_BYTES = 20;

function totp(secret: string, names: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({
    ...names,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_MS / 1000,
  });
}

/** A new 160-bit secret, base32. */
export function newTotpSecret(random: Random): string {
  // Copied so that the underlying buffer holds only these bytes.
  return new Secret({ buffer: new Uint8Array(random.bytes(SECRET_BYTES)).buffer }).base32;
}

/** The otpauth URI that an authenticator app reads from the QR code. */
export function totpUri(secret: string, username: string): string {
  return totp(secret, { issuer: "Patchbay", label: username }).toString();
}

/** The number of the 30-second period at `now` (milliseconds since 1970). */
export function totpStep(now: number): number {
  return Math.floor(now / PERIOD_MS);
}

/**
 * The step whose code this is: the present one or a neighbour (RFC 6238 §5.2 allows one step for delay), newer than
 * `lastStep`; null when none matches. Constant time.
 */
export function matchTotp(secret: string, code: string, now: number, lastStep: number): number | null {
  const generator = totp(secret);
  const present = totpStep(now);
  let match: number | null = null;
  for (const step of [present - 1, present, present + 1]) {
    const isEqual = isSameSecret(code, generator.generate({ timestamp: step * PERIOD_MS }));
    if (isEqual && step > lastStep) match = step;
  }
  return match;
}
