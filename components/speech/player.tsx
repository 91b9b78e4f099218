"use client";

import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import type { GatewayFailure } from "@/lib/client/gateway-error";
import { FailureNotice, StoppedCall } from "../playground/failure-notice";
import { cn } from "../ui/class-names";
import type { TakePlayerProps } from "./take-player";

const TakePlayer = dynamic(() => import("./take-player").then((one) => one.TakePlayer), {
  ssr: false,
  loading: () => <PlayerPlaceholder isBusy />,
});

/** The player below the text: a placeholder until a take arrives, then its waveform. */
export function Player({
  isCalling,
  stopped,
  failure,
  onRetry,
  ...props
}: {
  isCalling: boolean;
  /** The newest call if it was stopped before the first audio; see `Recording`. */
  stopped: { requestId: string | null } | null;
  /** The failure of the newest call; the incomplete take of that call stays in the player. */
  failure: GatewayFailure | null;
  onRetry(): void;
} & TakePlayerProps) {
  const t = useTranslations("speech.player");
  const isEmpty = isCalling || props.state.phase === "empty";
  return (
    <section aria-label={t("label")} className="grid gap-4 border-t bg-ground/60 px-5 py-5 sm:px-6">
      {failure ? <FailureNotice failure={failure} onRetry={onRetry} /> : null}
      {!isEmpty ? (
        <TakePlayer {...props} />
      ) : failure ? null : (
        <PlayerPlaceholder isBusy={isCalling} stopped={stopped} />
      )}
    </section>
  );
}

function PlayerPlaceholder({
  isBusy,
  stopped = null,
}: {
  isBusy: boolean;
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
