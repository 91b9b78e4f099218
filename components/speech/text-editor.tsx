"use client";

import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { readScript, type ScriptLine } from "@/components/speech/script";
import type { Speaker } from "@/lib/client/speech-call";
import { cn } from "../ui/class-names";
import { hueOf } from "./speech-state";

/** Fields and picture share every measure, or the colours would stand beside their words. */
const TYPE = "whitespace-pre-wrap break-words px-5 py-4 text-lg leading-7 sm:px-6 sm:text-xl sm:leading-9";
const SCRIPT_TYPE = "whitespace-pre-wrap break-words py-4 pr-5 pl-9 text-lg leading-8 sm:pr-6 sm:pl-11";

/**
 * The words to speak. Behind the field lies a picture of the same text that gives it its height and, for a script,
 * marks each line with its speaker's colour.
 */
export function TextEditor({
  text,
  speakers,
  describedBy,
  isInvalid,
  onChange,
}: {
  text: string;
  /** Null: one voice speaks everything. */
  speakers: readonly Speaker[] | null;
  describedBy: string;
  isInvalid: boolean;
  onChange(text: string): void;
}) {
  const t = useTranslations("speech.text");
  const type = speakers ? SCRIPT_TYPE : TYPE;
  const placeholder = speakers ? t("scriptPlaceholder") : t("placeholder");
  return (
    <div className="max-h-[42dvh] min-h-52 overflow-y-auto overscroll-contain sm:min-h-64">
      <div className="relative grid min-h-52 sm:min-h-64">
        <div
          aria-hidden="true"
          className={cn(type, "pointer-events-none select-none text-transparent", speakers && "pl-0 sm:pl-0")}
        >
          {speakers ? <ScriptPicture text={text} speakers={speakers} /> : `${text}\n`}
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

function ScriptPicture({ text, speakers }: { text: string; speakers: readonly Speaker[] }) {
  const lines = useMemo(() => readScript(text, speakers), [text, speakers]);
  return lines.map((line, at) => (
    // Lines have no name of their own: their place is what they are.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <ScriptPictureLine key={at} line={line} hue={hueOfLine(line, speakers)} />
  ));
}

function hueOfLine(line: ScriptLine, speakers: readonly Speaker[]): string | null {
  const index = speakers.findIndex((one) => one.name === line.speaker);
  return index < 0 ? null : hueOf(index);
}

function ScriptPictureLine({ line, hue }: { line: ScriptLine; hue: string | null }) {
  const label = line.text.slice(0, line.labelLength);
  const name = label.trimEnd();
  return (
    <div
      className="relative pl-9 sm:pl-11"
      style={hue ? { boxShadow: `inset 3px 0 0 ${hue}` } : undefined}
      data-speaker={line.speaker ?? undefined}
    >
      {hue && name ? (
        <span
          className="rounded-sm"
          style={{
            backgroundColor: `color-mix(in oklch, ${hue} 18%, transparent)`,
            boxShadow: `0 0 0 2px color-mix(in oklch, ${hue} 18%, transparent)`,
          }}
        >
          {name}
        </span>
      ) : null}
      {`${line.text.slice(hue ? name.length : 0)}\u200b`}
    </div>
  );
}
