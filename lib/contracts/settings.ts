import { z } from "zod";
import { Role } from "./user";

const Hours = z
  .number()
  .min(0.25)
  .max(24 * 30);
const Days = z.int("Must be a whole number of days.").min(1).max(3_650).nullable();
const Megabytes = z.int("Must be a whole number of megabytes.").min(0).max(4_096);

/** Settings of the whole instance, by the names under which the store keeps them. */
export const Settings = z.strictObject({
  /** No prices or budgets needed. */
  self_use_mode: z.boolean(),
  /** Settings are read-only for everybody but the owner. */
  demo_site: z.boolean(),
  /** Anybody may make a member's account for themselves. */
  self_registration: z.boolean(),
  /** How long a session lives at most, and without being used. */
  session_hours: z.strictObject({
    admin_absolute: Hours,
    admin_idle: Hours,
    member_absolute: Hours,
    member_idle: Hours,
  }),
  /** Roles that reach nothing but their own account until their second factor is on. */
  two_factor_roles: z.array(Role).max(3),
  /** Least length of new passwords; null: what the environment says. */
  password_minimum: z.int().min(8).max(64).nullable(),
  /** The words of calls are kept beside their rows. */
  keep_prompts: z.boolean(),
  /** After how many days rows go; null: never. Sums stay. */
  retention_days: z.strictObject({ usage: Days, prompts: Days }),
  /** What raises an alert; null or false: that does not. */
  alerts: z.strictObject({
    channel_open_minutes: z.int().min(1).max(1_440).nullable(),
    error_rate_percent: z.int().min(1).max(100).nullable(),
    budgets: z.boolean(),
    disk_free_percent: z.int().min(1).max(50).nullable(),
    /** Where alerts are posted to; null: to the page alone. */
    webhook_url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .nullable(),
  }),
  /** Web origins whose pages may call `/v1` and `/v1beta`. */
  cors_origins: z.array(z.string().max(256)).max(100),
  /** Memory of the caches, in megabytes; 0: off. */
  caches: z.strictObject({ embeddings_mb: Megabytes, speech_mb: Megabytes }),
});
export type Settings = z.infer<typeof Settings>;

export const DEFAULT_SETTINGS: Settings = {
  self_use_mode: false,
  demo_site: false,
  self_registration: false,
  session_hours: { admin_absolute: 24, admin_idle: 1, member_absolute: 24 * 7, member_idle: 24 },
  two_factor_roles: [],
  password_minimum: null,
  keep_prompts: false,
  retention_days: { usage: null, prompts: 7 },
  alerts: {
    channel_open_minutes: 2,
    error_rate_percent: 20,
    budgets: true,
    disk_free_percent: 5,
    webhook_url: null,
  },
  cors_origins: [],
  caches: { embeddings_mb: 64, speech_mb: 64 },
};

/** `PATCH /api/settings`. */
export const UpdateSettings = Settings.partial();
export type UpdateSettings = z.infer<typeof UpdateSettings>;
