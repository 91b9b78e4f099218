"use client";

import { useId, useMemo } from "react";
import { useLocale, useTranslations } from "use-intl";
import { byName, languageName, MORE_SPEECH_LANGUAGES, SPEECH_LANGUAGES } from "@/components/speech/languages";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { useAmounts } from "../charts/use-amounts";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { NativeSelect } from "../ui/input";
import type { SpeechDraft } from "./speech-draft";
import { HueDot } from "./voice-name";

/** Model, language and speed. A setting that the call cannot carry is disabled, with a hint why. */
export function ComposerSettings({
  draft,
  models,
  onModel,
  onVoices,
  onChange,
}: {
  draft: SpeechDraft;
  models: readonly GatewayModel[];
  onModel(name: string): void;
  /** Opens the voices on narrow screens, where they are not beside the text. */
  onVoices(): void;
  onChange(change: Partial<SpeechDraft>): void;
}) {
  const t = useTranslations("speech");
  const playground = useTranslations("playground");
  const locale = useLocale();
  const id = useId();
  const isScript = draft.mode === "script";
  const isSpedUp = !isScript && draft.speed !== 1;
  const isKnown = models.some((one) => one.name === draft.model);
  // A link may set any language and any model: both are offered as they are, and the API validates them.
  const first: string[] = [...SPEECH_LANGUAGES];
  if (draft.language && !first.includes(draft.language) && !MORE_SPEECH_LANGUAGES.includes(draft.language))
    first.push(draft.language);
  const more = useMemo(() => byName(MORE_SPEECH_LANGUAGES, locale), [locale]);
  const hint = isScript ? t("speedScript") : isSpedUp ? t("speedLanguage") : null;
  return (
    <div className="grid gap-2">
      <div className="grid grid-cols-[2fr_3fr] gap-x-4 gap-y-3 sm:grid-cols-4 lg:grid-cols-3">
        <div className="grid min-w-0 gap-1 lg:hidden">
          <span aria-hidden="true" className="text-xs text-ink-faint">
            {isScript ? t("speakers.title") : t("voices.one")}
          </span>
          <Button variant="outline" className="justify-start px-3 font-normal" onClick={onVoices}>
            <span className="sr-only">{t("voices.change")}: </span>
            {isScript ? (
              draft.speakers.map((one, index) => <HueDot key={one.name} index={index} />)
            ) : (
              <StatusDot tone="signal" />
            )}
            <span translate="no" className="truncate">
              {isScript ? null : draft.voice}
            </span>
          </Button>
        </div>
        <div className="grid min-w-0 gap-1">
          <label htmlFor={`${id}-model`} className="text-xs text-ink-faint">
            {playground("model")}
          </label>
          <NativeSelect
            id={`${id}-model`}
            value={draft.model}
            onChange={(event) => onModel(event.target.value)}
          >
            {isKnown ? null : <option value={draft.model}>{draft.model}</option>}
            {models.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </NativeSelect>
        </div>
        <div className="order-1 grid min-w-0 gap-1 sm:order-none">
          <label htmlFor={`${id}-language`} className="text-xs text-ink-faint">
            {t("language")}
          </label>
          <NativeSelect
            id={`${id}-language`}
            value={isSpedUp ? "" : (draft.language ?? "")}
            disabled={isSpedUp}
            aria-describedby={hint ? `${id}-hint` : undefined}
            onChange={(event) => onChange({ language: event.target.value || null })}
          >
            <option value="">{t("languageAuto")}</option>
            {first.map((tag) => (
              <option key={tag} value={tag}>
                {languageName(tag, locale)}
              </option>
            ))}
            <optgroup label={t("languageMore")}>
              {more.map(({ tag, name }) => (
                // Server and browser may name a rare language differently.
                <option key={tag} value={tag} suppressHydrationWarning>
                  {name}
                </option>
              ))}
            </optgroup>
          </NativeSelect>
        </div>
        <SpeedSlider
          speed={isScript ? 1 : draft.speed}
          isDisabled={isScript}
          describedBy={hint ? `${id}-hint` : undefined}
          onChange={(speed) => onChange({ speed })}
        />
      </div>
      {hint ? (
        <p id={`${id}-hint`} className="text-sm text-ink-muted">
          {hint}
        </p>
      ) : null}
    </div>
  );
}

/** A logarithmic slider from 0.25× to 4× with the natural speed in the middle. */
function SpeedSlider({
  speed,
  isDisabled,
  describedBy,
  onChange,
}: {
  speed: number;
  isDisabled: boolean;
  describedBy: string | undefined;
  onChange(speed: number): void;
}) {
  const t = useTranslations("speech");
  const id = useId();
  const { factor } = useAmounts();
  const shown = speed === 1 ? t("speedNatural") : factor(speed);
  return (
    <div className="grid min-w-0 gap-1">
      <span className="flex justify-between gap-2 text-xs text-ink-faint">
        <label htmlFor={id}>{t("speed")}</label>
        <span aria-hidden="true" className="tabular text-ink-muted">
          {shown}
        </span>
      </span>
      <span className="flex h-9 items-center pointer-coarse:h-11">
        <input
          id={id}
          type="range"
          min={-2}
          max={2}
          step={0.1}
          value={Math.log2(speed)}
          disabled={isDisabled}
          aria-valuetext={shown}
          aria-describedby={describedBy}
          onChange={(event) => onChange(Math.round(2 ** event.currentTarget.valueAsNumber * 100) / 100)}
          className="w-full cursor-pointer accent-ink disabled:cursor-not-allowed"
        />
      </span>
    </div>
  );
}
