"use client";

import { PlusIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { findNames, freeName, isSameName, renameSpeaker } from "@/components/speech/script";
import { MAX_SPEAKERS } from "@/lib/client/speech-call";
import { Button } from "../ui/button";
import { SpeakerRow } from "./speaker-row";
import { assignVoices, freeVoice, type SpeechDraft } from "./speech-draft";

interface SpeakerListProps {
  draft: SpeechDraft;
  active: number;
  onActive(index: number): void;
  onChange(change: Partial<SpeechDraft>): void;
}

/** The changes of the speakers, each with what it changes in the text. */
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
  const names = findNames(text);
  const isComplete = names.every((name) => speakers.some((one) => isSameName(one.name, name)));

  return (
    <section aria-label={t("title")} className="grid grid-cols-1 gap-2 border-b p-3">
      <ul className="grid grid-cols-1 gap-1">
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
            onRemove={() => remove(index)}
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
