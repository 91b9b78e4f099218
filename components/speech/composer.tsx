"use client";

import { ChevronDownIcon, PlayIcon, SquareIcon, XIcon } from "lucide-react";
import { useId, useMemo } from "react";
import { useTranslations } from "use-intl";
import { type EditorLine, findNames, readScript } from "@/components/speech/script";
import type { Speaker } from "@/lib/client/speech-call";
import { useRunButton } from "../playground/use-run-button";
import { Button } from "../ui/button";
import { ChoicesButton } from "../ui/choices-button";
import { cn } from "../ui/class-names";
import { Kbd } from "../ui/kbd";
import { SegmentedControl } from "../ui/segmented-control";
import { MIN_CANDIDATES } from "./candidates";
import { ComposerSettings } from "./composer-settings";
import { assignVoices, hueOf, type SpeechDraft } from "./speech-draft";
import { isTooLong, TextFacts } from "./text-facts";
import type { SpeechWorkspace } from "./use-speech-workspace";

/** The text, its settings and the button that sends it. */
export function Composer({ workspace, onVoices }: { workspace: SpeechWorkspace; onVoices(): void }) {
  const t = useTranslations("speech");
  const { draft, calls, models, change } = workspace;
  const factsId = useId();
  const isLong = calls.some((one) => isTooLong(one.call, one.model));
  const isSeveral = draft.mode === "several";
  const lacksVoices = isSeveral && draft.candidates.length < MIN_CANDIDATES;
  const [first, ...others] = calls;

  return (
    <>
      <ComposerBar draft={draft} onChange={change} />
      <TextEditor
        text={draft.text}
        speakers={draft.mode === "script" ? draft.speakers : null}
        describedBy={factsId}
        isInvalid={isLong}
        onChange={(text) => change({ text })}
      />
      <div className="grid gap-4 border-t px-5 py-4 sm:px-6">
        <ComposerSettings
          draft={draft}
          models={models}
          onModel={workspace.chooseModel}
          onVoices={onVoices}
          onChange={change}
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
            workspace={workspace}
            isDisabled={draft.text.trim() === "" || isLong || lacksVoices}
            action={isSeveral ? t("comparison.run") : t("speak")}
          />
        </div>
      </div>
    </>
  );
}

function SpeakButton({
  workspace: { isRunning, speak, stop },
  isDisabled,
  action,
}: {
  workspace: SpeechWorkspace;
  isDisabled: boolean;
  action: string;
}) {
  const t = useTranslations("speech");
  const handlers = useRunButton({ isRunning, start: speak, stop });
  return isRunning ? (
    <Button variant="outline" size="lg" className="w-full sm:w-auto sm:min-w-40" {...handlers}>
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
      {...handlers}
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

const EXAMPLES = ["greeting", "dialogue", "numbers", "languages"] as const;

/** What changes with the mode: a script finds its speakers in the text, a comparison starts with the chosen voice. */
function inMode(draft: SpeechDraft, mode: SpeechDraft["mode"]): Partial<SpeechDraft> {
  const { text, speakers, candidates, model, voice } = draft;
  const names = findNames(text);
  const hasSpeakers = names.some((name) => speakers.some((one) => one.name === name));
  if (mode === "script" && names.length > 0 && !hasSpeakers)
    return { mode, speakers: assignVoices(names, []) };
  if (mode === "several" && candidates.length === 0 && voice !== "")
    return { mode, candidates: [{ model, voice }] };
  return { mode };
}

function ComposerBar({
  draft,
  onChange,
}: {
  draft: SpeechDraft;
  onChange(change: Partial<SpeechDraft>): void;
}) {
  const t = useTranslations("speech");
  const applyExample = (example: (typeof EXAMPLES)[number]) => {
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
        onValueChange={(mode) => onChange(inMode(draft, mode))}
        segments={[
          { value: "single", label: t("mode.single") },
          { value: "several", label: t("mode.several") },
          { value: "script", label: t("mode.script") },
        ]}
      />
      <div className="flex items-center gap-1">
        <ChoicesButton
          button={{
            variant: "ghost",
            size: "sm",
            children: (
              <>
                {t("examples.label")}
                <ChevronDownIcon aria-hidden="true" />
              </>
            ),
          }}
          choices={EXAMPLES.map((id) => ({ id, label: t(`examples.${id}`) }))}
          onPick={applyExample}
        />
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
