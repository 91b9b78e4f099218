"use client";

import { useTranslations } from "use-intl";
import { FailureNotice, StoppedCall } from "../playground/failure-notice";
import { cn } from "../ui/class-names";
import { lazyPart } from "../ui/lazy-part";
import type { SpeechWorkspace } from "./use-speech-workspace";

const TakePlayer = lazyPart(
  () => import("./take-player").then((one) => one.TakePlayer),
  () => <PlayerPlaceholder isBusy />,
);

/** The player below the text: a placeholder until a take arrives, then its waveform. */
export function Player({ workspace }: { workspace: SpeechWorkspace }) {
  const t = useTranslations("speech.player");
  const { recording } = workspace.recorder;
  const isCalling = recording.kind === "calling";
  const isEmpty = isCalling || workspace.state.phase === "empty";
  // The incomplete take of a failed call stays in the player.
  const failure =
    recording.kind === "failed" && workspace.draft.mode !== "several" ? recording.failure : null;
  return (
    <section aria-label={t("label")} className="grid gap-4 border-t bg-ground/60 px-5 py-5 sm:px-6">
      {failure ? <FailureNotice failure={failure} onRetry={workspace.speak} /> : null}
      {!isEmpty ? (
        <TakePlayer workspace={workspace} />
      ) : failure ? null : (
        <PlayerPlaceholder isBusy={isCalling} stopped={recording.kind === "silent" ? recording : null} />
      )}
    </section>
  );
}

function PlayerPlaceholder({
  isBusy,
  stopped = null,
}: {
  isBusy: boolean;
  /** The newest call if it was stopped before the first audio; see `Recording`. */
  stopped?: { requestId: string | null } | null;
}) {
  const t = useTranslations("speech.player");
  return (
    <div className="relative flex h-20 items-center sm:h-24">
      <span
        aria-hidden="true"
        className={cn(
          "absolute inset-x-0 border-t-2 border-dotted",
          isBusy ? "border-signal motion-safe:animate-pulse" : "border-line-strong/60",
        )}
      />
      <div className="relative mx-auto flex flex-wrap items-center justify-center gap-x-2 gap-y-1 bg-ground px-3 text-center text-ink-muted">
        <p>{t(isBusy ? "calling" : stopped ? "silent" : "empty")}</p>
        {stopped?.requestId && !isBusy ? <StoppedCall requestId={stopped.requestId} /> : null}
      </div>
    </div>
  );
}
