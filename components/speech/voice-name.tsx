"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isComposing } from "@/lib/client/is-composing";
import { OPENAI_VOICE_NAMES } from "@/lib/client/speech-call";
import { Field } from "../forms/field";
import { Button } from "../ui/button";
import { Input } from "../ui/input";

interface VoiceNameProps {
  /** Names of the chosen voices. */
  chosen: readonly string[];
  title: string | null;
  /** Any number of voices may be chosen; the entered name is added with a button. */
  isMultiple: boolean;
  /** The user pressed Speak without a voice name. */
  isMissing: boolean;
  /** A name was entered or chosen or, if `isMultiple` and the name was already chosen, deselected. */
  onChoose(voice: string): void;
}

/** Text field for the voice of a model whose channel lists no voices, with OpenAI's names as suggestions. */
export function VoiceName({ chosen, title, isMultiple, isMissing, onChoose }: VoiceNameProps) {
  const t = useTranslations("speech.voices");
  const input = useRef<HTMLInputElement>(null);
  const [entered, setEntered] = useState("");
  const add = () => {
    const name = entered.trim();
    if (name !== "" && !chosen.includes(name)) onChoose(name);
    setEntered("");
  };
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
          <div className="flex gap-2">
            <Input
              {...control}
              ref={input}
              value={isMultiple ? entered : (chosen[0] ?? "")}
              onChange={({ currentTarget: { value } }) => (isMultiple ? setEntered(value) : onChoose(value))}
              onKeyDown={(event) => {
                if (isMultiple && event.key === "Enter" && !isComposing(event.nativeEvent)) add();
              }}
              placeholder={t("nameExample")}
              maxLength={128}
              autoComplete="off"
              spellCheck={false}
              className="min-w-0 font-mono"
            />
            {isMultiple ? (
              <Button variant="outline" disabled={entered.trim() === ""} onClick={add}>
                {t("add")}
              </Button>
            ) : null}
          </div>
        )}
      </Field>
      <OpenaiNames chosen={chosen} onChoose={onChoose} />
    </div>
  );
}

/** OpenAI's names, most of which other servers know. */
function OpenaiNames({ chosen, onChoose }: Pick<VoiceNameProps, "chosen" | "onChoose">) {
  const t = useTranslations("speech.voices");
  return (
    <section aria-label={t("openaiNames")} className="grid gap-2">
      <p className="text-sm text-ink-muted">{t("openaiNames")}</p>
      <div translate="no" className="flex flex-wrap gap-1.5">
        {OPENAI_VOICE_NAMES.map((name) => (
          <Button
            key={name}
            variant="outline"
            size="sm"
            aria-pressed={chosen.includes(name)}
            className="px-2 font-mono font-normal aria-pressed:border-signal aria-pressed:bg-signal-soft"
            onClick={() => onChoose(name)}
          >
            {name}
          </Button>
        ))}
      </div>
    </section>
  );
}
