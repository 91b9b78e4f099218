import type { ConsoleServices } from "../context";
import { THROTTLE_KEPT_MS } from "./sign-in-throttle";

/** How long an alert is kept once it is over. */
export const ALERTS_KEPT_MS = 90 * 86_400_000;
/** A sweep takes so many at most, so that nobody waits long for its transaction. */
const ALERTS_AT_ONCE = 1_000;

/**
 * Removes what has run out: sessions, flows, one-time links, playground keys, forgotten delays, alerts long over. Meant
 * to run every few minutes.
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
