import type { ChannelTest, DraftChannel, DraftModels, TestDraft } from "../../contracts/console/channels";
import { invalidField, isAppError } from "../../errors";
import { newId } from "../../gateway/new-id";
import { channelKeyAad } from "../../ports/channel-probe";
import type { ChannelKey, ChannelRecord } from "../../ports/store";
import { getChannelRecord, requireOperator } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { fetchUpstreamModels } from "./list-upstream-models";
import { newChannel } from "./new-channel";
import { encryptKey, findStoredKey, requireNewKeys, withLabel } from "./stored-keys";
import { runTestCalls, type ToWav, toUpstreamFailure, withEachKey } from "./test-channel";
import { readConnection, readTimeouts } from "./to-channel";

/** The keys of a draft: new ones, or those of the saved channel, whose address must be the same. */
function keysOf(
  ctx: ConsoleContext,
  draftId: string,
  saved: ChannelRecord | null,
  input: DraftChannel,
): ChannelKey[] {
  return (input.keys ?? []).map((sent, index) => {
    if (typeof sent === "string") return encryptKey(ctx, draftId, sent);
    if (saved === null) {
      throw invalidField(`keys.${index}`, "A new channel has no stored keys; enter them.");
    }
    const stored = findStoredKey(saved, sent.id, index);
    const plain = ctx.cipher.decrypt("upstream-key", channelKeyAad(saved.id, stored.id), stored.encrypted);
    return withLabel(encryptKey(ctx, draftId, plain), stored.label);
  });
}

/**
 * An unsaved channel record under an unused ID, so that a draft has its own connections, voices and circuits. Throws
 * `invalid` by the same checks as for a saved channel, `not_found`.
 */
async function draftRecord(ctx: ConsoleContext, input: DraftChannel): Promise<ChannelRecord> {
  const saved = input.channel_id === undefined ? null : await getChannelRecord(ctx.store, input.channel_id);
  if (saved !== null && saved.provider !== input.provider) {
    throw invalidField("provider", "The provider of a channel cannot be changed.");
  }
  const checked = ctx.providers.checkChannel(readConnection(input));
  // A draft without a base URL uses the provider's default, which counts as different from any URL of the saved
  // channel.
  if (saved !== null) requireNewKeys(saved, { base_url: checked.baseUrl, keys: input.keys ?? [] });
  const id = newId(ctx.random, "chn");
  const keys = keysOf(ctx, id, saved, input);
  const timeouts = readTimeouts(input.timeouts ?? {});
  return newChannel({ ...checked, id, name: "", keys, timeouts }, ctx.clock.now());
}

/**
 * Lists the models of a draft's upstream, with each key; upstream errors are returned, not thrown. Throws `forbidden`,
 * `not_found`, `invalid`.
 */
export async function listDraftModels(ctx: ConsoleContext, input: DraftChannel): Promise<DraftModels> {
  await requireOperator(ctx);
  return withEachKey<DraftModels>(await draftRecord(ctx, input), async ({ channel, key }) => {
    try {
      return { ...(await fetchUpstreamModels(ctx, channel)), error: null };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { models: null, error: toUpstreamFailure(ctx, error, key) };
    }
  });
}

/** Sends one real call with each key of a draft. Throws `forbidden`, `not_found`, `invalid`. */
export async function testDraft(ctx: ConsoleContext, input: TestDraft, wav: ToWav): Promise<ChannelTest> {
  await requireOperator(ctx);
  const { model, ...draft } = input;
  const channel = await draftRecord(ctx, draft);
  const { upstream_name: name, operation } = model;
  const offer = { name, upstreamName: name, operation, defaultVoice: null };
  const result = await runTestCalls(ctx, channel, offer, wav);
  await ctx.store.transaction((tx) =>
    recordAudit(tx, ctx, {
      action: "channel.test_draft",
      target: input.channel_id,
      detail: {
        provider: channel.provider,
        base_url: channel.baseUrl,
        model: offer.name,
        ok: result.ok,
      },
    }),
  );
  return result;
}
