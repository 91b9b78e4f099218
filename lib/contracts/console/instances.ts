import { z } from "zod";
import { Timestamp } from "../timestamp";

/** `GET /api/instances`: a process that serves this Patchbay, as it reported itself with its last heartbeat. */
export const InstanceStatus = z.strictObject({
  /** New at each start of the process. */
  id: z.string(),
  /** The same for all processes of one server, which share a port. */
  server_id: z.string(),
  host: z.string(),
  /** Where it listens. */
  address: z.string(),
  pid: z.int(),
  version: z.string(),
  started_at: Timestamp,
  heartbeat_at: Timestamp,
  /** `late`: no heartbeat for over 12 s; after 30 s it is removed from the list. */
  state: z.enum(["running", "draining", "late"]),
  /** True for the process that answered this request. */
  current: z.boolean(),
  /** Gateway requests being answered. */
  in_flight: z.int(),
  /** Gateway requests, over the last heartbeat interval (5 s). */
  requests_per_second: z.number(),
  /** Percent of one core; above 100 with worker threads. */
  cpu_percent: z.int(),
  memory_bytes: z.int(),
  /** How far its view of other processes' changes may lag behind the store. */
  change_lag_ms: z.int(),
});
export type InstanceStatus = z.infer<typeof InstanceStatus>;
