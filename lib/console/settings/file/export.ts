import type { FileChannel, SettingsFile } from "../../../contracts/console/settings-file";
import { toTimestamp } from "../../../contracts/timestamp";
import type { ChannelRecord, ModelRecord } from "../../../ports/store";
import { requireSignedInAdmin } from "../../access/guards";
import { readSettings } from "../../access/read-settings";
import { recordAudit } from "../../audit/record";
import { toChannel } from "../../channels/to-channel";
import type { ConsoleContext } from "../../context";
import { toModel } from "../../models/to-model";

/** The file has nothing about requests. */
const NO_USE = () => "none" as const;

function fileModel(ctx: ConsoleContext, record: ModelRecord): SettingsFile["models"][number] {
  const {
    channels: _channels,
    created_at: _at,
    version: _version,
    ...model
  } = toModel(ctx, record, new Map(), NO_USE);
  return model;
}

function fileChannel(
  ctx: ConsoleContext,
  record: ChannelRecord,
  models: ReadonlyMap<string, ModelRecord>,
): FileChannel {
  const channel = toChannel(ctx, record, NO_USE);
  return {
    name: channel.name,
    provider: channel.provider,
    base_url: channel.base_url,
    models: channel.models.map((one) => ({ ...one, operation: models.get(one.name)?.operation })),
    priority: channel.priority,
    weight: channel.weight,
    rpm: channel.rpm,
    concurrency: channel.concurrency,
    timeouts: channel.timeouts,
    headers: channel.headers,
    options: channel.options,
    enabled: channel.enabled,
    embedded: channel.embedded,
  };
}

/** Exports channels, models and settings without secrets. Throws `forbidden`. */
export async function exportSettings(ctx: ConsoleContext): Promise<SettingsFile> {
  requireSignedInAdmin(ctx);
  const [settings, models, channels] = await Promise.all([
    readSettings(ctx.store),
    ctx.store.models.all(),
    ctx.store.channels.all(),
  ]);
  const byName = new Map(models.map((model) => [model.name, model]));
  await ctx.store.transaction((tx) => recordAudit(tx, ctx, { action: "settings.export" }));
  return {
    format: "patchbay-settings",
    version: 1,
    exported_at: toTimestamp(ctx.clock.now()),
    patchbay: ctx.instance.version,
    settings,
    models: models.map((model) => fileModel(ctx, model)),
    channels: channels.map((channel) => fileChannel(ctx, channel, byName)),
  };
}
