import { z } from "zod";

const Hours = z
  .number()
  .min(0.25)
  .max(24 * 30);

/** Settings of the whole instance, by the names under which the store keeps them. */
export const Settings = z.strictObject({
  /** No prices or budgets needed. */
  self_use_mode: z.boolean(),
  /** Settings are read-only for everybody but the owner. */
  demo_site: z.boolean(),
  /** How long a session lives at most, and without being used. */
  session_hours: z.strictObject({
    admin_absolute: Hours,
    admin_idle: Hours,
    member_absolute: Hours,
    member_idle: Hours,
  }),
});
export type Settings = z.infer<typeof Settings>;

export const DEFAULT_SETTINGS: Settings = {
  self_use_mode: false,
  demo_site: false,
  session_hours: { admin_absolute: 24, admin_idle: 1, member_absolute: 24 * 7, member_idle: 24 },
};

/** `PATCH /api/settings`. */
export const UpdateSettings = Settings.partial();
export type UpdateSettings = z.infer<typeof UpdateSettings>;
