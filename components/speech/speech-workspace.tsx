"use client";

import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { writeSpeechLink } from "@/components/speech/link";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { CodePlace } from "../playground/code-frame";
import { FailureNotice } from "../playground/failure-notice";
import { ShareButton } from "../playground/share-button";
import { PageHeader } from "../shell/page-header";
import { DeferUntilVisible } from "../ui/defer-until-visible";
import { Composer } from "./composer";
import { Tape } from "./history-list";
import { Deck } from "./player";
import { RecordingStatus } from "./recording-status";
import { CastPanel } from "./speakers-panel";
import { useSpeechBench } from "./use-speech-workspace";

const SpeechCode = dynamic(() => import("./speech-code"), {
  ssr: false,
  loading: () => <CodePlace />,
});
const Compare = dynamic(() => import("./compare").then((one) => one.Compare), { ssr: false });

/** Text and take in one instrument, the cast beside it, the tape and the code below. */
export function SpeechBench({
  userId,
  models,
  first,
}: {
  userId: string;
  models: readonly GatewayModel[];
  first: GatewayModel;
}) {
  const t = useTranslations("speech");
  const bench = useSpeechBench(userId, models, first);
  const [isCastOpen, setCastOpen] = useState(false);
  const cast = useRef<HTMLDivElement>(null);
  const { draft, call, change, player, state, current, recording, isRunning, tape, marked } = bench;
  const [a, b] = marked.map((id) => tape.takes?.find((one) => one.id === id));
  const isNewest = recording.kind === "done" && recording.take.id === current?.id;

  return (
    <>
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={<ShareButton fragment={() => writeSpeechLink(call)} />}
      />
      {/* biome-ignore lint/a11y/useMediaCaption: the words stand on the page */}
      <audio ref={bench.setAudio} className="hidden" />
      <RecordingStatus recording={recording} />
      <div className="grid max-w-page items-start gap-x-6 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr]">
        <div className="grid min-w-0 gap-4">
          <section
            aria-label={t("text.label")}
            className="min-w-0 overflow-hidden rounded-md border bg-panel"
          >
            <Composer
              draft={draft}
              call={call}
              models={models}
              isRunning={isRunning}
              onModel={bench.chooseModel}
              onVoices={() => {
                setCastOpen(true);
                cast.current?.scrollIntoView({ block: "start" });
              }}
              onChange={change}
              onSpeak={bench.speak}
              onStop={bench.stop}
            />
            <Deck
              player={player}
              state={state}
              audio={bench.audio}
              take={current}
              isCalling={recording.kind === "calling"}
              meter={bench.meter}
              expectedSeconds={bench.expectedSeconds}
              ignored={isNewest ? bench.ignored : null}
              models={models}
            />
          </section>
          {recording.kind === "failed" ? (
            <FailureNotice failure={recording.failure} onRetry={bench.speak} />
          ) : null}
        </div>
        <div ref={cast} className="min-w-0 scroll-mt-18 lg:sticky lg:top-8 lg:row-span-2">
          <CastPanel
            draft={draft}
            voices={bench.voices.voices}
            error={bench.voices.error}
            sampler={bench.sampler}
            isVoiceMissing={bench.isVoiceMissing}
            isOpen={isCastOpen || bench.isVoiceMissing}
            onOpen={setCastOpen}
            onReload={bench.voices.reload}
            onChange={change}
          />
        </div>
        <div className="grid min-w-0 gap-8">
          {marked.length > 0 ? (
            <Compare
              takes={a && b ? [a, b] : null}
              current={current}
              player={player}
              state={state}
              models={models}
              isLocked={isRunning}
              onSide={bench.swap}
              onClose={bench.unmark}
            />
          ) : null}
          <Tape
            takes={tape.takes}
            isKept={tape.isKept}
            current={current}
            marked={marked}
            player={player}
            state={state}
            isLocked={isRunning}
            onPlay={bench.play}
            onMark={bench.mark}
            onReuse={bench.reuse}
            onDelete={bench.remove}
            onClear={bench.clear}
          />
          <DeferUntilVisible fallback={<CodePlace />}>
            <SpeechCode call={call} />
          </DeferUntilVisible>
        </div>
      </div>
    </>
  );
}
