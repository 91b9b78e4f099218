import { z } from "zod";
import { Timestamp } from "./timestamp";

export const AuditRow = z.strictObject({
  seq: z.int(),
  at: Timestamp,
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.unknown()),
  hash: z.string(),
});
export type AuditRow = z.infer<typeof AuditRow>;
