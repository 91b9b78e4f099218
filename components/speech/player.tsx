"use client";

import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import { cn } from "../ui/class-names";
import type { TakePlayerProps } from "./take-player";

const TakePlayer = dynamic(() => import("./take-player").then((one) => one.TakePlayer), {
  ssr: false,
  loading: () => <PlayerPlaceholder isBusy />,
});

/** The player below the text: a placeholder until a take arrives, then its waveform. */
export function Player({ isCalling, ...props }: { isCalling: boolean } & TakePlayerProps) {
  const t = useTranslations("speech.player");
  const isEmpty = isCalling || props.state.phase === "empty";
  return (
    <section aria-label={t("label")} className="border-t bg-ground/60 px-5 py-5 sm:px-6">
      {isEmpty ? <PlayerPlaceholder isBusy={isCalling} /> : <TakePlayer {...props} />}
    </section>
  );
}

function PlayerPlaceholder({ isBusy }: { isBusy: boolean }) {
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
      <p className="relative mx-auto bg-ground px-3 text-center text-ink-muted">
        {isBusy ? t("calling") : t("empty")}
      </p>
    </div>
  );
}
