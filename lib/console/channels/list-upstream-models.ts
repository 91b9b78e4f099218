import type { UpstreamModels } from "../../contracts/console/channels";
import { isAppError } from "../../errors";
import { withKey } from "../../gateway/routing/choose-upstream-key";
import type { ChannelRecord } from "../../ports/store";
import { getChannelRecord, requireOperator } from "../access/guards";
import type { ConsoleContext } from "../context";
import { operationByName } from "../models/price-list";
import { isAboutKey, toUpstreamFailure } from "./test-channel";

const TIMEOUT_MS = 15_000;

/** Lists the models of a channel's upstream, saved or not. Throws `upstream_*`. */
export async function fetchUpstreamModels(
  ctx: ConsoleContext,
  channel: ChannelRecord,
): Promise<UpstreamModels> {
  const probe = ctx.providers.probe(channel);
  if (probe === null) return { models: null };
  const models = await probe.listModels({
    signal: AbortSignal.timeout(TIMEOUT_MS),
    requestId: ctx.requestId,
    firstByteBy: ctx.clock.monotonic() + TIMEOUT_MS,
  });
  if (models === null) return { models: null };
  return {
    models: models.map(({ name, operation }) => ({ name, operation: operation ?? operationByName(name) })),
  };
}

/**
 * Lists the models of a saved channel's upstream, with the first key that the upstream accepts. Throws `forbidden`,
 * `not_found`, `upstream_*`.
 */
export async function listUpstreamModels(ctx: ConsoleContext, id: string): Promise<UpstreamModels> {
  await requireOperator(ctx);
  const channel = await getChannelRecord(ctx.store, id);
  for (const key of channel.keys.slice(0, -1)) {
    try {
      return await fetchUpstreamModels(ctx, withKey(channel, key));
    } catch (error) {
      if (!isAppError(error) || !isAboutKey(toUpstreamFailure(ctx, error, null))) throw error;
    }
  }
  return fetchUpstreamModels(ctx, withKey(channel, channel.keys.at(-1) ?? null));
}
