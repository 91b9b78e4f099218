import { z } from "zod";

/** What a change may have made stale on a page; events name topics, never rows. */
export const LiveTopic = z.enum([
  "users",
  "sessions",
  "keys",
  "channels",
  "models",
  "settings",
  "alerts",
  /** Calls went to the books. */
  "usage",
  /** A circuit opened or closed. */
  "circuits",
]);
export type LiveTopic = z.output<typeof LiveTopic>;

/** `data` of a `changed` event of `GET /api/events`. */
export const LiveChange = z.strictObject({ topics: z.array(LiveTopic) });
export type LiveChange = z.output<typeof LiveChange>;
