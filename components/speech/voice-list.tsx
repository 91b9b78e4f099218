"use client";

import { PlayIcon, SquareIcon, StarIcon } from "lucide-react";
import { useCallback, useId } from "react";
import { useLocale, useMessages, useTranslations } from "use-intl";
import { languageName } from "@/components/speech/language-names";
import type { GatewayVoice } from "@/lib/client/gateway-models";
import type { Speaker } from "@/lib/client/speech-call";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Spinner } from "../ui/progress";
import { HueDot } from "./speaker-line";
import type { SampleState } from "./use-sample";
import type { VoiceGroup } from "./voice-filter";

/** One row per voice in groups. Where one voice is chosen, arrow keys move the choice. */
export function VoiceList({
  groups,
  chosen,
  isMultiple,
  speakers,
  sample,
  isFavourite,
  onFavourite,
  onChoose,
  onSample,
  onStopSample,
}: {
  groups: readonly VoiceGroup[];
  /** Names of the chosen voices. */
  chosen: readonly string[];
  /** Any number of voices may be chosen. */
  isMultiple: boolean;
  /** Speakers of a script; each is shown as a dot beside its voice. */
  speakers: readonly Speaker[];
  sample: SampleState | null;
  isFavourite(voice: string): boolean;
  onFavourite(voice: string): void;
  /** A voice was chosen, or dropped where it was chosen and `isMultiple`. */
  onChoose(voice: string): void;
  onSample(voice: string): void;
  onStopSample(): void;
}) {
  const t = useTranslations("speech.voices");
  const group = useId();
  return groups.map(({ kind, areAliases, voices }) => (
    <fieldset key={kind} className="min-w-0">
      <legend className="px-3 pt-3 pb-1 text-xs text-ink-faint">
        {t(`families.${kind}`)}
        {areAliases ? ` · ${t("aliases")}` : null}
      </legend>
      {voices.map((voice) => (
        <VoiceRow
          key={voice.name}
          group={isMultiple ? null : group}
          voice={voice}
          isChosen={chosen.some((one) => one.toLowerCase() === voice.name.toLowerCase())}
          isFavourite={isFavourite(voice.name)}
          speakerIndex={speakers.findIndex((one) => one.voice === voice.name)}
          phase={sample?.voice === voice.name ? sample.phase : null}
          onChoose={() => onChoose(voice.name)}
          onFavourite={() => onFavourite(voice.name)}
          onSample={() => onSample(voice.name)}
          onStopSample={onStopSample}
        />
      ))}
    </fieldset>
  ));
}

interface VoiceRowProps {
  /** Name of the radio buttons; null: checkboxes. */
  group: string | null;
  voice: GatewayVoice;
  isChosen: boolean;
  isFavourite: boolean;
  speakerIndex: number;
  phase: SampleState["phase"] | null;
  onChoose(): void;
  onFavourite(): void;
  onSample(): void;
  onStopSample(): void;
}

function VoiceRow({
  group,
  voice,
  isChosen,
  isFavourite,
  speakerIndex,
  phase,
  onChoose,
  onFavourite,
  onSample,
  onStopSample,
}: VoiceRowProps) {
  const styleOf = useVoiceStyle();
  return (
    <div
      className={cn(
        "group/voice relative mx-1 flex items-center rounded-sm pr-1 transition-colors hover:bg-hover has-[:focus-visible]:outline-2",
        isChosen && "bg-signal-soft hover:bg-signal-soft",
      )}
    >
      <label className="relative flex min-h-9 min-w-0 flex-1 cursor-pointer items-center gap-3 pl-3 pointer-coarse:min-h-11">
        <input
          type={group === null ? "checkbox" : "radio"}
          name={group ?? undefined}
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
        {isFavourite ? (
          <StarIcon aria-hidden="true" className="size-3 shrink-0 fill-current text-ink-faint" />
        ) : null}
        <span className={cn("ml-auto truncate text-sm", isChosen ? "text-ink-muted" : "text-ink-faint")}>
          {styleOf(voice)}
        </span>
      </label>
      <FavouriteButton
        isChosen={isChosen}
        isFavourite={isFavourite}
        voice={voice}
        onFavourite={onFavourite}
      />
      <SampleButton
        isChosen={isChosen}
        phase={phase}
        voice={voice}
        onStopSample={onStopSample}
        onSample={onSample}
      />
    </div>
  );
}

/** Marks the voice as a favourite, or unmarks it. */
function FavouriteButton({
  isChosen,
  isFavourite,
  voice,
  onFavourite,
}: Pick<VoiceRowProps, "isChosen" | "isFavourite" | "voice" | "onFavourite">) {
  const t = useTranslations("speech.voices");
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      tabIndex={isChosen ? 0 : -1}
      aria-pressed={isFavourite}
      aria-label={t("favourite", { voice: voice.name })}
      title={t("favourite", { voice: voice.name })}
      className="ml-1 hidden group-focus-within/voice:inline-flex group-hover/voice:inline-flex pointer-coarse:inline-flex"
      onClick={onFavourite}
    >
      <StarIcon className={cn(isFavourite && "fill-current")} />
    </Button>
  );
}

/** Plays a sample of the voice, or stops it. */
function SampleButton({
  isChosen,
  phase,
  voice,
  onStopSample,
  onSample,
}: Pick<VoiceRowProps, "isChosen" | "phase" | "voice" | "onStopSample" | "onSample">) {
  const t = useTranslations("speech.voices");
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      // The list is one tab stop: the arrow keys choose a voice, then Tab moves to its sample button.
      tabIndex={isChosen ? 0 : -1}
      className={cn(isChosen && "text-ink")}
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
  );
}

/**
 * A voice's style in the page's language; the upstream's own text where the catalogue has none, and the voice's
 * languages where there is no text.
 */
export function useVoiceStyle(): (voice: GatewayVoice) => string {
  const styles: Record<string, string> = useMessages().speech.voices.styles;
  const locale = useLocale();
  return useCallback(
    ({ description, languages }) =>
      (styles[description] ?? description) || languages.map((tag) => languageName(tag, locale)).join(", "),
    [styles, locale],
  );
}
