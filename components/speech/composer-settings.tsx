"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { useAmounts } from "../charts/use-amounts";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { Input, NativeSelect, SelectOptions } from "../ui/input";
import { useOnDemand } from "../ui/use-on-demand";
import { LanguageButton, type LanguagePickerProps } from "./language-button";
import { HueDot } from "./speaker-line";
import type { SpeechDraft } from "./speech-draft";

/** Maximum characters of the instructions: enough for a style. The gateway's own limit is far higher. */
const MAX_INSTRUCTIONS = 1_000;

interface SettingsProps {
  draft: SpeechDraft;
  models: readonly GatewayModel[];
  onModel(name: string): void;
  /** Opens the voices on narrow screens, where they are not beside the text. */
  onVoices(): void;
  onChange(change: Partial<SpeechDraft>): void;
}

/** Model, language, speed and instructions. A setting that the call cannot carry is disabled, with a hint why. */
export function ComposerSettings({ draft, models, onModel, onVoices, onChange }: SettingsProps) {
  const t = useTranslations("speech");
  const hintId = useId();
  const instructionsId = useId();
  const isScript = draft.mode === "script";
  const isSeveral = draft.mode === "several";
  const takesInstructions = (name: string) =>
    models.some((one) => one.name === name && one.takesInstructions);
  const hasInstructions =
    !isScript &&
    (isSeveral
      ? draft.candidates.some((one) => takesInstructions(one.model))
      : takesInstructions(draft.model));
  const isInstructed = hasInstructions && draft.instructions.trim() !== "";
  const lacksLanguage = !isScript && (draft.speed !== 1 || isInstructed);
  const hint = isScript
    ? t("speedScript")
    : lacksLanguage
      ? t(draft.speed === 1 ? "instructionsLanguage" : "speedLanguage")
      : null;
  const describedBy = hint ? hintId : undefined;
  return (
    <div className="grid gap-2">
      <div className="grid grid-cols-[2fr_3fr] gap-x-4 gap-y-3 sm:grid-cols-[2fr_3fr_3fr_2fr] xl:grid-cols-3">
        <VoicesButton draft={draft} onVoices={onVoices} />
        <ModelField draft={draft} onModel={onModel} models={models} />
        <LanguageField
          language={lacksLanguage ? null : draft.language}
          isDisabled={lacksLanguage}
          describedBy={describedBy}
          onChange={(language) => onChange({ language })}
        />
        <SpeedSlider
          speed={isScript ? 1 : draft.speed}
          isDisabled={isScript}
          describedBy={describedBy}
          onChange={(speed) => onChange({ speed })}
        />
      </div>
      {hasInstructions ? (
        <div className="grid gap-1">
          <label htmlFor={instructionsId} className="text-xs text-ink-faint">
            {t("instructions")}
          </label>
          <Input
            id={instructionsId}
            value={draft.instructions}
            placeholder={t("instructionsExample")}
            maxLength={MAX_INSTRUCTIONS}
            onChange={(event) => onChange({ instructions: event.currentTarget.value })}
          />
        </div>
      ) : null}
      {hint ? (
        <p id={hintId} className="text-sm text-ink-muted">
          {hint}
        </p>
      ) : null}
    </div>
  );
}

const loadLanguageList = () => import("./language-list").then((one) => one.LanguageList);

/** The language, where the call can carry one. The searchable list is loaded when it is first opened. */
function LanguageField(props: Omit<LanguagePickerProps, "id">) {
  const t = useTranslations("speech");
  const id = useId();
  const { Loaded, trigger } = useOnDemand(loadLanguageList);
  return (
    <div className="order-1 grid min-w-0 gap-1 sm:order-none">
      <span id={`${id}-label`} className="text-xs text-ink-faint">
        {t("language")}
      </span>
      {Loaded ? (
        <Loaded {...props} id={id} />
      ) : (
        <LanguageButton {...props} id={id} aria-haspopup="dialog" {...trigger} />
      )}
    </div>
  );
}

/** The model. A link may set any model; it is offered unchanged, and the API validates it. */
function ModelField({ draft, onModel, models }: Pick<SettingsProps, "draft" | "onModel" | "models">) {
  const playground = useTranslations("playground");
  const id = useId();
  return (
    <div className="grid min-w-0 gap-1">
      <label htmlFor={id} className="text-xs text-ink-faint">
        {playground("model")}
      </label>
      <NativeSelect id={id} value={draft.model} onChange={(event) => onModel(event.target.value)}>
        <SelectOptions of={models.map(({ name }) => [name, name])} selected={draft.model} />
      </NativeSelect>
    </div>
  );
}

function VoicesButton({ draft, onVoices }: Pick<SettingsProps, "draft" | "onVoices">) {
  const t = useTranslations("speech");
  const isScript = draft.mode === "script";
  return (
    <div className="grid min-w-0 gap-1 xl:hidden">
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
          {draft.mode === "several" ? t("voices.count", { count: draft.candidates.length }) : null}
          {draft.mode === "single" ? draft.voice : null}
        </span>
      </Button>
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
