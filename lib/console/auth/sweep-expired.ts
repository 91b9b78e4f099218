import { DAY_MS } from "../../contracts/durations";
import type { ConsoleServices } from "../context";
import { THROTTLE_RETENTION_MS } from "./sign-in-throttle";

/** Resolved alerts are deleted after this time. */
export const ALERT_RETENTION_MS = 90 * DAY_MS;
/** Most alerts deleted by one sweep, to keep its transaction short. */
const ALERT_BATCH_ROWS = 1_000;

/**
 * Deletes expired sessions, flows, one-time links, playground keys and sign-in delays, and old resolved alerts. Runs
 * every few minutes.
 */
export async function sweepExpired(services: Pick<ConsoleServices, "store" | "clock">): Promise<void> {
  const now = services.clock.now();
  const { store } = services;
  await store.sessions.deleteExpired(now);
  await store.flows.deleteExpired(now);
  await store.invites.deleteExpired(now);
  await store.keys.deleteExpiredPlayground(now);
  await store.alerts.deleteResolved(now - ALERT_RETENTION_MS, ALERT_BATCH_ROWS);
  await store.signInThrottles.deleteOlderThan(now - THROTTLE_RETENTION_MS);
}
