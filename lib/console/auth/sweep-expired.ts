import { DAY_MS } from "../../contracts/durations";
import type { ConsoleServices } from "../context";
import { inBatches } from "../in-batches";
import { THROTTLE_RETENTION_MS } from "./sign-in-throttle";

/** Resolved alerts are deleted after this time. */
export const ALERT_RETENTION_MS = 90 * DAY_MS;

/**
 * Deletes expired sessions, flows, one-time links, playground keys and sign-in delays, and old resolved alerts. Runs
 * every few minutes.
 */
export async function sweepExpired({
  store,
  clock,
  instance,
}: Pick<ConsoleServices, "store" | "clock" | "instance">): Promise<void> {
  const now = clock.now();
  await inBatches(instance, (limit) => store.sessions.deleteExpired(now, limit));
  await store.flows.deleteExpired(now);
  await store.invites.deleteExpired(now);
  await inBatches(instance, (limit) => store.keys.deleteExpiredPlayground(now, limit));
  await inBatches(instance, (limit) => store.alerts.deleteResolved(now - ALERT_RETENTION_MS, limit));
  await store.signInThrottles.deleteUnchanged(now, THROTTLE_RETENTION_MS);
}
