import { z } from "zod";
import { boundedLine, boundedText, shownText } from "../text";
import { Timestamp } from "../timestamp";
import { NewPassword, PASSWORD_MAXIMUM } from "./password";
import { OptionalCode } from "./totp-code";
import { Email, Role, Username } from "./user";

/** Longest life of an invite: 30 days. */
export const INVITE_MOST_HOURS = 720;

export const InviteKind = z.enum(["invite", "password_reset"]);
export type InviteKind = z.infer<typeof InviteKind>;

const Named = z.strictObject({ id: z.string(), username: z.string() });

/** A one-time link that still waits to be used: for a new user, or for a new password of one. */
export const Invite = z.strictObject({
  id: z.string(),
  kind: InviteKind,
  role: Role,
  email: z.string().nullable(),
  /** Whose password it resets; null for an invite. */
  user: Named.nullable(),
  /** Null once that user is gone. */
  made_by: Named.nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
  /** False when it opens nothing any more: who made it may no longer give what it gives. */
  works: z.boolean(),
});
export type Invite = z.infer<typeof Invite>;

/** An answer that shows a link's token for the only time; it belongs into the fragment of `/invite` or `/reset`. */
export const InviteWithToken = Invite.extend({ token: z.string() });
export type InviteWithToken = z.infer<typeof InviteWithToken>;

/** `POST /api/invites`. */
export const CreateInvite = z.strictObject({
  role: z.enum(["admin", "member"]).default("member"),
  email: Email.nullable().optional(),
  expires_hours: z.int("Must be a whole number.").min(1).max(INVITE_MOST_HOURS).default(72),
});
export type CreateInvite = z.infer<typeof CreateInvite>;

const Token = boundedLine(1, 256);

/** `POST /api/invites/inspect`. */
export const InspectInvite = z.strictObject({ token: Token });
export type InspectInvite = z.infer<typeof InspectInvite>;

/** What whoever holds a link may know of it. */
export const InviteFacts = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("invite"),
    role: Role,
    email: z.string().nullable(),
    /** The display name of who made it. */
    made_by: z.string(),
    expires_at: Timestamp,
  }),
  z.strictObject({
    kind: z.literal("password_reset"),
    username: z.string(),
    /** A code is asked for besides the new password. */
    two_factor_enabled: z.boolean(),
    expires_at: Timestamp,
  }),
]);
export type InviteFacts = z.infer<typeof InviteFacts>;

const again = boundedText(0, PASSWORD_MAXIMUM * 4).meta({ description: "The password once more" });

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
  confirmPassword: again,
  display_name: shownText(64).optional(),
};

/** `POST /api/invites/accept`. */
export const AcceptInvite = z.strictObject({ token: Token, ...newAccount }).superRefine(checkPasswords);
export type AcceptInvite = z.infer<typeof AcceptInvite>;

/**
 * `POST /api/user/register`. A name is no e-mail address: names and addresses open the same door, so whoever asked for
 * one would learn whose it is, or take it from whoever is invited under it.
 */
export const RegisterRequest = z
  .strictObject({
    ...newAccount,
    username: Username.regex(/^[^@]*$/, "Must be no e-mail address: leave the @ out."),
  })
  .superRefine(checkPasswords);
export type RegisterRequest = z.infer<typeof RegisterRequest>;

/** `POST /api/password-resets/accept`; `code` when the second factor is on. */
export const AcceptPasswordReset = z
  .strictObject({
    token: Token,
    password: NewPassword,
    confirmPassword: again,
    code: OptionalCode,
  })
  .superRefine(checkPasswords);
export type AcceptPasswordReset = z.infer<typeof AcceptPasswordReset>;
