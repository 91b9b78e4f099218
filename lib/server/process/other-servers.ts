import type { ConsoleServices } from "../../console/context";
import { DEAD_AFTER_MS } from "../../console/instances/list";
import { describeInstance, isGone } from "./instance-id";

/**
 * Detects other servers on the same SQLite file. Each call returns the IDs of those that run. A
 * server counts as running once its heartbeat has changed between two calls, so the row of a crashed server and the
 * single heartbeat of an admin command are ignored. Each server is logged once. `server`: our own, as in reports.
 */
export function watchOtherServers({
  store,
  clock,
  log,
  server,
}: Pick<ConsoleServices, "store" | "clock" | "log"> & { server: string }): () => Promise<string[]> {
  let firstSeen = new Map<string, number>();
  const logged = new Set<string>();
  return async () => {
    // On PostgreSQL, several servers are supported.
    if (store.kind !== "sqlite") return [];
    const known = await store.ledger.instances(clock.now() - DEAD_AFTER_MS);
    // The processes of one server share limits and circuits through it.
    const others = known.filter(({ isSelf, report }) => !isSelf && report?.server !== server);
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
