"use client";

import { PauseIcon, PlayIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { hasLetterShortcuts } from "@/lib/client/letter-shortcuts";
import { PlayClock } from "../audio/play-clock";
import { Waveform } from "../audio/waveform";
import { useAmounts } from "../charts/use-amounts";
import { Badge } from "../ui/badge";
import { NativeSelect, SelectOptions } from "../ui/input";
import { Kbd } from "../ui/kbd";
import { DownloadMenu } from "./download-menu";
import { TakeFacts } from "./take-facts";
import type { SpeechWorkspace } from "./use-speech-workspace";

const RATES = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** Plays an arriving or finished take, with seeking, playback speed and download. Loaded on demand. */
export function TakePlayer({ workspace }: { workspace: SpeechWorkspace }) {
  const t = useTranslations("speech.player");
  const { player, state, audio, models, expectedSeconds } = workspace;
  const { recording, meter, ignored } = workspace.recorder;
  // Null while a take is arriving.
  const take = workspace.takes.current;
  const isNewest = recording.kind === "done" && recording.take.id === take?.id;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-4">
        <button
          type="button"
          aria-label={state.isPlaying ? t("pause") : t("play")}
          onClick={() => player.toggle()}
          className="flex size-12 items-center justify-center rounded-full bg-signal text-on-signal transition-colors hover:bg-signal/85"
        >
          {state.isPlaying ? (
            <PauseIcon aria-hidden="true" className="size-5 fill-current" strokeWidth={0} />
          ) : (
            <PlayIcon aria-hidden="true" className="ml-0.5 size-5 fill-current" strokeWidth={0} />
          )}
        </button>
        <Waveform
          player={player}
          state={state}
          samples={take?.samples ?? null}
          meter={meter}
          expectedSeconds={expectedSeconds}
          audio={audio}
        />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 sm:pl-16">
        <PlayClock player={player} state={state} />
        {take && take.state !== "complete" ? (
          <Badge tone={take.state === "cut" ? "bad" : "neutral"}>{t(take.state)}</Badge>
        ) : null}
        {hasLetterShortcuts() ? (
          <span className="hidden items-center gap-1.5 text-sm text-ink-faint pointer-fine:sm:flex">
            <Kbd>{t("space")}</Kbd> {t("spaceHint")}
          </span>
        ) : null}
        <span className="ml-auto flex flex-wrap items-center justify-end gap-2">
          <RateSelect rate={state.rate} onChange={(rate) => player.setRate(rate)} />
          {take ? <DownloadMenu take={take} /> : null}
        </span>
      </div>
      {take ? <TakeFacts take={take} models={models} /> : null}
      {ignored && isNewest ? (
        <p className="text-sm text-ink-muted">{t("ignored", { fields: ignored })}</p>
      ) : null}
    </div>
  );
}

function RateSelect({ rate, onChange }: { rate: number; onChange(rate: number): void }) {
  const t = useTranslations("speech.player");
  const { factor } = useAmounts();
  return (
    <NativeSelect
      aria-label={t("rate")}
      title={t("rate")}
      value={rate}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
      className="tabular w-24"
    >
      <SelectOptions of={RATES.map((one) => [one, factor(one)])} />
    </NativeSelect>
  );
}
