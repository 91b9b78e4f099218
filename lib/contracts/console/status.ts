import { z } from "zod";

/** `GET /api/health/live` and `/api/health/ready`. */
export const Health = z.object({ status: z.enum(["live", "ready"]) });
export type Health = z.infer<typeof Health>;

/** `GET /api/status`: public facts, and the version for signed-in users. */
export const Status = z.object({
  /** True once the instance is set up. */
  setup: z.boolean(),
  self_use_mode: z.boolean(),
  demo_site: z.boolean(),
  /** Visitors may create an account. */
  self_registration: z.boolean(),
  /** Shortest new password. */
  password_minimum: z.int(),
  version: z.string().optional(),
});
export type Status = z.infer<typeof Status>;
