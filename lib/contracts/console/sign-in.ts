import { z } from "zod";
import { boundedLine, boundedText } from "../text";
import { Timestamp } from "../timestamp";
import { Password } from "./password";
import { Code, TwoFactorMethod } from "./two-factor";
import { User } from "./user";

/** `POST /api/user/login`; `username` may be the e-mail address. */
export const SignInRequest = z.strictObject({
  username: boundedText(1, 320)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
    .regex(/^[^\u0000-\u001f\u007f]*$/, "Must not contain control characters."),
  password: Password,
});
export type SignInRequest = z.infer<typeof SignInRequest>;

/** The password was right and 2FA is on: there is no session yet. */
export const TwoFactorNeeded = z.strictObject({
  require_2fa: z.literal(true),
  flow_token: z.string(),
  expires_at: Timestamp,
  methods: z.array(TwoFactorMethod),
});
export type TwoFactorNeeded = z.infer<typeof TwoFactorNeeded>;

export const SignInResult = z.union([TwoFactorNeeded, User]);

/** `POST /api/user/login/2fa`; the flow token may come in its cookie instead. */
export const TwoFactorSignInRequest = z.strictObject({
  code: Code,
  flow_token: boundedLine(1, 256).optional(),
});
export type TwoFactorSignInRequest = z.infer<typeof TwoFactorSignInRequest>;

export const TwoFactorSignInResult = User.extend({ login_method: TwoFactorMethod });

export const Session = z.strictObject({
  id: z.string(),
  device: z.string(),
  address: z.string(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

export const SessionList = z.strictObject({ items: z.array(Session) });
export type SessionList = z.infer<typeof SessionList>;
