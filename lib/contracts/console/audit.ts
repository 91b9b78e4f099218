import { z } from "zod";
import { ListQuery } from "../paging";
import { boundedLine } from "../text";
import { Timestamp } from "../timestamp";

export const AuditRow = z.strictObject({
  seq: z.int(),
  at: Timestamp,
  /** A user's ID, `system`, `admin-command`, or `anonymous` (failed sign-ins). */
  actor: z.string(),
  /** Name of the actor; null if it is not a user, or was deleted. */
  actor_name: z.string().nullable(),
  action: z.string(),
  /** ID or name of the target; empty if there is none. */
  target: z.string(),
  target_name: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  hash: z.string(),
});
export type AuditRow = z.infer<typeof AuditRow>;

const Actions = z
  .string()
  .max(300)
  .regex(
    /^[a-z0-9_]+(?:\.[a-z0-9_]+)*(?:,[a-z0-9_]+(?:\.[a-z0-9_]+)*)*$/,
    "Must be actions such as key.create, or groups of them such as key, with commas between.",
  )
  .meta({ description: "Actions (key.create) or groups of them (key), with commas between" });

export const AuditQuery = ListQuery.extend({
  actor: boundedLine(1, 128).optional(),
  target: boundedLine(1, 256).optional(),
  action: Actions.optional(),
  from: Timestamp.optional(),
  to: Timestamp.optional(),
});
export type AuditQuery = z.output<typeof AuditQuery>;

/** `GET /api/audit/verify`: result of checking the whole chain. */
export const AuditCheck = z.strictObject({
  /** True when every row is unchanged and none is missing. */
  whole: z.boolean(),
  /** Number of valid rows in sequence from the first. */
  rows: z.int(),
  /** Hash of the last of these; null without rows. */
  newest_hash: z.string().nullable(),
  /** The first row that was changed or does not follow from its predecessor; null: none. */
  broken_at: z.int().nullable(),
  /** Number of rows written; more than `rows` when the end was cut off. Null: the record of it is missing or forged. */
  expected_rows: z.int().nullable(),
  took_ms: z.int(),
});
export type AuditCheck = z.infer<typeof AuditCheck>;
