import type { Channel, CreateChannel } from "../../contracts/console/channels";
import { newId } from "../../gateway/new-id";
import { requireOperator } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { sentFields } from "../differing";
import { ensureModels } from "./ensure-models";
import { newChannel } from "./new-channel";
import { encryptKey, nameOfKey, requireUniqueLabels } from "./stored-keys";
import { readConnection, readTimeouts, toChannel } from "./to-channel";

/** Adds a channel; it serves from the next request on. Throws `forbidden`, `invalid` (with an issue per field). */
export async function createChannel(ctx: ConsoleContext, input: CreateChannel): Promise<Channel> {
  await requireOperator(ctx);
  const provider = ctx.providers.providers().find((one) => one.name === input.provider);
  const draft = ctx.providers.checkChannel(readConnection(input));
  const id = newId(ctx.random, "chn");
  const { name, priority, weight, rpm, concurrency, enabled, timeouts } = input;
  const record = newChannel(
    {
      ...draft,
      ...sentFields({ priority, weight, rpm, concurrency, enabled }),
      id,
      name,
      keys: (input.keys ?? []).map((key) => encryptKey(ctx, id, key)),
      models: (input.models ?? []).map((one) => ({ name: one.name, upstreamName: one.upstream_name })),
      timeouts: readTimeouts(timeouts ?? {}),
    },
    ctx.clock.now(),
  );
  requireUniqueLabels(record.keys);
  await ctx.store.transaction(async (tx) => {
    await ensureModels(tx, ctx, input.models ?? [], { provider });
    await tx.channels.insert(record);
    await recordAudit(tx, ctx, {
      action: "channel.create",
      target: id,
      detail: {
        name: record.name,
        provider: record.provider,
        base_url: record.baseUrl,
        keys: record.keys.map(nameOfKey),
        models: record.models.map((model) => model.name),
      },
    });
  });
  // No request has used the channel yet.
  return toChannel(ctx, record, () => "none");
}
