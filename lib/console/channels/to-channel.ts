import type { Channel, ChannelTimeouts, CreateChannel } from "../../contracts/console/channels";
import { toTimestamp } from "../../contracts/timestamp";
import { channelHealth, keyHealth } from "../../gateway/routing/circuit-health";
import type { ChannelRecord } from "../../ports/store";
import { type ReadUse, toBrokenModels, toHealth } from "../circuits/health";
import type { ConsoleServices } from "../context";

/** A channel as the API returns it, field by field, so that no encrypted key ever leaves. */
export function toChannel(services: ConsoleServices, record: ChannelRecord, use: ReadUse): Channel {
  const { circuits } = services.state;
  const { connectMs, firstByteMs, idleMs, totalMs } = record.timeouts;
  return {
    id: record.id,
    name: record.name,
    provider: record.provider,
    base_url: record.baseUrl,
    keys: record.keys.map(({ id, display, label }) => ({
      id,
      display,
      label: label ?? null,
      ...toHealth(services, keyHealth(circuits, record, id)),
    })),
    models: record.models.map(({ name, upstreamName }) => ({ name, upstream_name: upstreamName })),
    priority: record.priority,
    weight: record.weight,
    rpm: record.rpm,
    concurrency: record.concurrency,
    timeouts: { connect_ms: connectMs, first_byte_ms: firstByteMs, idle_ms: idleMs, total_ms: totalMs },
    headers: record.headers,
    options: record.options,
    enabled: record.enabled,
    embedded: record.embedded,
    health: toHealth(services, channelHealth(circuits, record)),
    broken_models: toBrokenModels(services, record),
    use: use(record.id),
    created_at: toTimestamp(record.createdAt),
    version: record.version,
  };
}

/** Provider, address, headers and options of a new channel as `checkChannel` takes them. */
export function readConnection(
  sent: Pick<CreateChannel, "provider" | "base_url" | "headers" | "options">,
): Parameters<ConsoleServices["providers"]["checkChannel"]>[0] {
  return {
    provider: sent.provider,
    baseUrl: sent.base_url ?? null,
    headers: sent.headers ?? {},
    options: sent.options ?? {},
  };
}

/** The contract's timeouts in the stored form. */
export function readTimeouts(sent: ChannelTimeouts): ChannelRecord["timeouts"] {
  return {
    connectMs: sent.connect_ms,
    firstByteMs: sent.first_byte_ms,
    idleMs: sent.idle_ms,
    totalMs: sent.total_ms,
  };
}
