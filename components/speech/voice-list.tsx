"use client";

import { PlayIcon, SquareIcon, StarIcon } from "lucide-react";
import { type MouseEvent, useCallback, useId } from "react";
import { flushSync } from "react-dom";
import { useLocale, useMessages, useTranslations } from "use-intl";
import { languageName } from "@/components/speech/language-names";
import type { GatewayVoice } from "@/lib/client/gateway-models";
import type { Speaker } from "@/lib/client/speech-call";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Spinner } from "../ui/progress";
import { HueDot } from "./speaker-line";
import type { useFavourites } from "./use-favourites";
import type { useSample } from "./use-sample";
import type { VoiceGroup } from "./voice-filter";

export interface VoiceListProps {
  groups: readonly VoiceGroup[];
  /** Names of the chosen voices. */
  chosen: readonly string[];
  /** Any number of voices may be chosen. */
  isMultiple: boolean;
  /** Speakers of a script; each is shown as a dot beside its voice. */
  speakers: readonly Speaker[];
  favourites: ReturnType<typeof useFavourites>;
  sampler: ReturnType<typeof useSample>;
  /** A voice was chosen or, if `isMultiple` and the voice was already chosen, deselected. */
  onChoose(voice: string): void;
}

/** One row per voice in groups. Unless `isMultiple`, the rows are radio buttons: arrow keys move the choice. */
export function VoiceList({ groups, chosen, isMultiple, speakers, ...props }: VoiceListProps) {
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
          speakerIndex={speakers.findIndex((one) => one.voice === voice.name)}
          {...props}
        />
      ))}
    </fieldset>
  ));
}

interface VoiceRowProps extends Pick<VoiceListProps, "favourites" | "sampler" | "onChoose"> {
  /** Name of the radio buttons; null: checkboxes. */
  group: string | null;
  voice: GatewayVoice;
  isChosen: boolean;
  speakerIndex: number;
}

function VoiceRow({ group, voice, isChosen, speakerIndex, favourites, sampler, onChoose }: VoiceRowProps) {
  const styleOf = useVoiceStyle();
  const { name } = voice;
  const phase = phaseOf(sampler, name);
  // Radio buttons are one tab stop: the arrow keys choose a voice, then Tab moves to its buttons.
  const tabIndex = isChosen || group === null ? 0 : -1;
  return (
    <div
      data-voice={name}
      className={cn(
        "group/voice relative mx-1 flex items-center rounded-sm pr-1 transition-colors hover:bg-hover has-[:focus-visible]:outline-2",
        isChosen && "bg-signal-soft hover:bg-signal-soft",
      )}
    >
      <label className="relative flex min-h-9 min-w-0 flex-1 cursor-pointer items-center gap-3 pl-3 pointer-coarse:min-h-11">
        <input
          type={group === null ? "checkbox" : "radio"}
          name={group ?? undefined}
          value={name}
          checked={isChosen}
          onChange={() => onChoose(name)}
          className="absolute inset-0 cursor-pointer appearance-none opacity-0"
        />
        <StatusDot
          tone={isChosen || phase === "playing" ? "signal" : "off"}
          className={cn(phase && "animate-pulse motion-reduce:animate-none")}
        />
        <span translate="no" className={cn("truncate", isChosen && "font-medium")}>
          {name}
        </span>
        {speakerIndex >= 0 ? <HueDot index={speakerIndex} /> : null}
        {favourites.isFavourite(name) ? (
          <StarIcon aria-hidden="true" className="size-3 shrink-0 fill-current text-ink-faint" />
        ) : null}
        <span className={cn("ml-auto truncate text-sm", isChosen ? "text-ink-muted" : "text-ink-faint")}>
          {styleOf(voice)}
        </span>
      </label>
      <FavouriteButton voice={name} tabIndex={tabIndex} favourites={favourites} />
      <SampleButton voice={name} isChosen={isChosen} tabIndex={tabIndex} sampler={sampler} />
    </div>
  );
}

interface VoiceButtonProps {
  voice: string;
  tabIndex: number;
}

function FavouriteButton({
  voice,
  tabIndex,
  favourites,
}: VoiceButtonProps & Pick<VoiceRowProps, "favourites">) {
  const t = useTranslations("speech.voices");
  const isFavourite = favourites.isFavourite(voice);
  const toggle = ({ currentTarget, detail }: MouseEvent<HTMLElement>) => {
    const list = currentTarget.closest("fieldset")?.parentElement;
    flushSync(() => favourites.toggle(voice));
    if (currentTarget.isConnected) return;
    // The voice is in another group now. Its star is visible only while the row has the focus.
    const row = list?.querySelector(`[data-voice="${CSS.escape(voice)}"]`);
    // After a click, the list must not scroll under the pointer; `detail` is 0 for a key press.
    const options = { preventScroll: detail > 0 };
    row?.querySelector("input")?.focus(options);
    row?.querySelector("button")?.focus(options);
  };
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      tabIndex={tabIndex}
      aria-pressed={isFavourite}
      aria-label={t("favourite", { voice })}
      title={t("favourite", { voice })}
      className="ml-1 hidden group-focus-within/voice:inline-flex group-hover/voice:inline-flex pointer-coarse:inline-flex"
      onClick={toggle}
    >
      <StarIcon className={cn(isFavourite && "fill-current")} />
    </Button>
  );
}

function SampleButton({
  voice,
  isChosen,
  tabIndex,
  sampler,
}: VoiceButtonProps & Pick<VoiceRowProps, "isChosen" | "sampler">) {
  const t = useTranslations("speech.voices");
  const phase = phaseOf(sampler, voice);
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      tabIndex={tabIndex}
      className={cn(isChosen && "text-ink")}
      aria-label={t(phase ? "stopSample" : "hear", { voice })}
      onClick={phase ? sampler.stop : () => void sampler.play(voice)}
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

function phaseOf({ sample }: VoiceListProps["sampler"], voice: string) {
  return sample?.voice === voice ? sample.phase : null;
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
