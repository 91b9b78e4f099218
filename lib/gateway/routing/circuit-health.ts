import type { CircuitHealth } from "../../ports/shared-state";
import type { ChannelRecord } from "../../ports/store";
import { bestOf } from "./breaker";
import type { Circuits } from "./circuits";

type Channel = Pick<ChannelRecord, "id" | "keys" | "models">;

/** IDs of a channel's upstream keys; null for one without keys. */
export function keyIds({ keys }: Pick<Channel, "keys">): readonly (string | null)[] {
  return keys.length === 0 ? [null] : keys.map(({ id }) => id);
}

/** The health of one model on a channel: that of its best key. */
export function modelHealth(
  circuits: Circuits,
  channel: Pick<Channel, "id" | "keys">,
  model: string,
): CircuitHealth {
  return bestOf(keyIds(channel).map((keyId) => circuits.health(channel.id, keyId, model)));
}

/** The health of one upstream key: that of the best model it serves. */
export function keyHealth(
  circuits: Circuits,
  { id, models }: Pick<Channel, "id" | "models">,
  keyId: string,
): CircuitHealth {
  if (models.length === 0) return circuits.health(id, keyId);
  return bestOf(models.map(({ name }) => circuits.health(id, keyId, name)));
}

/** The health of a channel: that of its best model, so one working model keeps it closed. */
export function channelHealth(circuits: Circuits, channel: Channel): CircuitHealth {
  if (channel.models.length === 0)
    return bestOf(keyIds(channel).map((keyId) => circuits.health(channel.id, keyId)));
  return bestOf(channel.models.map(({ name }) => modelHealth(circuits, channel, name)));
}

/** The models of a channel whose circuits are open or half-open. */
export function brokenModels(
  circuits: Circuits,
  channel: Channel,
): { name: string; health: CircuitHealth }[] {
  return channel.models
    .map(({ name }) => ({ name, health: modelHealth(circuits, channel, name) }))
    .filter(({ health }) => health.state !== "closed");
}
