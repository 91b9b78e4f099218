import type { ConsoleServices } from "../../console/context";
import { describeInstance, isGone } from "./instance-id";

/** An instance without a heartbeat for this long has died. */
export const DEAD_AFTER_MS = 30_000;

/**
 * Detects other servers on the same SQLite file. Each call returns the IDs of those that run. A
 * server counts as running once its heartbeat has changed between two calls, so the row of a crashed server and the
 * single heartbeat of an admin command are ignored. Each server is logged once.
 */
export function watchOtherServers({
  store,
  clock,
  log,
}: Pick<ConsoleServices, "store" | "clock" | "log">): () => Promise<string[]> {
  let firstSeen = new Map<string, number>();
  const logged = new Set<string>();
  return async () => {
    // On PostgreSQL, several servers are supported.
    if (store.kind !== "sqlite") return [];
    const others = await store.ledger.otherInstances(clock.now() - DEAD_AFTER_MS);
    firstSeen = new Map(others.map(({ id, heartbeatAt }) => [id, firstSeen.get(id) ?? heartbeatAt]));
    const running = others
      .filter(({ id, heartbeatAt }) => heartbeatAt > (firstSeen.get(id) ?? heartbeatAt) && !isGone(id))
      .map(({ id }) => id);
    for (const id of running.filter((one) => !logged.has(one))) {
      logged.add(id);
      log.warn("second_server", {
        instance: id,
        reason: `${describeInstance(id)} serves the same SQLite file: rate limits, circuits and caches are separate in each server; stop one, or use PostgreSQL`,
      });
    }
    return running;
  };
}
