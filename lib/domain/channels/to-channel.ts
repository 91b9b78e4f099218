import type { Channel } from "../../contracts/channels";
import { toTimestamp } from "../../contracts/timestamp";
import type { ChannelRecord } from "../../ports/store";
import type { Services } from "../context";
import { channelHealth, circuitPlace } from "../gateway/circuits";
import { gatewayState } from "../gateway/gateway-state";

/** A channel as the console may see it: field by field, so that no sealed key ever leaves (SECURITY EN-4). */
export function toChannel(services: Services, record: ChannelRecord): Channel {
  const { circuits } = gatewayState(services);
  const health = channelHealth(circuits, record);
  const { connectMs, firstByteMs, idleMs, totalMs } = record.timeouts;
  return {
    id: record.id,
    name: record.name,
    provider: record.provider,
    base_url: record.baseUrl,
    keys: record.keys.map(({ id, display }) => ({
      id,
      display,
      state: circuits.health(circuitPlace(record.id, id)).state,
    })),
    models: record.models.map(({ name, upstreamName }) => ({ name, upstream_name: upstreamName })),
    priority: record.priority,
    weight: record.weight,
    rpm: record.rpm,
    concurrency: record.concurrency,
    timeouts: {
      ...(connectMs === undefined ? {} : { connect_ms: connectMs }),
      ...(firstByteMs === undefined ? {} : { first_byte_ms: firstByteMs }),
      ...(idleMs === undefined ? {} : { idle_ms: idleMs }),
      ...(totalMs === undefined ? {} : { total_ms: totalMs }),
    },
    headers: record.headers,
    options: record.options,
    enabled: record.enabled,
    embedded: record.embedded,
    health: {
      state: health.state,
      opened_at: health.openedAt === null ? null : toTimestamp(health.openedAt),
      reason: health.reason,
    },
    created_at: toTimestamp(record.createdAt),
    version: record.version,
  };
}
