import { z } from "zod";
import { boundedLine, displayText } from "../text";
import { Timestamp } from "../timestamp";
import { wholeNumber } from "../whole-number";
import { NewPassword, RepeatedPassword } from "./password";
import { OptionalCode } from "./two-factor";
import { Email, Role, Username } from "./user";

/** Longest lifetime of an invite: 30 days. */
const MAX_INVITE_HOURS = 720;

const InviteKind = z.enum(["invite", "password_reset"]);

const Named = z.strictObject({ id: z.string(), username: z.string() });

/** An unused one-time link: for a new user, or to reset a user's password. */
export const Invite = z.strictObject({
  id: z.string(),
  kind: InviteKind,
  role: Role,
  email: z.string().nullable(),
  /** The user whose password it resets; null for an invite. */
  user: Named.nullable(),
  /** The user who created the link; null: deleted. */
  made_by: Named.nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
  /** False when the link is invalid because its creator may no longer grant it, or a reset no longer applies. */
  works: z.boolean(),
});
export type Invite = z.infer<typeof Invite>;

/** A link with its token, which is returned only once; it goes into the fragment of `/invite` or `/reset`. */
export const InviteWithToken = Invite.extend({ token: z.string() });
export type InviteWithToken = z.infer<typeof InviteWithToken>;

export const CreateInvite = z.strictObject({
  role: z.enum(["admin", "member"]).default("member"),
  email: Email.nullable().optional(),
  expires_hours: wholeNumber(1, MAX_INVITE_HOURS).default(72),
});
export type CreateInvite = z.infer<typeof CreateInvite>;

const Token = boundedLine(1, 256);

export const InspectInvite = z.strictObject({ token: Token });
export type InspectInvite = z.infer<typeof InspectInvite>;

/** `data` of `POST /api/invites/inspect`: what the holder of a link may see. */
export const InviteFacts = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("invite"),
    role: Role,
    email: z.string().nullable(),
    /** Display name of the link's creator. */
    made_by: z.string(),
    expires_at: Timestamp,
  }),
  z.strictObject({
    kind: z.literal("password_reset"),
    username: z.string(),
    /** A 2FA code is required besides the new password. */
    two_factor_enabled: z.boolean(),
    expires_at: Timestamp,
  }),
]);
export type InviteFacts = z.infer<typeof InviteFacts>;

function checkPasswords(
  body: { username?: string; password: string; confirmPassword: string },
  context: z.RefinementCtx,
): void {
  if (body.confirmPassword !== body.password)
    context.addIssue({ code: "custom", path: ["confirmPassword"], message: "The two passwords differ." });
  if (body.username !== undefined && body.password.toLowerCase() === body.username.toLowerCase())
    context.addIssue({ code: "custom", path: ["password"], message: "Must not be the username." });
}

const newAccount = {
  username: Username,
  password: NewPassword,
  confirmPassword: RepeatedPassword,
  display_name: displayText(64).optional(),
};

export const AcceptInvite = z.strictObject({ token: Token, ...newAccount }).superRefine(checkPasswords);
export type AcceptInvite = z.infer<typeof AcceptInvite>;

/**
 * `POST /api/user/register`. A name must not be an e-mail address: both can be used to sign in, so a registration could
 * probe for addresses or take an invited person's.
 */
export const RegisterRequest = z
  .strictObject({
    ...newAccount,
    username: Username.regex(/^[^@]*$/, "Must not be an e-mail address: remove the @."),
  })
  .superRefine(checkPasswords);
export type RegisterRequest = z.infer<typeof RegisterRequest>;

/** `POST /api/password-resets/accept`; `code` when 2FA is on. */
export const AcceptPasswordReset = z
  .strictObject({
    token: Token,
    password: NewPassword,
    confirmPassword: RepeatedPassword,
    code: OptionalCode,
  })
  .superRefine(checkPasswords);
export type AcceptPasswordReset = z.infer<typeof AcceptPasswordReset>;
