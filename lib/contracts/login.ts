import { z } from "zod";
import { Password } from "./password";
import { Timestamp } from "./timestamp";
import { User } from "./user";

/** `POST /api/user/login`; `username` may be the e-mail address. */
export const LoginRequest = z.strictObject({
  username: z
    .string()
    .min(1, "Must not be empty.")
    .max(320, "Must have at most 320 characters.")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
    .regex(/^[^\u0000-\u001f\u007f]*$/, "Must not hold control characters."),
  password: Password,
});
export type LoginRequest = z.infer<typeof LoginRequest>;

export const SecondFactorMethod = z.enum(["totp", "backup_code"]);
export type SecondFactorMethod = z.infer<typeof SecondFactorMethod>;

/** The password was right and a second factor is on: there is no session yet. */
export const SecondStepNeeded = z.strictObject({
  require_2fa: z.literal(true),
  flow_token: z.string(),
  expires_at: Timestamp,
  methods: z.array(SecondFactorMethod),
});
export type SecondStepNeeded = z.infer<typeof SecondStepNeeded>;

export const LoginResult = z.union([SecondStepNeeded, User]);
export type LoginResult = z.infer<typeof LoginResult>;

/**
 * A code as typed: six digits with spaces anywhere, or a backup code of ten Crockford base32 characters (case, dash
 * and spaces do not matter; O reads as 0, I and L as 1). Null when it is neither.
 */
export function readCode(text: string): { method: SecondFactorMethod; code: string } | null {
  const packed = text.replace(/\s/gu, "");
  if (/^[0-9]{6}$/.test(packed)) return { method: "totp", code: packed };
  const backup = packed.replaceAll("-", "").toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
  return /^[0-9A-HJKMNP-TV-Z]{10}$/.test(backup) ? { method: "backup_code", code: backup } : null;
}

/** A second-factor code in a request. */
export const Code = z
  .string()
  .min(1, "Type the code.")
  .max(64, "Must be a code of six digits or a backup code.")
  .refine((text) => readCode(text) !== null, "Must be a code of six digits or a backup code.");
export type Code = z.infer<typeof Code>;

/** `POST /api/user/login/2fa`; the flow may come in its cookie instead. */
export const SecondStepRequest = z.strictObject({
  code: Code,
  flow_token: z.string().min(1).max(256).optional(),
});
export type SecondStepRequest = z.infer<typeof SecondStepRequest>;

export const SecondStepResult = User.extend({ login_method: SecondFactorMethod });
export type SecondStepResult = z.infer<typeof SecondStepResult>;
