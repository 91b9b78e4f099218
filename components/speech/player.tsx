"use client";

import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import { cn } from "../ui/class-names";
import type { TakeDeckProps } from "./take-player";

const TakeDeck = dynamic(() => import("./take-player").then((one) => one.TakeDeck), {
  ssr: false,
  loading: () => <Silence isBusy />,
});

/** The take under the text: a still line, then a waveform that fills while it arrives. */
export function Deck({ isCalling, ...props }: { isCalling: boolean } & TakeDeckProps) {
  const t = useTranslations("speech.deck");
  const isEmpty = isCalling || props.state.phase === "empty";
  return (
    <section aria-label={t("label")} className="border-t bg-ground/60 px-5 py-5 sm:px-6">
      {isEmpty ? <Silence isBusy={isCalling} /> : <TakeDeck {...props} />}
    </section>
  );
}

/** The line where the take will lie. */
function Silence({ isBusy }: { isBusy: boolean }) {
  const t = useTranslations("speech.deck");
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
