import type { VoiceCheck } from "../../contracts/console/local-voices";
import type { Repositories } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { requireVoices } from "./list";
import { voiceChannelId } from "./refresh";

/**
 * Deletes the channel of a folder that was removed, and its model unless another channel serves it. Returns whether the
 * model was deleted.
 */
export async function deleteVoiceRecords(tx: Repositories, name: string): Promise<boolean> {
  await tx.channels.delete(voiceChannelId(name));
  const isServed = (await tx.channels.all()).some(({ models }) =>
    models.some((model) => model.name === name),
  );
  const model = (await tx.models.all()).find((one) => one.name === name);
  return !isServed && model?.operation === "speech" && (await tx.models.delete(name));
}

/** Deletes a voice's files, channel and model. Throws `forbidden`, `not_found`. */
export async function removeVoice(ctx: ConsoleContext, name: string): Promise<void> {
  await requireVoices(ctx).remove(name);
  await ctx.store.transaction(async (tx) => {
    await deleteVoiceRecords(tx, name);
    await recordAudit(tx, ctx, { action: "voice.remove", target: name });
  });
}

/**
 * Compares a voice's files with those that were installed, and speaks a test sentence with it. Throws `forbidden`,
 * `not_found`, `invalid`.
 */
export async function verifyVoice(ctx: ConsoleContext, name: string): Promise<VoiceCheck> {
  const { seconds, realTimeFactor, isUnchanged } = await requireVoices(ctx).verify(name);
  return {
    audio_ms: Math.round(seconds * 1_000),
    real_time_factor: realTimeFactor,
    is_unchanged: isUnchanged,
  };
}
