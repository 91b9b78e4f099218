import { isAppError } from "../../errors";
import { callOnce } from "../channels/run-test-call";
import type { ConsoleContext } from "../context";

/** Spoken and discarded: short, and in the language of the wizard's first text. */
const MODEL = "patchbay-speech";

/**
 * Loads the built-in speech engine by one test call, so that the owner's first audio does not wait for it. The call is no
 * usage; a failure is only logged: the real request reports it.
 */
export async function warmSpeech(ctx: ConsoleContext): Promise<void> {
  const channel = (await ctx.store.channels.all()).find(
    (one) => one.embedded && one.enabled && one.models.some((model) => model.name === MODEL),
  );
  const model = channel?.models.find((one) => one.name === MODEL);
  if (channel === undefined || model === undefined) return;
  try {
    await callOnce(ctx, channel, { ...model, operation: "speech" });
  } catch (error) {
    if (!isAppError(error)) throw error;
    ctx.log.warn("speech_not_warmed", { code: error.code });
  }
}
