"use client";

import { PlayIcon, SquareIcon } from "lucide-react";
import { useId } from "react";
import { useMessages, useTranslations } from "use-intl";
import type { GatewayVoice } from "@/lib/client/gateway-models";
import type { Speaker } from "@/lib/client/speech-call";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Spinner } from "../ui/progress";
import type { SampleState } from "./use-sample";
import { HueDot } from "./voice-name";

const FAMILIES = ["gemini", "openai", "engine"] as const;

/** One row per voice, grouped by family; arrow keys move the choice. */
export function VoiceList({
  voices,
  chosen,
  speakers,
  sample,
  onChoose,
  onSample,
  onStopSample,
}: {
  voices: readonly GatewayVoice[];
  chosen: string;
  /** Of a script; each is shown as a dot beside its voice. */
  speakers: readonly Speaker[];
  sample: SampleState | null;
  onChoose(voice: string): void;
  onSample(voice: string): void;
  onStopSample(): void;
}) {
  const t = useTranslations("speech.voices");
  const group = useId();
  return FAMILIES.map((family) => {
    const familyVoices = voices.filter((one) => one.family === family);
    if (familyVoices.length === 0) return null;
    return (
      <fieldset key={family} className="min-w-0">
        <legend className="px-3 pt-3 pb-1 text-xs text-ink-faint">{t(`families.${family}`)}</legend>
        {familyVoices.map((voice) => (
          <VoiceRow
            key={voice.name}
            group={group}
            voice={voice}
            isChosen={voice.name.toLowerCase() === chosen.toLowerCase()}
            speakerIndex={speakers.findIndex((one) => one.voice === voice.name)}
            phase={sample?.voice === voice.name ? sample.phase : null}
            onChoose={() => onChoose(voice.name)}
            onSample={() => onSample(voice.name)}
            onStopSample={onStopSample}
          />
        ))}
      </fieldset>
    );
  });
}

function VoiceRow({
  group,
  voice,
  isChosen,
  speakerIndex,
  phase,
  onChoose,
  onSample,
  onStopSample,
}: {
  group: string;
  voice: GatewayVoice;
  isChosen: boolean;
  speakerIndex: number;
  phase: SampleState["phase"] | null;
  onChoose(): void;
  onSample(): void;
  onStopSample(): void;
}) {
  const t = useTranslations("speech.voices");
  const styleOf = useVoiceStyle();
  return (
    <div
      className={cn(
        "relative mx-1 flex items-center rounded-sm pr-1 transition-colors hover:bg-hover has-[:focus-visible]:outline-2",
        isChosen && "bg-signal-soft hover:bg-signal-soft",
      )}
    >
      <label className="relative flex min-h-9 min-w-0 flex-1 cursor-pointer items-center gap-3 pl-3 pointer-coarse:min-h-11">
        <input
          type="radio"
          name={group}
          value={voice.name}
          checked={isChosen}
          onChange={onChoose}
          className="absolute inset-0 cursor-pointer appearance-none opacity-0"
        />
        <StatusDot
          tone={isChosen || phase === "playing" ? "signal" : "off"}
          className={cn(phase && "animate-pulse motion-reduce:animate-none")}
        />
        <span translate="no" className={cn("truncate", isChosen && "font-medium")}>
          {voice.name}
        </span>
        {speakerIndex >= 0 ? <HueDot index={speakerIndex} /> : null}
        <span className={cn("ml-auto truncate text-sm", isChosen ? "text-ink-muted" : "text-ink-faint")}>
          {styleOf(voice)}
        </span>
      </label>
      <Button
        variant="ghost"
        size="icon-sm"
        // The list is one tab stop: the arrow keys choose a voice, then Tab moves to its sample button.
        tabIndex={isChosen ? 0 : -1}
        className={cn("ml-1", isChosen && "text-ink")}
        aria-label={phase ? t("stopSample", { voice: voice.name }) : t("hear", { voice: voice.name })}
        onClick={phase ? onStopSample : onSample}
      >
        {phase === "loading" ? (
          <Spinner />
        ) : phase ? (
          <SquareIcon className="size-3! fill-current" />
        ) : (
          <PlayIcon />
        )}
      </Button>
    </div>
  );
}

/** A voice's style in the page's language; the upstream's own text where the catalogue has none. */
export function useVoiceStyle(): (voice: GatewayVoice) => string {
  const styles: Record<string, string> = useMessages().speech.voices.styles;
  return ({ description }) => styles[description] ?? description;
}
