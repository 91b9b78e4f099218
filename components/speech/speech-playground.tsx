"use client";

import { AudioLinesIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { writeSpeechLink } from "@/components/speech/link";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { useAmounts } from "../charts/use-amounts";
import { CodePlaceholder } from "../playground/code-frame";
import { ShareButton } from "../playground/share-button";
import { PageHeader } from "../shell/page-header";
import { DeferUntilVisible } from "../ui/defer-until-visible";
import { Composer } from "./composer";
import { HistoryList } from "./history-list";
import { Player } from "./player";
import { SpeakersPanel } from "./speakers-panel";
import type { Trial } from "./use-comparison";
import type { Recording } from "./use-recorder";
import { useSpeechWorkspace } from "./use-speech-workspace";

// Loaded on demand: almost every user may use a model.
const EmptyState = dynamic(() => import("../ui/empty-state").then((one) => one.EmptyState));

/** The speech playground, or an empty state where the user may use no model. */
export function SpeechPlayground({ userId, models }: { userId: string; models: readonly GatewayModel[] }) {
  const t = useTranslations("speech");
  const missing = useTranslations("playground.noModel");
  const [initialModel] = models;
  if (initialModel) return <SpeechWorkspace userId={userId} models={models} initialModel={initialModel} />;
  return (
    <>
      <PageHeader title={t("title")} description={t("lead")} />
      <EmptyState icon={<AudioLinesIcon />} title={missing("title")}>
        {missing("text")}
      </EmptyState>
    </>
  );
}

/** The state of the newest call, for screen-reader users. */
function RecordingStatus({ recording }: { recording: Recording }) {
  const t = useTranslations("speech.status");
  const show = useAmounts();
  const text = () => {
    switch (recording.kind) {
      case "idle":
        return "";
      case "silent":
        return t("silent");
      case "calling":
        return t("calling");
      case "arriving":
        return t("arriving", { time: show.ms(recording.firstAudioMs) });
      case "done":
        return t(recording.take.state === "complete" ? "ready" : "stopped", {
          duration: show.ms(recording.take.durationMs),
        });
      case "failed":
        return t("failed");
    }
  };
  return (
    <p role="status" className="sr-only">
      {text()}
    </p>
  );
}

/** The progress of a comparison, for screen-reader users. */
function ComparisonStatus({ trials }: { trials: readonly Trial[] }) {
  const t = useTranslations("speech.comparison");
  const done = trials.filter((one) => ["done", "failed", "stopped"].includes(one.kind)).length;
  return (
    <p role="status" className="sr-only">
      {trials.length === 0 ? "" : t("progress", { done, count: trials.length })}
    </p>
  );
}

const SpeechCode = dynamic(() => import("./speech-code"), {
  ssr: false,
  loading: () => <CodePlaceholder />,
});
const ComparisonGrid = dynamic(() => import("./comparison-grid").then((one) => one.ComparisonGrid), {
  ssr: false,
});
const Compare = dynamic(() => import("./compare").then((one) => one.Compare), { ssr: false });

type Workspace = ReturnType<typeof useSpeechWorkspace>;

/** Text and player in one box, the speakers beside it, the history and the code below. */
function SpeechWorkspace({
  userId,
  models,
  initialModel,
}: {
  userId: string;
  models: readonly GatewayModel[];
  initialModel: GatewayModel;
}) {
  const t = useTranslations("speech");
  const workspace = useSpeechWorkspace(userId, models, initialModel);
  const { draft, call, change, recorder, comparison, voices, isVoiceMissing } = workspace;
  const isSeveral = draft.mode === "several";
  const [areVoicesOpen, setVoicesOpen] = useState(false);
  const speakersPanel = useRef<HTMLDivElement>(null);
  const openVoices = () => {
    setVoicesOpen(true);
    speakersPanel.current?.scrollIntoView({ block: "start" });
  };

  return (
    <>
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={<ShareButton fragment={() => writeSpeechLink(call, isSeveral ? draft.candidates : [])} />}
      />
      {/* biome-ignore lint/a11y/useMediaCaption: the text is on the page */}
      <audio ref={workspace.setAudio} className="hidden" />
      {isSeveral ? (
        <ComparisonStatus trials={comparison.trials} />
      ) : (
        <RecordingStatus recording={recorder.recording} />
      )}
      <div className="grid max-w-page items-start gap-x-6 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr]">
        <div className="grid min-w-0 gap-4">
          <SpeechBox workspace={workspace} models={models} onVoices={openVoices} />
        </div>
        <div ref={speakersPanel} className="min-w-0 scroll-mt-18 lg:sticky lg:top-8 lg:row-span-2">
          <SpeakersPanel
            draft={draft}
            voices={voices.voices}
            model={models.find((one) => one.name === draft.model) ?? null}
            error={voices.error}
            favourites={workspace.favourites}
            sampler={workspace.sampler}
            isVoiceMissing={isVoiceMissing}
            isOpen={areVoicesOpen || isVoiceMissing}
            onOpen={setVoicesOpen}
            onReload={voices.reload}
            onChange={change}
          />
        </div>
        <Takes workspace={workspace} models={models} />
      </div>
    </>
  );
}

/** The text with its settings, the player, and the voices of a comparison. */
function SpeechBox({
  workspace,
  models,
  onVoices,
}: {
  workspace: Workspace;
  models: readonly GatewayModel[];
  onVoices(): void;
}) {
  const t = useTranslations("speech");
  const { draft, player, state, takes, recorder } = workspace;
  const { recording } = recorder;
  const isSeveral = draft.mode === "several";
  const { current } = takes;
  const isNewest = recording.kind === "done" && recording.take.id === current?.id;
  return (
    <section aria-label={t("text.label")} className="min-w-0 overflow-hidden rounded-md border bg-panel">
      <Composer
        draft={draft}
        calls={workspace.calls}
        models={models}
        isRunning={workspace.isRunning}
        onModel={workspace.chooseModel}
        onVoices={onVoices}
        onChange={workspace.change}
        onSpeak={workspace.speak}
        onStop={workspace.stop}
      />
      {isSeveral && state.phase === "empty" ? null : (
        <Player
          player={player}
          state={state}
          audio={workspace.audio}
          take={current}
          isCalling={recording.kind === "calling"}
          stopped={recording.kind === "silent" ? recording : null}
          failure={recording.kind === "failed" && !isSeveral ? recording.failure : null}
          onRetry={workspace.speak}
          meter={recorder.meter}
          expectedSeconds={workspace.expectedSeconds}
          ignored={isNewest ? recorder.ignored : null}
          models={models}
        />
      )}
      {isSeveral ? <Trials workspace={workspace} models={models} /> : null}
    </section>
  );
}

/** The voices of a comparison. */
function Trials({ workspace, models }: { workspace: Workspace; models: readonly GatewayModel[] }) {
  const t = useTranslations("speech");
  const { comparison, takes, player, state } = workspace;
  return (
    <section aria-label={t("comparison.title")} className="border-t bg-ground/60 px-5 py-5 sm:px-6">
      {comparison.trials.length === 0 ? (
        <p className="mx-auto max-w-prose py-6 text-center text-ink-muted">{t("comparison.empty")}</p>
      ) : (
        <ComparisonGrid
          trials={comparison.trials}
          models={models}
          current={takes.current}
          player={player}
          state={state}
          onPlay={takes.play}
          onRetry={comparison.retry}
        />
      )}
    </section>
  );
}

/** Two takes side by side, the history and the code. */
function Takes({ workspace, models }: { workspace: Workspace; models: readonly GatewayModel[] }) {
  const { takes, player, state, call } = workspace;
  const { current, marked } = takes;
  const [a, b] = marked.map((id) => takes.takes?.find((one) => one.id === id));
  return (
    <div className="grid min-w-0 gap-8">
      {marked.length > 0 ? (
        <Compare
          takes={a && b ? [a, b] : null}
          current={current}
          player={player}
          state={state}
          models={models}
          isLocked={workspace.isRunning}
          onSwitch={takes.swap}
          onClose={takes.unmark}
        />
      ) : null}
      <HistoryList
        takes={takes.takes}
        isStored={takes.isStored}
        current={current}
        marked={marked}
        player={player}
        state={state}
        isLocked={workspace.isRunning}
        onPlay={takes.play}
        onMark={takes.mark}
        onReuse={workspace.reuse}
        onDelete={takes.remove}
        onClear={takes.clear}
      />
      <DeferUntilVisible fallback={<CodePlaceholder />}>
        <SpeechCode call={call} />
      </DeferUntilVisible>
    </div>
  );
}
