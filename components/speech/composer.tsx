"use client";

import { ChevronDownIcon, PlayIcon, SquareIcon, XIcon } from "lucide-react";
import { useId, useMemo } from "react";
import { useTranslations } from "use-intl";
import { type EditorLine, findNames, readScript } from "@/components/speech/script";
import type { GatewayModel } from "@/lib/client/gateway-models";
import type { Speaker } from "@/lib/client/speech-call";
import { Button } from "../ui/button";
import { ChoicesButton } from "../ui/choices-button";
import { cn } from "../ui/class-names";
import { Kbd } from "../ui/kbd";
import { SegmentedControl } from "../ui/segmented-control";
import { MIN_CANDIDATES } from "./candidates";
import { ComposerSettings } from "./composer-settings";
import { assignVoices, hueOf, type SpeechDraft } from "./speech-draft";
import { isTooLong, type ModelCall, TextFacts } from "./text-facts";

interface ComposerProps {
  draft: SpeechDraft;
  /** The call of the page, or those of a comparison. */
  calls: readonly ModelCall[];
  models: readonly GatewayModel[];
  isRunning: boolean;
  onModel(name: string): void;
  onVoices(): void;
  onChange(change: Partial<SpeechDraft>): void;
  onSpeak(): void;
  onStop(): void;
}

/** The text, its settings and the button that sends it. */
export function Composer({
  draft,
  calls,
  models,
  isRunning,
  onModel,
  onVoices,
  onChange,
  onSpeak,
  onStop,
}: ComposerProps) {
  const t = useTranslations("speech");
  const factsId = useId();
  const isLong = calls.some((one) => isTooLong(one.call, one.model));
  const isSeveral = draft.mode === "several";
  const lacksVoices = isSeveral && draft.candidates.length < MIN_CANDIDATES;
  const [first, ...others] = calls;

  return (
    <>
      <ComposerBar draft={draft} onChange={onChange} />
      <TextEditor
        text={draft.text}
        speakers={draft.mode === "script" ? draft.speakers : null}
        describedBy={factsId}
        isInvalid={isLong}
        onChange={(text) => onChange({ text })}
      />
      <div className="grid gap-4 border-t px-5 py-4 sm:px-6">
        <ComposerSettings
          draft={draft}
          models={models}
          onModel={onModel}
          onVoices={onVoices}
          onChange={onChange}
        />
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
          {first ? (
            <TextFacts
              id={factsId}
              calls={[first, ...others]}
              hint={lacksVoices ? t("comparison.needVoices") : null}
            />
          ) : null}
          <SpeakButton
            isRunning={isRunning}
            isDisabled={draft.text.trim() === "" || isLong || lacksVoices}
            action={isSeveral ? t("comparison.run") : t("speak")}
            onSpeak={onSpeak}
            onStop={onStop}
          />
        </div>
      </div>
    </>
  );
}

/** Starts the call, or stops the running one. */
function SpeakButton({
  isRunning,
  isDisabled,
  action,
  onSpeak,
  onStop,
}: Pick<ComposerProps, "isRunning" | "onSpeak" | "onStop"> & { isDisabled: boolean; action: string }) {
  const t = useTranslations("speech");
  return isRunning ? (
    <Button variant="outline" size="lg" className="w-full sm:w-auto sm:min-w-40" onClick={onStop}>
      <SquareIcon aria-hidden="true" className="fill-current" />
      {t("stop")}
      <Kbd aria-hidden="true" className="hidden sm:inline-flex">
        {t("keys.stop")}
      </Kbd>
    </Button>
  ) : (
    <Button
      variant="signal"
      size="lg"
      className="w-full sm:w-auto sm:min-w-40"
      disabled={isDisabled}
      onClick={onSpeak}
    >
      <PlayIcon aria-hidden="true" className="fill-current" />
      {action}
      <Kbd
        aria-hidden="true"
        className="hidden border-on-signal/30 bg-transparent text-on-signal sm:inline-flex"
      >
        {t("keys.speak")}
      </Kbd>
    </Button>
  );
}

