import type { Server } from "node:http";
import { Server as TcpServer } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../../errors";
import type { Container } from "./container";
import type { NodeServer } from "./node-server";

/** How long load balancers have to notice that this instance is no longer ready. */
const NOTICE_MS = 1_000;
/** How long aborted calls have to reply and to be recorded. */
const ABORT_MS = 2_000;
const POLL_MS = 20;

async function until(isDone: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (!isDone()) {
    if (performance.now() >= end) return false;
    await delay(POLL_MS);
  }
  return true;
}

/**
 * Stops listening and closes the connections without a request. Node first reads the requests that arrived while the
 * process was busy: otherwise their connections would count as idle.
 */
export async function closeIdle(server: Server): Promise<void> {
  await nextTurn();
  server.close();
  server.closeIdleConnections();
}

/**
 * Stops serving without losing a call: readiness fails first, then new connections are refused,
 * calls in flight have the drain time to finish, and the remaining ones are aborted and recorded. `othersListen`:
 * another process of this server accepts connections, so this one takes none from now on.
 */
export async function drain(
  nodeServer: NodeServer,
  container: Container,
  othersListen = false,
): Promise<void> {
  const { services, env } = container;
  const startedAt = performance.now();
  services.instance.draining = true;
  // From now on the list of instances shows that this one drains, if the store answers.
  void container.register.beat().catch(() => undefined);
  // Live streams of open console pages would never end.
  services.state.live.close();
  services.log.info("draining", { drainMs: env.drainMs, count: nodeServer.running });
  // HTTP's own close() would also cut connections whose first request is on its way.
  if (othersListen) TcpServer.prototype.close.call(nodeServer.server);
  if (nodeServer.open > 0) await delay(Math.min(NOTICE_MS, env.drainMs / 5));
  await closeIdle(nodeServer.server);
  const left = env.drainMs - (performance.now() - startedAt);
  if (!(await until(() => nodeServer.running === 0, left))) {
    const message = "The server is shutting down; send the request again.";
    nodeServer.abortAll(new AppError("overloaded", message, { retryAfterMs: 1_000 }));
    await until(() => nodeServer.running === 0, ABORT_MS);
  }
  // A socket that never sent a byte, or an idle keep-alive, would delay the exit by minutes.
  nodeServer.server.closeAllConnections();
  // Calls whose callers had stopped reading end only now, and are recorded before the store closes.
  await until(() => nodeServer.running === 0, ABORT_MS);
  await nodeServer.pages?.close().catch(() => undefined);
  await container.close();
  services.log.info("stopped", { ms: Math.round(performance.now() - startedAt) });
}
