import { z } from "zod";

/** `GET /api/health/live` and `/api/health/ready`. */
export const Health = z.object({ status: z.enum(["live", "ready"]) });
export type Health = z.infer<typeof Health>;

/** `GET /api/status`: what anybody may know, and the version for the signed-in. */
export const Status = z.object({
  /** True once the instance is set up. */
  setup: z.boolean(),
  self_use_mode: z.boolean(),
  demo_site: z.boolean(),
  /** Anybody may make an account for themselves. */
  self_registration: z.boolean(),
  /** Least length of a new password. */
  password_minimum: z.int(),
  version: z.string().optional(),
});
export type Status = z.infer<typeof Status>;
