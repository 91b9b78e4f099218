"use client";

import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import type { SpeechCall } from "@/lib/client/speech-call";
import { Field } from "../forms/field";
import { cn } from "../ui/class-names";
import { Input } from "../ui/input";
import { hueOf } from "./speech-draft";

/** Text field for the voice of a model whose channel lists no voices. */
export function VoiceName({
  chosen,
  title,
  isMissing,
  onChoose,
}: {
  chosen: string;
  title: string | null;
  /** The user pressed Speak without a voice name. */
  isMissing: boolean;
  onChoose(voice: string): void;
}) {
  const t = useTranslations("speech.voices");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isMissing) input.current?.focus();
  }, [isMissing]);
  return (
    <div className="grid gap-3 p-4">
      {title ? <p className="text-sm text-ink-muted">{title}</p> : null}
      <Field
        label={t("name")}
        hint={t("nameHint")}
        error={isMissing ? t("nameMissing") : undefined}
        isRequired
      >
        {(control) => (
          <Input
            {...control}
            ref={input}
            value={chosen}
            onChange={(event) => onChoose(event.currentTarget.value)}
            placeholder={t("nameExample")}
            maxLength={128}
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
    </div>
  );
}

/** A dot in a speaker's colour, beside the name. */
export function HueDot({ index, className }: { index: number; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cn("inline-block size-2 shrink-0 rounded-full", className)}
      style={{ backgroundColor: hueOf(index) }}
    />
  );
}

/** The voice of a call on one line, or each speaker with colour and voice. */
export function SpeakerLine({ call }: { call: SpeechCall }) {
  if (call.voices.kind === "single") {
    return (
      <span translate="no">
        {[call.voices.voice, call.speed === 1 ? null : `${call.speed}×`].filter(Boolean).join(" · ")}
      </span>
    );
  }
  return call.voices.speakers.map((one, index) => (
    <span key={one.name} className="inline-flex min-w-0 items-center gap-1.5">
      <HueDot index={index} />
      <span translate="no" className="truncate">
        {one.name} · {one.voice}
      </span>
    </span>
  ));
}
