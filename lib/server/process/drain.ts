import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../errors";
import type { Container } from "./container";
import type { Edge } from "./node-server";

/** How long load balancers that ask have to see that this instance is not ready any more. */
const NOTICE_MS = 1_000;
/** How long broken-off calls have to say so and to be booked. */
const ABORT_MS = 2_000;
const LOOK_MS = 20;

async function until(isDone: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (!isDone()) {
    if (performance.now() >= end) return false;
    await delay(LOOK_MS);
  }
  return true;
}

/**
 * Stops serving without losing a call (RELIABILITY RB-23): readiness fails first, then no connection is taken, calls
 * in flight have the drain time to end, what still runs is told so and booked, idle sockets hold nothing up.
 */
export async function drain(edge: Edge, container: Container): Promise<void> {
  const { services, env } = container;
  const startedAt = performance.now();
  services.instance.draining = true;
  // Pages that watch have no end of their own.
  services.state.live.close();
  services.log.info("draining", { drainMs: env.drainMs, count: edge.running });
  if (edge.open > 0) await delay(Math.min(NOTICE_MS, env.drainMs / 5));
  edge.server.close();
  edge.server.closeIdleConnections();
  const left = env.drainMs - (performance.now() - startedAt);
  if (!(await until(() => edge.running === 0, left))) {
    const message = "The server is shutting down; send the call again.";
    edge.abortAll(new AppError("overloaded", message, { retryAfterMs: 1_000 }));
    await until(() => edge.running === 0, ABORT_MS);
  }
  // A socket that never sent a byte, or a page's keep-alive, would hold the process for minutes.
  edge.server.closeAllConnections();
  // Calls whose readers had stopped reading learn of it only now, and are booked before the store closes.
  await until(() => edge.running === 0, ABORT_MS);
  await edge.pages?.close().catch(() => undefined);
  await container.close();
  services.log.info("stopped", { ms: Math.round(performance.now() - startedAt) });
}
