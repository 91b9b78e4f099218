"use client";

import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { type EditorLine, readScript } from "@/components/speech/script";
import type { Speaker } from "@/lib/client/speech-call";
import { cn } from "../ui/class-names";
import { hueOf } from "./speech-draft";

/** Shared by the field and the coloured copy behind it, so that the colours line up with the text. */
const TYPE = "whitespace-pre-wrap break-words px-5 py-4 text-lg leading-7 sm:px-6 sm:text-xl sm:leading-9";
const SCRIPT_TYPE = "whitespace-pre-wrap break-words py-4 pr-5 pl-9 text-lg leading-8 sm:pr-6 sm:pl-11";

/**
 * The text to speak. An invisible copy of it behind the field sets the field's height and, for a script, marks each
 * line with its speaker's colour.
 */
export function TextEditor({
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
  const type = speakers ? SCRIPT_TYPE : TYPE;
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
