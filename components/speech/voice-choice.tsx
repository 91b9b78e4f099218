"use client";

import { SearchIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { GatewayVoice } from "@/lib/client/gateway-models";
import { FailureNotice } from "../playground/failure-notice";
import { Button } from "../ui/button";
import { SegmentedControl } from "../ui/segmented-control";
import type { SpeechDraft } from "./speech-draft";
import type { useSample } from "./use-sample";
import { useVoiceStyle, VoiceList } from "./voice-list";

type Gender = "all" | GatewayVoice["gender"];
const GENDERS: readonly Gender[] = ["all", "female", "male", "neutral"];

/** The voices of the model, filtered by name, style or gender. */
export function VoiceChoice({
  voices,
  chosen,
  title,
  isClassic,
  draft,
  sampler,
  onChoose,
}: {
  voices: readonly GatewayVoice[];
  chosen: string;
  title: string | null;
  /** The voices are those of the built-in synthesisers. */
  isClassic: boolean;
  draft: SpeechDraft;
  sampler: ReturnType<typeof useSample>;
  onChoose(voice: string): void;
}) {
  const t = useTranslations("speech.voices");
  const styleOf = useVoiceStyle();
  const [query, setQuery] = useState("");
  const [gender, setGender] = useState<Gender>("all");
  const search = query.trim().toLocaleLowerCase();
  const shown = voices.filter(
    (one) =>
      (gender === "all" || one.gender === gender) &&
      `${one.name} ${one.description} ${styleOf(one)}`.toLocaleLowerCase().includes(search),
  );
  return (
    <>
      <div className="grid gap-2 border-b p-3">
        {title ? <p className="text-sm text-ink-muted">{title}</p> : null}
        {isClassic ? <p className="text-sm text-ink-muted">{t("classic")}</p> : null}
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
          className="flex [&>label]:px-1"
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
