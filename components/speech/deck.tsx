"use client";

import { PauseIcon, PlayIcon } from "lucide-react";
import { useFormatter, useTranslations } from "use-intl";
import type { GatewayModel } from "@/lib/client/gateway-models";
import type { PeakMeter } from "@/lib/client/speech-pcm";
import type { PlayerState, TakePlayer } from "@/lib/client/speech-player";
import type { Take } from "@/lib/client/takes";
import { PlayClock } from "../audio/play-clock";
import { Waveform } from "../audio/waveform";
import { Badge } from "../ui/badge";
import { Kbd } from "../ui/kbd";
import { NativeSelect } from "../ui/native-select";
import { DownloadMenu } from "./download-menu";
import { TakeFacts } from "./take-facts";
import type { Recording } from "./use-recorder";

const RATES = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** The take under the text: it fills while it arrives; then one can take hold of it. */
export function Deck({
  player,
  state,
  audio,
  take,
  recording,
  meter,
  expectedSeconds,
  ignored,
  models,
}: {
  player: TakePlayer;
  state: PlayerState;
  audio: HTMLAudioElement | null;
  /** The one under the needle; null while one arrives, and before the first. */
  take: Take | null;
  recording: Recording;
  meter: PeakMeter | null;
  expectedSeconds: number;
  ignored: string | null;
  models: readonly GatewayModel[];
}) {
  const t = useTranslations("speech.deck");
  const isEmpty = state.phase === "empty";
  const isCalling = recording.kind === "calling";
  return (
    <section aria-label={t("label")} className="grid gap-4 border-t bg-ground/60 px-5 py-5 sm:px-6">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-4">
        <button
          type="button"
          aria-label={state.isPlaying ? t("pause") : t("play")}
          disabled={isEmpty || isCalling}
          onClick={() => player.toggle()}
          className="flex size-12 items-center justify-center rounded-full bg-signal text-on-signal transition-colors hover:bg-signal/85 disabled:cursor-not-allowed disabled:bg-hover disabled:text-ink-faint"
        >
          {state.isPlaying && !isCalling ? (
            <PauseIcon aria-hidden="true" className="size-5 fill-current" strokeWidth={0} />
          ) : (
            <PlayIcon aria-hidden="true" className="ml-0.5 size-5 fill-current" strokeWidth={0} />
          )}
        </button>
        {isEmpty || isCalling ? (
          <Silence text={isCalling ? t("calling") : t("empty")} isBusy={isCalling} />
        ) : (
          <Waveform
            player={player}
            state={state}
            samples={take?.samples ?? null}
            meter={meter}
            expectedSeconds={expectedSeconds}
            audio={audio}
          />
        )}
      </div>
      {isEmpty || isCalling ? null : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 sm:pl-16">
          <PlayClock player={player} state={state} />
          {take && take.state !== "whole" ? (
            <Badge tone={take.state === "cut" ? "bad" : "neutral"}>{t(take.state)}</Badge>
          ) : null}
          <span className="hidden items-center gap-1.5 text-sm text-ink-faint pointer-fine:sm:flex">
            <Kbd>{t("space")}</Kbd> {t("spaceHint")}
          </span>
          <span className="ml-auto flex items-center gap-2">
            <RateSelect rate={state.rate} onChange={(rate) => player.setRate(rate)} />
            {take ? <DownloadMenu take={take} /> : null}
          </span>
        </div>
      )}
      {take ? <TakeFacts take={take} models={models} /> : null}
      {ignored && take ? <p className="text-sm text-ink-muted">{t("ignored", { fields: ignored })}</p> : null}
    </section>
  );
}

/** The line where the take will lie. */
function Silence({ text, isBusy }: { text: string; isBusy: boolean }) {
  return (
    <div className="relative flex h-20 items-center sm:h-24">
      <span
        aria-hidden="true"
        className={
          isBusy
            ? "absolute inset-x-0 border-signal border-t-2 border-dotted motion-safe:animate-pulse"
            : "absolute inset-x-0 border-line-strong/60 border-t-2 border-dotted"
        }
      />
      <p className="relative mx-auto bg-ground px-3 text-center text-ink-muted">{text}</p>
    </div>
  );
}

function RateSelect({ rate, onChange }: { rate: number; onChange(rate: number): void }) {
  const t = useTranslations("speech.deck");
  const format = useFormatter();
  return (
    <NativeSelect
      aria-label={t("rate")}
      title={t("rate")}
      value={rate}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
      className="tabular w-24"
    >
      {RATES.map((one) => (
        <option key={one} value={one}>
          {format.number(one)}×
        </option>
      ))}
    </NativeSelect>
  );
}
