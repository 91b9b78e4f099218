import { z } from "zod";
import { Budget, BudgetChange, Spent } from "../money";
import { displayText } from "../text";
import { Timestamp } from "../timestamp";
import { CallLimitFields, CallLimits } from "./call-limits";
import { NewPassword, Password } from "./password";
import { OptionalCode } from "./two-factor";

export const Role = z.enum(["owner", "admin", "member"]);
export type Role = z.infer<typeof Role>;

/** Names used to sign in; compared without case. */
export const Username = z
  .string()
  .min(1, "Must not be empty.")
  .max(64, "Must have at most 64 characters.")
  .regex(/^[A-Za-z0-9._@-]+$/, "Must have only letters, digits and . _ @ -");

export const Email = z
  .email("Must be an e-mail address, such as olivia@example.com.")
  .max(254, "Must have at most 254 characters.");

const Locale = z.enum(["en", "zh"]);

export const User = z.strictObject({
  id: z.string(),
  username: z.string(),
  display_name: z.string(),
  email: z.string().nullable(),
  role: Role,
  enabled: z.boolean(),
  two_factor_enabled: z.boolean(),
  created_at: Timestamp,
  version: z.int(),
});
export type User = z.infer<typeof User>;

/** Data of `GET /api/user/self`. */
export const Self = User.extend({
  locale: z.string().nullable(),
  login_method: z.enum(["password", "totp", "backup_code", "setup", "oauth"]),
  session_expires_at: Timestamp,
  /** Limits of all of the user's keys together. */
  ...CallLimits.shape,
  budget: Budget,
});
export type Self = z.infer<typeof Self>;

/** Data of `GET /api/user/budget`: budget and spending of all of the user's keys together. */
export const OwnBudget = z.strictObject({
  budget: Budget,
  spent: Spent,
  /** The next midnight, and the next first of a month, in the server's time zone. */
  daily_resets_at: Timestamp,
  monthly_resets_at: Timestamp,
});
export type OwnBudget = z.infer<typeof OwnBudget>;

/** The signed-in user, as far as permissions depend on it. */
export type Viewer = Pick<Self, "id" | "role">;

/** `PATCH /api/user/self`; `version`, when sent, must be the one last read. */
export const UpdateSelf = z.strictObject({
  display_name: displayText(64).optional(),
  email: Email.nullable().optional(),
  locale: Locale.nullable().optional(),
  version: z.int().optional(),
});
export type UpdateSelf = z.infer<typeof UpdateSelf>;

export const ChangePassword = z.strictObject({
  current_password: Password,
  new_password: NewPassword,
  /** Required when 2FA is on. */
  code: OptionalCode,
});
export type ChangePassword = z.infer<typeof ChangePassword>;

/** A user as administrators see it. */
export const ManagedUser = User.extend({
  /** Limits and budget of all of the user's keys together. */
  ...CallLimits.shape,
  budget: Budget,
  spent: Spent,
  /** Last use of one of the user's sessions; null: never. */
  last_seen_at: Timestamp.nullable(),
  /** Time until which sign-in is delayed after too many wrong passwords or codes; null: not delayed. */
  locked_until: Timestamp.nullable(),
});
export type ManagedUser = z.infer<typeof ManagedUser>;

export const CreateUser = z.strictObject({
  username: Username,
  password: NewPassword,
  display_name: displayText(64).optional(),
  email: Email.nullable().optional(),
  role: z.enum(["admin", "member"]).default("member"),
  ...z.object(CallLimitFields).partial().shape,
  budget: BudgetChange.optional(),
});
export type CreateUser = z.infer<typeof CreateUser>;

export const UpdateUser = z.strictObject({
  version: z.int(),
  display_name: displayText(64).optional(),
  email: Email.nullable().optional(),
  role: z.enum(["admin", "member"]).optional(),
  enabled: z.boolean().optional(),
  ...z.object(CallLimitFields).partial().shape,
  budget: BudgetChange.optional(),
  /** A new password set by an administrator; ends the user's sessions. */
  password: NewPassword.optional(),
});
export type UpdateUser = z.infer<typeof UpdateUser>;
