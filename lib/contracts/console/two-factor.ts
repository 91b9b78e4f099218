import { z } from "zod";
import { WHITE_CLASS } from "../text";
import { Timestamp } from "../timestamp";
import { Password } from "./password";

export const TwoFactorMethod = z.enum(["totp", "backup_code"]);
export type TwoFactorMethod = z.infer<typeof TwoFactorMethod>;

const spaces = `[${WHITE_CLASS}]*`;
/** JSON Schema pattern of six digits with white space anywhere. */
const TOTP_PATTERN = `^${spaces}(?:[0-9]${spaces}){6}$`;
const separators = `[-${WHITE_CLASS}]*`;
const BACKUP_CODE_PATTERN = `^${separators}(?:[0-9A-TV-Za-tv-z]${separators}){10}$`;
const CODE_PATTERN = `(?:${TOTP_PATTERN})|(?:${BACKUP_CODE_PATTERN})`;
const IS_CODE = new RegExp(CODE_PATTERN);

/**
 * A code as typed: six digits with spaces anywhere, or a backup code of ten Crockford base32 characters (case, dash
 * and spaces do not matter; O reads as 0, I and L as 1). Null when it is neither.
 */
export function readCode(text: string): { method: TwoFactorMethod; code: string } | null {
  if (!IS_CODE.test(text)) return null;
  const packed = text.replace(/\s/gu, "");
  if (/^[0-9]{6}$/.test(packed)) return { method: "totp", code: packed };
  const backup = packed.replaceAll("-", "").toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
  return /^[0-9A-HJKMNP-TV-Z]{10}$/.test(backup) ? { method: "backup_code", code: backup } : null;
}

/** A 2FA code in a request. */
export const Code = z
  .string()
  .min(1, "Enter the code.")
  .max(64, "Must be a six-digit code or a backup code.")
  .refine((text) => readCode(text) !== null, "Must be a six-digit code or a backup code.")
  .meta({
    pattern: CODE_PATTERN,
    description: "Six digits of the app, or a backup code; white space, dashes and case do not matter",
  });

/** A code that only users with 2FA need; an empty one counts as absent. */
export const OptionalCode = z
  .union([z.literal(""), Code], { error: "Must be a six-digit code or a backup code." })
  .optional();

export const TwoFactorStatus = z.strictObject({
  enabled: z.boolean(),
  pending: z.boolean(),
  backup_codes_left: z.int(),
  locked_until: Timestamp.nullable(),
});
export type TwoFactorStatus = z.infer<typeof TwoFactorStatus>;

/** `POST /api/user/2fa/setup`; the password may be left out within ten minutes of signing in. */
export const TwoFactorSetup = z.strictObject({ password: Password.optional() });
export type TwoFactorSetup = z.infer<typeof TwoFactorSetup>;

/** Shown once; pending until the first valid code. */
export const TwoFactorEnrolment = z.strictObject({ secret: z.string(), otpauth_uri: z.string() });
export type TwoFactorEnrolment = z.infer<typeof TwoFactorEnrolment>;

export const TwoFactorEnable = z.strictObject({
  code: z
    .string()
    .max(64)
    .refine((text) => readCode(text)?.method === "totp", "Must be the six-digit code of the app.")
    .meta({ pattern: TOTP_PATTERN }),
});
export type TwoFactorEnable = z.infer<typeof TwoFactorEnable>;

/** `POST /api/user/2fa/disable` and `POST /api/user/2fa/backup_codes`. */
export const TwoFactorProof = z.strictObject({ password: Password, code: Code });
export type TwoFactorProof = z.infer<typeof TwoFactorProof>;

/** Ten codes `XXXXX-XXXXX`, shown once. */
export const BackupCodes = z.strictObject({ backup_codes: z.array(z.string()) });
export type BackupCodes = z.infer<typeof BackupCodes>;
