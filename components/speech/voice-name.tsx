"use client";

import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Field } from "../forms/field";
import { Input } from "../ui/input";

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
