import { z } from "zod";
import { Timestamp } from "../timestamp";
import { Password } from "./password";
import { Code, readCode, TOTP_PATTERN } from "./totp-code";

/** `GET /api/user/2fa/status`. */
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

/** `POST /api/user/2fa/enable`. */
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
