import { z } from "zod";
import { ListQuery } from "../paging";
import { boundedLine } from "../text";
import { Timestamp } from "../timestamp";

export const AuditRow = z.strictObject({
  seq: z.int(),
  at: Timestamp,
  /** A user's id, `system`, `admin-command`, or `anonymous` (failed sign-ins). */
  actor: z.string(),
  /** What the actor is called; null for what is no user, or is gone without a trace. */
  actor_name: z.string().nullable(),
  action: z.string(),
  /** Id or name of what was acted on; empty when nothing. */
  target: z.string(),
  target_name: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  hash: z.string(),
});
export type AuditRow = z.infer<typeof AuditRow>;

const Actions = z
  .string()
  .max(300)
  .regex(/^[a-z0-9_]+(?:\.[a-z0-9_]+)*(?:,[a-z0-9_]+(?:\.[a-z0-9_]+)*)*$/)
  .meta({ description: "Actions (key.create) or groups of them (key), with commas between" });

/** `GET /api/audit`. */
export const AuditQuery = ListQuery.extend({
  actor: boundedLine(1, 128).optional(),
  target: boundedLine(1, 256).optional(),
  action: Actions.optional(),
  from: Timestamp.optional(),
  to: Timestamp.optional(),
});
export type AuditQuery = z.output<typeof AuditQuery>;

/** `GET /api/audit/verify`: what a walk over the whole chain found. */
export const AuditCheck = z.strictObject({
  /** Every row is as it was written, and none is missing. */
  whole: z.boolean(),
  /** Rows that follow from each other, from the first on. */
  rows: z.int(),
  /** Of the last of these; null where there is none. */
  newest_hash: z.string().nullable(),
  /** The first row that was changed, or does not follow from those before it; null: none. */
  broken_at: z.int().nullable(),
  /** Rows that were written; more than `rows` when the end was cut off. Null: what says so is missing or forged. */
  expected_rows: z.int().nullable(),
  took_ms: z.int(),
});
export type AuditCheck = z.infer<typeof AuditCheck>;
