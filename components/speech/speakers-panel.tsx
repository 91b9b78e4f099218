"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { failureOfError } from "@/lib/client/gateway-error";
import { FailureNotice } from "../playground/failure-notice";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { lazyPart } from "../ui/lazy-part";
import { Skeleton } from "../ui/skeleton";
import { toggleCandidate } from "./candidates";
import type { SpeechDraft } from "./speech-draft";
import type { SpeechWorkspace } from "./use-speech-workspace";
import { VoiceChoice } from "./voice-choice";

// Loaded on demand: the page starts with one voice of a model that lists its voices.
const SpeakerList = lazyPart(() => import("./speaker-list").then((one) => one.SpeakerList));
const CandidateList = lazyPart(() => import("./candidate-list").then((one) => one.CandidateList));
const VoiceName = lazyPart(() => import("./voice-name").then((one) => one.VoiceName));

/** The voices that the list shows as chosen, for whom, and how to choose one. `at`: index of the active speaker. */
function useChosenVoice(draft: SpeechDraft, onChange: (change: Partial<SpeechDraft>) => void) {
  const t = useTranslations("speech.voices");
  const [active, setActive] = useState(0);
  const isScript = draft.mode === "script";
  const at = Math.min(active, draft.speakers.length - 1);
  const speaker = isScript ? draft.speakers[at] : undefined;
  const isMultiple = draft.mode === "several";
  const chosen = isMultiple
    ? draft.candidates.filter((one) => one.model === draft.model).map((one) => one.voice)
    : [speaker ? speaker.voice : draft.voice];
  const chosenText = isMultiple
    ? t("count", { count: draft.candidates.length })
    : chosen.find((one) => one !== "");

  const title = speaker
    ? t("forSpeaker", { speaker: speaker.name })
    : isMultiple
      ? t("ofModel", { model: draft.model })
      : null;

  const choose = (voice: string) => {
    if (isMultiple)
      onChange({ candidates: toggleCandidate(draft.candidates, { model: draft.model, voice }) });
    else if (!speaker) onChange({ voice });
    else onChange({ speakers: draft.speakers.map((one, index) => (index === at ? { ...one, voice } : one)) });
  };
  return { at, setActive, chosen, chosenText, title, choose };
}

interface SpeakersPanelProps {
  workspace: SpeechWorkspace;
  /** On narrow screens, where the list is collapsed. */
  isOpen: boolean;
  onOpen(isOpen: boolean): void;
}

/** The panel beside the text: the speakers of a script and the voices to choose from. */
export function SpeakersPanel(props: SpeakersPanelProps) {
  const { workspace, isOpen, onOpen } = props;
  const { draft, change } = workspace;
  const choice = useChosenVoice(draft, change);
  return (
    <section
      aria-labelledby="voices-title"
      className="flex min-h-0 min-w-0 flex-col rounded-md border bg-panel xl:max-h-[calc(100dvh-4rem)]"
    >
      <Heading {...props} chosenText={choice.chosenText} />
      {draft.mode === "script" ? (
        <SpeakerList
          draft={draft}
          active={choice.at}
          onActive={(index) => {
            choice.setActive(index);
            onOpen(true);
          }}
          onChange={change}
        />
      ) : null}
      {draft.mode === "several" ? (
        <CandidateList candidates={draft.candidates} onChange={(candidates) => change({ candidates })} />
      ) : null}
      <div id="voices-list" className={cn("min-h-0 flex-col xl:flex", isOpen ? "flex" : "hidden")}>
        <Voices workspace={workspace} choice={choice} />
      </div>
    </section>
  );
}

/** The voices of the model, a field for the name where it lists none, or why they are not known. */
function Voices({
  workspace: { draft, model, isVoiceMissing, favourites, sampler, voices: list },
  choice: { chosen, chosenText, title, choose },
}: {
  workspace: SpeechWorkspace;
  choice: ReturnType<typeof useChosenVoice>;
}) {
  const { voices, error } = list;
  const isMultiple = draft.mode === "several";
  if (voices === null) {
    const failure = error ? failureOfError(error) : null;
    if (failure === null) return <LoadingVoices />;
    return (
      <div className="p-3">
        <FailureNotice failure={failure} onRetry={list.reload} />
      </div>
    );
  }
  if (voices.length === 0)
    return (
      <VoiceName
        chosen={chosen}
        title={title}
        isMultiple={isMultiple}
        isMissing={isVoiceMissing && chosenText === undefined}
        onChoose={choose}
      />
    );
  return (
    <VoiceChoice
      // Resets the filters when the model changes: they may hide all voices of another model.
      key={draft.model}
      voices={voices}
      ownFamilies={model?.ownFamilies ?? []}
      chosen={chosen}
      isMultiple={isMultiple}
      title={title}
      isClassic={model?.isClassic ?? false}
      speakers={draft.mode === "script" ? draft.speakers : []}
      favourites={favourites}
      sampler={sampler}
      onChoose={choose}
    />
  );
}

/** The title, and on narrow screens the button that opens the list. */
function Heading({
  workspace,
  isOpen,
  onOpen,
  chosenText,
}: SpeakersPanelProps & { chosenText: string | undefined }) {
  const t = useTranslations("speech.voices");
  const { voices } = workspace.voices;
  return (
    <header
      className={cn(
        "flex min-h-12 items-center gap-2 px-4 py-2 xl:border-b",
        (isOpen || workspace.draft.mode !== "single") && "border-b",
      )}
    >
      <h2 id="voices-title" className="text-base">
        {t("title")}
      </h2>
      {voices && voices.length > 0 ? (
        <span className="tabular text-sm text-ink-faint">{voices.length}</span>
      ) : null}
      <Button
        variant="outline"
        size="sm"
        aria-expanded={isOpen}
        aria-controls="voices-list"
        className="ml-auto xl:hidden"
        onClick={() => onOpen(!isOpen)}
      >
        <StatusDot tone="signal" />
        {chosenText === undefined ? t("one") : <span translate="no">{chosenText}</span>}
        <span className="sr-only">{isOpen ? t("hide") : t("change")}</span>
      </Button>
    </header>
  );
}

function LoadingVoices() {
  const t = useTranslations("speech.voices");
  return (
    <div role="status" aria-label={t("loading")} className="grid gap-3 p-4">
      {Array.from({ length: 12 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders without content
        <Skeleton key={index} className="h-6" />
      ))}
    </div>
  );
}
