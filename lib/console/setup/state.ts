import { SetupProgress, type SetupState, type UpdateSetupProgress } from "../../contracts/console/setup";
import { AppError, isAppError } from "../../errors";
import type { Repositories } from "../../ports/store";
import { takeAttempt } from "../auth/attempt-limit";
import { callOnce } from "../channels/test-channel";
import type { ConsoleContext } from "../context";

export const PROGRESS_SETTING = "setup_progress";

/** The stored progress; `finished` is true when none is stored. */
export async function storedProgress(store: Pick<Repositories, "settings">): Promise<SetupProgress> {
  const found = SetupProgress.safeParse((await store.settings.all())[PROGRESS_SETTING]);
  return found.success ? found.data : { step: "sound", finished: true };
}

function requireOwner(ctx: ConsoleContext): void {
  if (ctx.caller.kind !== "session" || ctx.caller.user.role !== "owner") {
    throw new AppError("not_found", "Setup progress not found.");
  }
}

/** The owner's progress in the wizard. Throws `not_found` for every other user. */
export async function readProgress(ctx: ConsoleContext): Promise<SetupProgress> {
  requireOwner(ctx);
  return storedProgress(ctx.store);
}

/** The model whose engine is loaded before the wizard's last step needs it. */
const WARMED_MODEL = "patchbay-speech";

/**
 * Loads the built-in speech engine by one test call, so that the owner's first audio does not wait for it. The call has
 * no ledger entry. A failure is only logged, since the owner's own request reports it.
 */
async function warmSpeech(ctx: ConsoleContext): Promise<void> {
  const channel = (await ctx.store.channels.all()).find(
    (one) => one.embedded && one.enabled && one.models.some((model) => model.name === WARMED_MODEL),
  );
  const model = channel?.models.find((one) => one.name === WARMED_MODEL);
  if (channel === undefined || model === undefined) return;
  try {
    await callOnce(ctx, channel, { ...model, operation: "speech", defaultVoice: null });
  } catch (error) {
    if (!isAppError(error)) throw error;
    ctx.log.warn("speech_not_warmed", { code: error.code });
  }
}

/**
 * Saves the step, or that the wizard is finished or skipped; a finished wizard stays finished. A change of step also
 * starts to load the speech engine, which the last step needs.
 */
export async function updateProgress(
  ctx: ConsoleContext,
  input: UpdateSetupProgress,
): Promise<SetupProgress> {
  requireOwner(ctx);
  const { before, after } = await ctx.store.transaction(async (tx) => {
    const before = await storedProgress(tx);
    const after = {
      step: input.step ?? before.step,
      finished: before.finished || (input.finished ?? false),
    };
    await tx.settings.put(PROGRESS_SETTING, after);
    return { before, after };
  });
  // Not awaited: the engine loads while the owner names a key and reads the text.
  if (!after.finished && after.step !== before.step)
    void warmSpeech(ctx).catch((error: unknown) =>
      ctx.log.error("speech_warm_failed", { cause: String(error) }),
    );
  return after;
}

/** The setup state for the wizard; after setup only `status`. Throws `rate_limited`, `storage_unavailable`. */
export async function readSetupState(ctx: ConsoleContext): Promise<SetupState> {
  await takeAttempt(ctx, "setup-state", "setupReadsPerMinute");
  if (await ctx.store.setup.isSetUp()) return { status: true };
  const catalog = await ctx.catalog.all();
  return {
    status: false,
    root_init: false,
    database_type: ctx.store.kind,
    setup_token_required: ctx.setupGuard.isTokenRequired(ctx.peer),
    version: ctx.instance.version,
    engines: catalog.map(({ model }) => ({
      model: model.name,
      operation: model.operation,
      description: model.description,
    })),
  };
}
