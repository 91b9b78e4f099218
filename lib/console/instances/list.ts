import type { InstanceStatus } from "../../contracts/console/instances";
import type { ListPage } from "../../contracts/paging";
import { toTimestamp } from "../../contracts/timestamp";
import { requireSignedInAdmin } from "../access/guards";
import type { ReadContext } from "../context";

/** An instance without a heartbeat for this long has died. */
export const DEAD_AFTER_MS = 30_000;
/** Two heartbeats (5 s) were missed. */
const LATE_AFTER_MS = 12_000;

/** The running processes of all servers on this store, oldest first. Throws `unauthenticated`, `forbidden`. */
export async function listInstances(ctx: ReadContext): Promise<ListPage<InstanceStatus>> {
  requireSignedInAdmin(ctx);
  const now = ctx.clock.now();
  const items: InstanceStatus[] = [];
  for (const { id, heartbeatAt, isSelf, report } of await ctx.store.ledger.instances(now - DEAD_AFTER_MS)) {
    if (report === null) continue;
    const isLate = heartbeatAt < now - LATE_AFTER_MS;
    items.push({
      id,
      server_id: report.server,
      host: report.host,
      address: report.address,
      pid: report.pid,
      version: report.version,
      started_at: toTimestamp(report.startedAt),
      heartbeat_at: toTimestamp(heartbeatAt),
      state: isLate ? "late" : report.isDraining ? "draining" : "running",
      current: isSelf,
      in_flight: report.inFlight,
      requests_per_second: Math.round(report.requestsPerMinute / 6) / 10,
      cpu_percent: report.cpuPercent,
      memory_bytes: report.memoryBytes,
      change_lag_ms: report.changeLagMs,
    });
  }
  return { items, next_cursor: null };
}