/** The mode, the examples and the button that clears the text. */
function ComposerBar({ draft, onChange }: Pick<ComposerProps, "draft" | "onChange">) {
  const t = useTranslations("speech");
  const setMode = (mode: SpeechDraft["mode"]) => {
    const names = findNames(draft.text);
    const hasSpeakers = names.some((name) => draft.speakers.some((one) => one.name === name));
    const speakers =
      mode === "script" && names.length > 0 && !hasSpeakers ? assignVoices(names, []) : draft.speakers;
    // A comparison starts with the voice that is chosen already.
    const candidates =
      mode === "several" && draft.candidates.length === 0 && draft.voice !== ""
        ? [{ model: draft.model, voice: draft.voice }]
        : draft.candidates;
    onChange({ mode, speakers, candidates });
  };
  const applyExample = (example: Example) => {
    const text = t(`examples.${example}Text`);
    if (example === "dialogue")
      onChange({ text, mode: "script", speakers: assignVoices(findNames(text), draft.speakers) });
    else onChange({ text, mode: draft.mode === "several" ? "several" : "single" });
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 border-b px-3 py-2 sm:px-4">
      <SegmentedControl
        label={t("mode.label")}
        value={draft.mode}
        onValueChange={setMode}
        segments={[
          { value: "single", label: t("mode.single") },
          { value: "several", label: t("mode.several") },
          { value: "script", label: t("mode.script") },
        ]}
      />
      <div className="flex items-center gap-1">
        <ExamplesButton onChoose={applyExample} />
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label={t("text.clear")}
          disabled={draft.text === ""}
          onClick={() => onChange({ text: "" })}
        >
          <XIcon />
        </Button>
      </div>
    </div>
  );
}

const EXAMPLES = ["greeting", "dialogue", "numbers", "languages"] as const;
type Example = (typeof EXAMPLES)[number];

/** The menu of example texts. */
function ExamplesButton({ onChoose }: { onChoose(example: Example): void }) {
  const t = useTranslations("speech.examples");
  return (
    <ChoicesButton
      button={{
        variant: "ghost",
        size: "sm",
        children: (
          <>
            {t("label")}
            <ChevronDownIcon aria-hidden="true" />
          </>
        ),
      }}
      choices={EXAMPLES.map((id) => ({ id, label: t(id) }))}
      onPick={onChoose}
    />
  );
}

/** Shared by the field and the coloured copy behind it, so that the colours line up with the text. */
const TEXT_STYLE =
  "whitespace-pre-wrap break-words px-5 py-4 text-lg leading-7 sm:px-6 sm:text-xl sm:leading-9";
const SCRIPT_STYLE = "whitespace-pre-wrap break-words py-4 pr-5 pl-9 text-lg leading-8 sm:pr-6 sm:pl-11";

/**
 * The text to speak. An invisible copy of it behind the field sets the field's height and, for a script, marks each
 * line with its speaker's colour.
 */
function TextEditor({
  text,
  speakers,
  describedBy,
  isInvalid,
  onChange,
}: {
  text: string;
  /** Null: one voice speaks the whole text. */
  speakers: readonly Speaker[] | null;
  describedBy: string;
  isInvalid: boolean;
  onChange(text: string): void;
}) {
  const t = useTranslations("speech.text");
  const type = speakers ? SCRIPT_STYLE : TEXT_STYLE;
  const placeholder = speakers ? t("scriptPlaceholder") : t("placeholder");
  return (
    <div className="max-h-[42dvh] min-h-52 overflow-y-auto overscroll-contain -outline-offset-2 focus-within:outline-2 focus-within:outline-ink sm:min-h-64">
      <div className="relative grid min-h-52 sm:min-h-64">
        <div
          aria-hidden="true"
          className={cn(type, "pointer-events-none select-none text-transparent", speakers && "pl-0 sm:pl-0")}
        >
          {speakers ? <ColouredScript text={text} speakers={speakers} /> : `${text}\n`}
        </div>
        <textarea
          aria-label={t("label")}
          aria-describedby={describedBy}
          aria-invalid={isInvalid || undefined}
          value={text}
          placeholder={placeholder}
          spellCheck="false"
          onChange={(event) => onChange(event.currentTarget.value)}
          className={cn(
            type,
            "absolute inset-0 h-full w-full resize-none overflow-hidden bg-transparent text-ink outline-none placeholder:text-ink-faint",
          )}
        />
      </div>
    </div>
  );
}

function ColouredScript({ text, speakers }: { text: string; speakers: readonly Speaker[] }) {
  const lines = useMemo(() => readScript(text, speakers), [text, speakers]);
  return lines.map((line, at) => (
    // Lines have no ID: the position identifies them.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <ColouredLine key={at} line={line} speakers={speakers} />
  ));
}

function ColouredLine({ line, speakers }: { line: EditorLine; speakers: readonly Speaker[] }) {
  const speaker = line.speaker === null ? undefined : speakers[line.speaker];
  const hue = line.speaker === null || !speaker ? null : hueOf(line.speaker);
  const label = hue ? line.text.slice(0, line.labelLength) : "";
  return (
    <div
      className="relative pl-9 sm:pl-11"
      style={hue ? { boxShadow: `inset 3px 0 0 ${hue}` } : undefined}
      data-speaker={speaker?.name}
    >
      {hue && label ? (
        <span
          className="rounded-sm"
          style={{
            backgroundColor: `color-mix(in oklch, ${hue} 18%, transparent)`,
            boxShadow: `0 0 0 2px color-mix(in oklch, ${hue} 18%, transparent)`,
          }}
        >
          {label}
        </span>
      ) : null}
      {`${line.text.slice(label.length)}\u200b`}
    </div>
  );
}
