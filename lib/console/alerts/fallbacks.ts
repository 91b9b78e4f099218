import type { Fallback } from "../../contracts/console/alerts";
import { nextTier } from "../../gateway/routing/choose-channel";
import { admissionOf } from "../../gateway/routing/choose-upstream-key";
import { modelHealth } from "../../gateway/routing/circuit-health";
import type { ConsoleServices } from "../context";

/** What serves a model now: the channels of its first tier with closed circuits, or nothing. */
async function fallbackOf(
  { catalog, state: { circuits } }: ConsoleServices,
  model: string,
): Promise<Omit<Fallback, "models"> | null> {
  const entry = await catalog.find(model);
  // Requests for a disabled or deleted model do not reach a channel.
  if (entry === null || entry.model.name !== model) return null;
  const tier = nextTier(entry.routes, new Set(), ({ channel }) =>
    admissionOf(circuits, channel, model) === "closed" ? "closed" : "refused",
  );
  const channels = tier?.closed.map(({ channel }) => channel.name) ?? [];
  const isRecovering = entry.routes.some(
    ({ channel }) => modelHealth(circuits, channel, model).state === "half_open",
  );
  return { channels, recovering: channels.length === 0 && isRecovering };
}

/** What serves each of these models while a channel does not; models with the same fallback are one entry. */
export async function fallbacksOf(services: ConsoleServices, models: readonly string[]): Promise<Fallback[]> {
  const groups = new Map<string, Fallback>();
  for (const model of models) {
    const fallback = await fallbackOf(services, model);
    if (fallback === null) continue;
    const key = JSON.stringify(fallback);
    const group = groups.get(key) ?? { models: [], ...fallback };
    group.models.push(model);
    groups.set(key, group);
  }
  // Models without a fallback first.
  return [...groups.values()].sort((a, b) => Math.min(1, a.channels.length) - Math.min(1, b.channels.length));
}
