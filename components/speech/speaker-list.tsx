"use client";

import { PlusIcon, XIcon } from "lucide-react";
import { type ChangeEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslations } from "use-intl";
import { findNameError, findNames, freeName, renameSpeaker } from "@/components/speech/script";
import { isComposing } from "@/lib/client/is-composing";
import { MAX_SPEAKERS, type Speaker } from "@/lib/client/speech-call";
import { isSameName } from "@/lib/contracts/gateway/speech-script";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { HueDot } from "./speaker-line";
import { assignVoices, freeVoice, type SpeechDraft } from "./speech-draft";

interface SpeakerListProps {
  draft: SpeechDraft;
  active: number;
  onActive(index: number): void;
  onChange(change: Partial<SpeechDraft>): void;
}

/** Changes of the speakers; each also makes the matching change to the text. */
function useSpeakerChanges({ draft: { speakers, text }, active, onActive, onChange }: SpeakerListProps) {
  const t = useTranslations("speech.speakers");
  return {
    rename: (index: number, name: string) =>
      onChange({
        speakers: speakers.map((one, at) => (at === index ? { ...one, name } : one)),
        text: renameSpeaker(text, speakers[index]?.name ?? "", name),
      }),
    remove: (index: number) => {
      onChange({ speakers: speakers.filter((_, at) => at !== index) });
      onActive(Math.max(0, active >= index ? active - 1 : active));
    },
    add: () => {
      const name = freeName(t("base"), speakers);
      const line = `${text === "" || text.endsWith("\n") ? "" : "\n"}${name}: `;
      onChange({ speakers: [...speakers, { name, voice: freeVoice(speakers) }], text: text + line });
      onActive(speakers.length);
    },
    takeFromText: (names: readonly string[]) => {
      onChange({ speakers: assignVoices(names, speakers) });
      onActive(0);
    },
  };
}

/** The speakers of a script, each with a colour, a name and a voice; the voice list applies to the active one. */
export function SpeakerList(props: SpeakerListProps) {
  const t = useTranslations("speech.speakers");
  const { draft, active, onActive } = props;
  const { speakers, text } = draft;
  const { rename, remove, add, takeFromText } = useSpeakerChanges(props);
  const rows = useRef<HTMLUListElement>(null);
  const removeRow = (index: number) => {
    flushSync(() => remove(index));
    // This row now shows the next speaker: the focus moves to the voice, so that a second Enter does not remove them.
    const row = rows.current?.children[index] ?? rows.current?.lastElementChild;
    row?.querySelector("button")?.focus();
  };
  const names = findNames(text);
  const isComplete = names.every((name) => speakers.some((one) => isSameName(one.name, name)));

  return (
    <section aria-label={t("title")} className="grid grid-cols-1 gap-2 border-b p-3">
      <ul ref={rows} className="grid grid-cols-1 gap-1">
        {speakers.map((speaker, index) => (
          <SpeakerRow
            // A name changes while it is edited; the index does not.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={index}
            index={index}
            speaker={speaker}
            others={speakers.filter((_, at) => at !== index)}
            isActive={index === active}
            canRemove={speakers.length > 1}
            onActive={() => onActive(index)}
            onRename={(name) => rename(index, name)}
            onRemove={() => removeRow(index)}
          />
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {speakers.length < MAX_SPEAKERS ? (
          <Button variant="outline" size="sm" onClick={add}>
            <PlusIcon aria-hidden="true" />
            {t("add")}
          </Button>
        ) : (
          <p className="text-sm text-ink-muted">{t("most", { count: MAX_SPEAKERS })}</p>
        )}
        {isComplete ? null : (
          <Button variant="outline" size="sm" onClick={() => takeFromText(names)}>
            {t("fromText")}
          </Button>
        )}
      </div>
      <p className="text-sm text-ink-muted">{t("hint")}</p>
    </section>
  );
}

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
      if (isComposing(event.nativeEvent)) return;
      if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.currentTarget.blur();
      if (event.key === "Escape") {
        event.preventDefault();
        setEdited(null);
      }
    },
  };
  return { control, nameError };
}

function SpeakerRow(props: SpeakerRowProps) {
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
