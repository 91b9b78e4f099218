import { z } from "zod";
import { boundedLine, boundedText } from "../text";
import { Timestamp } from "../timestamp";
import { Password } from "./password";
import { Code, SecondFactorMethod } from "./totp-code";
import { User } from "./user";

/** `POST /api/user/login`; `username` may be the e-mail address. */
export const LoginRequest = z.strictObject({
  username: boundedText(1, 320)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
    .regex(/^[^\u0000-\u001f\u007f]*$/, "Must not hold control characters."),
  password: Password,
});
export type LoginRequest = z.infer<typeof LoginRequest>;

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

/** `POST /api/user/login/2fa`; the flow may come in its cookie instead. */
export const SecondStepRequest = z.strictObject({
  code: Code,
  flow_token: boundedLine(1, 256).optional(),
});
export type SecondStepRequest = z.infer<typeof SecondStepRequest>;

export const SecondStepResult = User.extend({ login_method: SecondFactorMethod });
export type SecondStepResult = z.infer<typeof SecondStepResult>;
