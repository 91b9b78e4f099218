import { z } from "zod";
import { boundedText } from "../text";
import { NewPassword, passwordLength, RepeatedPassword } from "./password";
import { Email, User, Username } from "./user";

/** An embedded engine, as the wizard shows it. */
const SetupEngine = z.strictObject({
  model: z.string(),
  operation: z.enum(["speech", "embeddings"]),
  description: z.string(),
});

/** `GET /api/setup`: after setup only `status`. */
export const SetupState = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal(false),
    root_init: z.literal(false),
    database_type: z.enum(["sqlite", "postgres"]),
    setup_token_required: z.boolean(),
    version: z.string(),
    engines: z.array(SetupEngine),
  }),
  z.strictObject({ status: z.literal(true) }),
]);
export type SetupState = z.infer<typeof SetupState>;

export const SetupRequest = z
  .strictObject({
    username: Username,
    password: NewPassword,
    confirmPassword: RepeatedPassword.optional(),
    email: z.union([z.literal(""), Email]).optional(),
    SelfUseModeEnabled: z.boolean().optional(),
    DemoSiteEnabled: z.boolean().optional(),
    setup_token: boundedText(0, 512).optional(),
  })
  .superRefine((body, context) => {
    if (body.confirmPassword !== undefined && body.confirmPassword !== body.password) {
      context.addIssue({ code: "custom", path: ["confirmPassword"], message: "The two passwords differ." });
    }
    if (passwordLength(body.password) > 0 && body.password.toLowerCase() === body.username.toLowerCase()) {
      context.addIssue({ code: "custom", path: ["password"], message: "Must not be the username." });
    }
  });
export type SetupRequest = z.infer<typeof SetupRequest>;

/** `data` of a successful setup, which also sets the session cookie. */
export const SetupResult = z.strictObject({ user: User });

export const SetupStep = z.enum(["usage", "administrator", "second-factor", "key", "sound"]);
export type SetupStep = z.infer<typeof SetupStep>;

/** `GET /api/setup/progress`: the owner's progress in the wizard. */
export const SetupProgress = z.strictObject({ step: SetupStep, finished: z.boolean() });
export type SetupProgress = z.infer<typeof SetupProgress>;

export const UpdateSetupProgress = SetupProgress.partial();
export type UpdateSetupProgress = z.infer<typeof UpdateSetupProgress>;
