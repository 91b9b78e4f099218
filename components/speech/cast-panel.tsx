"use client";

import { SearchIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { failureFrom } from "@/lib/client/gateway-error";
import type { GatewayVoice } from "@/lib/client/gateway-models";
import { FailureNotice } from "../playground/failure-notice";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Lamp } from "../ui/lamp";
import { SegmentedControl } from "../ui/segmented-control";
import { Skeleton } from "../ui/skeleton";
import { SpeakerList } from "./speaker-list";
import type { SpeechDraft } from "./speech-state";
import type { useSample } from "./use-sample";
import { useVoiceWord, VoiceList } from "./voice-list";

type Gender = "all" | GatewayVoice["gender"];
const GENDERS: readonly Gender[] = ["all", "female", "male", "neutral"];

/** The cast beside the text: the speakers of a script, and the voices to choose from. */
export function CastPanel({
  draft,
  voices,
  error,
  sampler,
  onReload,
  onChange,
}: {
  draft: SpeechDraft;
  /** Of the chosen model; null while they load. */
  voices: readonly GatewayVoice[] | null;
  error: unknown;
  sampler: ReturnType<typeof useSample>;
  onReload(): void;
  onChange(change: Partial<SpeechDraft>): void;
}) {
  const t = useTranslations("speech.cast");
  const [active, setActive] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const isScript = draft.mode === "script";
  const at = Math.min(active, draft.speakers.length - 1);
  const speaker = isScript ? draft.speakers[at] : undefined;
  const chosen = speaker ? speaker.voice : draft.voice;
  const failure = error && voices === null ? failureFrom(error) : null;

  const choose = (voice: string) => {
    if (!speaker) onChange({ voice });
    else onChange({ speakers: draft.speakers.map((one, index) => (index === at ? { ...one, voice } : one)) });
  };

  return (
    <section
      aria-labelledby="cast-title"
      className="flex min-h-0 min-w-0 flex-col rounded-md border bg-panel lg:max-h-[calc(100dvh-4rem)]"
    >
      <header className="flex min-h-12 items-center gap-2 border-b px-4 py-2">
        <h2 id="cast-title" className="text-base">
          {t("title")}
        </h2>
        {voices ? (
          <span className="tabular text-sm text-ink-faint">{t("count", { count: voices.length })}</span>
        ) : null}
        <Button
          variant="outline"
          size="sm"
          aria-expanded={isOpen}
          aria-controls="cast-voices"
          className="ml-auto lg:hidden"
          onClick={() => setOpen(!isOpen)}
        >
          <Lamp tone="signal" />
          <span translate="no">{chosen}</span>
          <span className="sr-only">{isOpen ? t("hide") : t("change")}</span>
        </Button>
      </header>
      {isScript ? (
        <SpeakerList
          draft={draft}
          active={at}
          onActive={(index) => {
            setActive(index);
            setOpen(true);
          }}
          onChange={onChange}
        />
      ) : null}
      <div id="cast-voices" className={cn("min-h-0 flex-col lg:flex", isOpen ? "flex" : "hidden")}>
        {failure ? (
          <div className="p-3">
            <FailureNotice failure={failure} onRetry={onReload} />
          </div>
        ) : voices === null ? (
          <Loading />
        ) : (
          <Choice
            voices={voices}
            chosen={chosen}
            title={speaker ? t("forSpeaker", { speaker: speaker.name }) : null}
            draft={draft}
            sampler={sampler}
            onChoose={choose}
          />
        )}
      </div>
    </section>
  );
}

function Choice({
  voices,
  chosen,
  title,
  draft,
  sampler,
  onChoose,
}: {
  voices: readonly GatewayVoice[];
  chosen: string;
  title: string | null;
  draft: SpeechDraft;
  sampler: ReturnType<typeof useSample>;
  onChoose(voice: string): void;
}) {
  const t = useTranslations("speech.cast");
  const word = useVoiceWord();
  const [query, setQuery] = useState("");
  const [gender, setGender] = useState<Gender>("all");
  const asked = query.trim().toLocaleLowerCase();
  const shown = voices.filter(
    (one) =>
      (gender === "all" || one.gender === gender) &&
      `${one.name} ${one.description} ${word(one)}`.toLocaleLowerCase().includes(asked),
  );
  return (
    <>
      <div className="grid gap-2 border-b p-3">
        {title ? <p className="text-sm text-ink-muted">{title}</p> : null}
        <label className="flex h-9 items-center gap-2 rounded-md border border-line-strong/60 px-2.5 focus-within:border-ink pointer-coarse:h-11">
          <SearchIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
          <input
            type="search"
            aria-label={t("search")}
            placeholder={t("searchPlaceholder")}
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
            className="min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-faint"
          />
        </label>
        <SegmentedControl<Gender>
          label={t("gender")}
          value={gender}
          onValueChange={setGender}
          segments={GENDERS.map((value) => ({ value, label: t(value) }))}
          className="flex [&>button]:px-1"
        />
      </div>
      <div className="max-h-96 min-h-0 overflow-y-auto overscroll-contain pb-2 lg:max-h-none">
        {sampler.failure ? (
          <div className="p-2">
            <FailureNotice failure={sampler.failure} />
          </div>
        ) : null}
        <VoiceList
          voices={shown}
          chosen={chosen}
          speakers={draft.mode === "script" ? draft.speakers : []}
          sample={sampler.sample}
          onChoose={onChoose}
          onSample={(voice) => void sampler.play(voice)}
          onStopSample={sampler.stop}
        />
        {shown.length === 0 ? (
          <div className="grid justify-items-center gap-3 p-6 text-center">
            <p className="text-ink-muted">{t("none")}</p>
            <Button
              variant="outline"
              size="sm"
              onClick={() => {
                setQuery("");
                setGender("all");
              }}
            >
              {t("reset")}
            </Button>
          </div>
        ) : null}
      </div>
    </>
  );
}

function Loading() {
  const t = useTranslations("speech.cast");
  return (
    <div role="status" aria-label={t("loading")} className="grid gap-3 p-4">
      {Array.from({ length: 12 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: places without content
        <Skeleton key={index} className="h-6" />
      ))}
    </div>
  );
}
