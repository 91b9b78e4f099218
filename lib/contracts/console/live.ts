import { z } from "zod";

/** Topics of live events: names of changed areas, never rows. */
export const LiveTopic = z.enum([
  "users",
  "sessions",
  "keys",
  "channels",
  "models",
  "settings",
  "alerts",
  /** Calls were recorded in the usage ledger. */
  "usage",
  /** A circuit opened or closed. */
  "circuits",
]);
export type LiveTopic = z.output<typeof LiveTopic>;

/** `data` of the `hello` event, the first of `GET /api/events`. */
export const LiveHello = z.strictObject({ user_id: z.string() });
export type LiveHello = z.output<typeof LiveHello>;

/** `data` of a `changed` event of `GET /api/events`. */
export const LiveChange = z.strictObject({ topics: z.array(LiveTopic) });
export type LiveChange = z.output<typeof LiveChange>;

/** The stream of `GET /api/events`. */
export const LiveEvents = z.string().meta({ examples: ['event: changed\ndata: {"topics":["keys"]}\n\n'] });
