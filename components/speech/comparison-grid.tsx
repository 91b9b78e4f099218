"use client";

import { PauseIcon, PlayIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import type { PlayerState } from "@/lib/client/speech-player";
import { PlayedPeaks } from "../audio/peaks-canvas";
import { useAmounts } from "../charts/use-amounts";
import { FailureNotice } from "../playground/failure-notice";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Fact, TimeFacts, takeDollars, useTakeCost } from "./take-facts";
import { type Trial, takesToRank } from "./use-comparison";
import type { SpeechWorkspace } from "./use-speech-workspace";

/** The index of the smallest value; -1 if fewer than two values are known or several are smallest. */
function indexOfMin(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  const min = Math.min(...known);
  if (known.length < 2 || known.filter((value) => value === min).length > 1) return -1;
  return values.indexOf(min);
}

/** The voices of a comparison, each with its audio, its times and its cost. Loaded on demand. */
export function ComparisonGrid({ workspace }: { workspace: SpeechWorkspace }) {
  const { models, comparison } = workspace;
  const { trials } = comparison;
  const takes = takesToRank(trials);
  const fastest = indexOfMin(takes.map((take) => take?.firstAudioMs ?? null));
  const cheapest = indexOfMin(takes.map((take) => take && takeDollars(take, models)));
  return (
    <ul className="grid items-start gap-3 sm:grid-cols-2">
      {trials.map((trial, at) => (
        <TrialCard
          key={`${trial.candidate.model}|${trial.candidate.voice}`}
          workspace={workspace}
          trial={trial}
          isFastest={at === fastest}
          isCheapest={at === cheapest}
          // No retry while another call runs: it would distort the measured times of that call.
          onRetry={comparison.isRunning ? undefined : () => comparison.retry(at)}
        />
      ))}
    </ul>
  );
}

function TrialCard({
  workspace: { models, player, recorder, state, takes },
  trial,
  isFastest,
  isCheapest,
  onRetry,
}: {
  workspace: SpeechWorkspace;
  trial: Trial;
  isFastest: boolean;
  isCheapest: boolean;
  onRetry?(): void;
}) {
  const t = useTranslations("speech.comparison");
  const playerText = useTranslations("speech.player");
  const { voice, model } = trial.candidate;
  const take = trial.kind === "done" ? trial.take : null;
  const isLoaded = take !== null && take.id === takes.current?.id;
  const isPlaying = isLoaded && state.isPlaying;
  return (
    <li
      aria-label={t("voiceOf", { voice, model })}
      className={cn(
        "grid min-w-0 content-start gap-3 rounded-md border bg-panel p-4",
        isLoaded && "border-signal",
      )}
    >
      <div className="flex min-w-0 items-center gap-3">
        <Button
          variant="outline"
          size="icon"
          aria-label={t(isPlaying ? "pause" : "play", { voice, model })}
          // An arriving call uses the player.
          disabled={take === null || recorder.isRunning}
          className={cn("rounded-full", isLoaded && "border-signal text-signal-ink")}
          onClick={() => take && takes.play(take)}
        >
          {isPlaying ? <PauseIcon className="fill-current" /> : <PlayIcon className="fill-current" />}
        </Button>
        <div translate="no" className="min-w-0">
          <p className="truncate font-medium">{voice}</p>
          <p className="truncate font-mono text-sm text-ink-muted">{model}</p>
        </div>
        <div className="ml-auto flex shrink-0 flex-wrap justify-end gap-1">
          {isFastest ? <Badge tone="good">{t("fastest")}</Badge> : null}
          {isCheapest ? <Badge tone="good">{t("cheapest")}</Badge> : null}
          {take !== null && take.state !== "complete" ? <Badge>{playerText(take.state)}</Badge> : null}
        </div>
      </div>
      {trial.kind === "failed" ? (
        <FailureNotice failure={trial.failure} onRetry={onRetry} />
      ) : take === null ? (
        <TrialProgress trial={trial} />
      ) : (
        <TrialTake take={take} models={models} player={player} state={isLoaded ? state : null} />
      )}
    </li>
  );
}

function TrialProgress({ trial }: { trial: Trial }) {
  const t = useTranslations("speech.comparison");
  const show = useAmounts();
  const isBusy = trial.kind === "calling" || trial.kind === "arriving";
  return (
    <div className="relative flex h-12 items-center">
      <span
        aria-hidden="true"
        className={cn(
          "absolute inset-x-0 border-t-2 border-dotted",
          isBusy ? "border-signal motion-safe:animate-pulse" : "border-line-strong/60",
        )}
      />
      <p className="tabular relative mx-auto bg-panel px-3 text-sm text-ink-muted">
        {trial.kind === "arriving"
          ? t("arriving", { time: show.ms(trial.firstAudioMs) })
          : t(trial.kind === "calling" || trial.kind === "stopped" ? trial.kind : "waiting")}
      </p>
    </div>
  );
}

function TrialTake({
  take,
  models,
  player,
  state,
}: Pick<SpeechWorkspace, "models" | "player"> & {
  take: Take;
  /** Null where another take is in the player. */
  state: PlayerState | null;
}) {
  const t = useTranslations("playground.facts");
  const cost = useTakeCost(take, models);
  return (
    <>
      <div className="h-12">
        <PlayedPeaks samples={take.samples} player={player} state={state} />
      </div>
      <dl className="grid grid-cols-[auto_auto_minmax(0,1fr)] gap-x-5 gap-y-2 border-t pt-3">
        <TimeFacts take={take} />
        <Fact name={t("cost")}>{cost}</Fact>
      </dl>
    </>
  );
}
