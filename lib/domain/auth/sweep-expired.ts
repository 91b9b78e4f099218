import type { Services } from "../context";
import { THROTTLE_KEPT_MS } from "./login-throttle";

/** Removes what has run out: sessions, flows, one-time links, playground keys, forgotten delays. Meant to run every few minutes. */
export async function sweepExpired(services: Pick<Services, "store" | "clock">): Promise<void> {
  const now = services.clock.now();
  const { store } = services;
  await store.sessions.deleteExpired(now);
  await store.flows.deleteExpired(now);
  await store.invites.deleteExpired(now);
  await store.keys.deleteExpiredPlayground(now);
  await store.loginThrottles.deleteOlderThan(now - THROTTLE_KEPT_MS);
}
