"use client";

import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Field } from "../forms/field";
import { Input } from "../ui/input";

/** The voice of a model whose voices nobody has told: written by the name its provider gives it. */
export function VoiceName({
  chosen,
  title,
  isMissing,
  onChoose,
}: {
  chosen: string;
  title: string | null;
  /** Somebody wanted to hear it without one. */
  isMissing: boolean;
  onChoose(voice: string): void;
}) {
  const t = useTranslations("speech.cast");
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
