import { z } from "zod";
import { Timestamp } from "../timestamp";

export const Session = z.strictObject({
  id: z.string(),
  device: z.string(),
  address: z.string(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

/** `GET /api/user/sessions`. */
export const SessionList = z.strictObject({ items: z.array(Session) });
export type SessionList = z.infer<typeof SessionList>;
