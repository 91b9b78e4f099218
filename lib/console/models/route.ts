import type { RoutePreview } from "../../contracts/console/routing";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { answersTo } from "../../gateway/admission/catalog";
import { previewRoute } from "../../gateway/routing/preview-route";
import type { Target } from "../../ports/catalog";
import type { ChannelRecord } from "../../ports/store";
import { requireAdmin } from "../access/guards";
import { readUse, toHealth } from "../circuits/health";
import type { ConsoleContext } from "../context";

function shown({ channel, upstreamName }: Target) {
  const { id, name, provider, priority, weight } = channel;
  return { id, name, provider, priority, weight, upstream_name: upstreamName };
}

function targetsOf(channels: readonly ChannelRecord[], model: string): Target[] {
  return channels.flatMap((channel) =>
    channel.models
      .filter((served) => served.name === model)
      .map((served) => ({ channel, upstreamName: served.upstreamName })),
  );
}

/**
 * The route of a call for this model now, by name or alias, with the channels that would be skipped and why; per-key
 * limits are not considered. Throws `forbidden`, `not_found`.
 */
export async function previewModelRoute(ctx: ConsoleContext, name: string): Promise<RoutePreview> {
  requireAdmin(ctx);
  const [models, channels, use] = await Promise.all([
    ctx.store.models.all(),
    ctx.store.channels.all(),
    readUse(ctx),
  ]);
  // A model's own name wins over another's alias, as it does for calls.
  const model = models.find((one) => one.name === name) ?? models.find((one) => answersTo(one, name));
  if (model === undefined) throw new AppError("not_found", "Model not found.");
  // Calls use the routes of the catalogue, which has no disabled channels; these come from the store.
  const entry = await ctx.catalog.find(model.name);
  const off = targetsOf(
    channels.filter((channel) => !channel.enabled),
    model.name,
  );
  const route = await previewRoute(ctx, model.name, entry?.routes ?? []);
  const until = (waitMs: number | null) =>
    waitMs === null || waitMs <= 0 ? null : toTimestamp(Math.round(ctx.clock.now() + waitMs));
  return {
    model: model.name,
    operation: model.operation,
    enabled: model.enabled,
    attempts: route.attempts,
    turns: route.tiers.map((turn) => ({
      priority: turn[0]?.target.channel.priority ?? 0,
      channels: turn.map(({ target, share }) => ({
        ...shown(target),
        share,
        use: use(target.channel.id, model.name),
      })),
    })),
    recovering: route.recovering.map(({ target, health }) => ({
      ...shown(target),
      health: toHealth(ctx, health),
    })),
    skipped: [
      ...route.skipped.map(({ target, refusal }) => ({
        ...shown(target),
        reason: refusal.reason,
        circuit_reason: refusal.openReason,
        until: until(refusal.waitMs),
      })),
      ...off.map((target) => ({
        ...shown(target),
        reason: "disabled" as const,
        circuit_reason: null,
        until: null,
      })),
    ],
  };
}
