"use client";

import { XIcon } from "lucide-react";
import { type ChangeEvent, type KeyboardEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { findNameError } from "@/components/speech/script";
import type { Speaker } from "@/lib/client/speech-call";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { HueDot } from "./speaker-line";

interface SpeakerRowProps {
  index: number;
  speaker: Speaker;
  others: readonly Speaker[];
  isActive: boolean;
  canRemove: boolean;
  onActive(): void;
  onRename(name: string): void;
  onRemove(): void;
}

/** A new name is applied to the script on blur or Enter, only when it is valid; Escape discards it. */
function useNameField({ speaker, others, onRename }: SpeakerRowProps) {
  const [edited, setEdited] = useState<string | null>(null);
  const nameError = edited === null ? null : findNameError([...others, { ...speaker, name: edited }]);
  const control = {
    value: edited ?? speaker.name,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setEdited(event.currentTarget.value),
    onBlur: () => {
      const name = edited?.trim();
      if (name && nameError === null && name !== speaker.name) onRename(name);
      setEdited(null);
    },
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
      if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.currentTarget.blur();
      if (event.key === "Escape") {
        event.preventDefault();
        setEdited(null);
      }
    },
  };
  return { control, nameError };
}

/** One speaker: name and voice. */
export function SpeakerRow(props: SpeakerRowProps) {
  const { index, speaker, isActive, canRemove, onActive, onRemove } = props;
  const t = useTranslations("speech.speakers");
  const id = useId();
  const { control, nameError } = useNameField(props);

  return (
    <li>
      <div
        className={cn(
          "flex items-center gap-1 rounded-sm pl-3 transition-colors focus-within:bg-hover",
          isActive ? "bg-hover" : "hover:bg-hover",
        )}
      >
        <HueDot index={index} />
        <input
          aria-label={t("name", { number: index + 1 })}
          aria-invalid={nameError !== null || undefined}
          aria-describedby={nameError ? id : undefined}
          {...control}
          maxLength={64}
          spellCheck="false"
          onFocus={onActive}
          className="h-9 min-w-0 flex-1 bg-transparent px-2 font-medium outline-none aria-invalid:text-bad pointer-coarse:h-11"
        />
        <Button
          variant="ghost"
          size="sm"
          aria-pressed={isActive}
          aria-label={t("pick", { speaker: speaker.name, voice: speaker.voice })}
          className={cn("max-w-28 px-2 font-normal", isActive && "text-ink")}
          onClick={onActive}
        >
          <span translate="no" className="truncate">
            {speaker.voice}
          </span>
        </Button>
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label={t("remove", { speaker: speaker.name })}
          disabled={!canRemove}
          onClick={onRemove}
        >
          <XIcon />
        </Button>
      </div>
      {nameError ? (
        <p id={id} role="alert" className="px-3 pt-1 text-sm text-bad">
          {t(`error.${nameError}`)}
        </p>
      ) : null}
    </li>
  );
}
