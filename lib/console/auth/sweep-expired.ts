import type { ConsoleServices } from "../context";
import { THROTTLE_KEPT_MS } from "./sign-in-throttle";

/** Resolved alerts are deleted after this time. */
export const ALERTS_KEPT_MS = 90 * 86_400_000;
/** Most alerts deleted by one sweep, to keep its transaction short. */
const ALERTS_AT_ONCE = 1_000;

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
  await store.alerts.deleteResolved(now - ALERTS_KEPT_MS, ALERTS_AT_ONCE);
  await store.signInThrottles.deleteOlderThan(now - THROTTLE_KEPT_MS);
}
