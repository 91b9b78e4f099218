"use client";

import { AudioLinesIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { writeSpeechLink } from "@/components/speech/link";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { loadPart } from "@/lib/client/load-part";
import type { Role } from "@/lib/contracts/console/user";
import { useAmounts } from "../charts/use-amounts";
import { CodePlaceholder } from "../playground/code-frame";
import { ShareButton } from "../playground/share-button";
import { PageHeader } from "../shell/page-header";
import { DeferUntilVisible } from "../ui/defer-until-visible";
import { lazyPart } from "../ui/lazy-part";
import { Composer } from "./composer";
import { HistoryList } from "./history-list";
import { Player } from "./player";
import { SpeakersPanel } from "./speakers-panel";
import type { Trial } from "./use-comparison";
import type { Recording } from "./use-recorder";
import { type SpeechWorkspace, useSpeechWorkspace } from "./use-speech-workspace";

// Loaded on demand: almost every user may use a model.
const NoModel = dynamic(() => loadPart(() => import("../playground/no-model").then((one) => one.NoModel)));

interface PageProps {
  userId: string;
  models: readonly GatewayModel[];
}

/** The speech playground, or an empty state where the user may use no model. */
export function SpeechPlayground({ role, ...props }: PageProps & { role: Role }) {
  const t = useTranslations("speech");
  const [initialModel] = props.models;
  if (initialModel) return <Page {...props} initialModel={initialModel} />;
  return (
    <>
      <PageHeader title={t("title")} description={t("lead")} />
      <NoModel role={role} icon={<AudioLinesIcon />} />
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

const SpeechCode = lazyPart(
  () => import("./speech-code"),
  () => <CodePlaceholder />,
);
const ComparisonGrid = lazyPart(() => import("./comparison-grid").then((one) => one.ComparisonGrid));
const Compare = lazyPart(() => import("./compare").then((one) => one.Compare));

/** Text and player in one box, the speakers beside it, the history and the code below. */
function Page({ userId, models, initialModel }: PageProps & { initialModel: GatewayModel }) {
  const t = useTranslations("speech");
  const workspace = useSpeechWorkspace(userId, models, initialModel);
  const { draft, call, recorder, comparison, isVoiceMissing } = workspace;
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
      <div className="grid max-w-page items-start gap-x-6 gap-y-8 xl:grid-cols-[minmax(0,1fr)_20rem] xl:grid-rows-[auto_1fr]">
        <div className="grid min-w-0 gap-4">
          <SpeechBox workspace={workspace} onVoices={openVoices} />
        </div>
        <div ref={speakersPanel} className="min-w-0 scroll-mt-2 xl:sticky xl:top-8 xl:row-span-2">
          <SpeakersPanel
            workspace={workspace}
            isOpen={areVoicesOpen || isVoiceMissing}
            onOpen={setVoicesOpen}
          />
        </div>
        <Takes workspace={workspace} />
      </div>
    </>
  );
}

/** The text with its settings, the player, and the voices of a comparison. */
function SpeechBox({ workspace, onVoices }: { workspace: SpeechWorkspace; onVoices(): void }) {
  const t = useTranslations("speech");
  const isSeveral = workspace.draft.mode === "several";
  return (
    <section aria-label={t("text.label")} className="min-w-0 overflow-hidden rounded-md border bg-panel">
      <Composer workspace={workspace} onVoices={onVoices} />
      {isSeveral && workspace.state.phase === "empty" ? null : <Player workspace={workspace} />}
      {isSeveral ? (
        <section aria-label={t("comparison.title")} className="border-t bg-ground/60 px-5 py-5 sm:px-6">
          {workspace.comparison.trials.length === 0 ? (
            <p className="mx-auto max-w-prose py-6 text-center text-ink-muted">{t("comparison.empty")}</p>
          ) : (
            <ComparisonGrid workspace={workspace} />
          )}
        </section>
      ) : null}
    </section>
  );
}

/** Two takes side by side, the history and the code. */
function Takes({ workspace }: { workspace: SpeechWorkspace }) {
  const { takes, marked } = workspace.takes;
  const [a, b] = marked.map((id) => takes?.find((one) => one.id === id));
  return (
    <div className="grid min-w-0 gap-8">
      {marked.length > 0 ? <Compare workspace={workspace} takes={a && b ? [a, b] : null} /> : null}
      <HistoryList workspace={workspace} />
      <DeferUntilVisible fallback={<CodePlaceholder />}>
        <SpeechCode call={workspace.call} />
      </DeferUntilVisible>
    </div>
  );
}
