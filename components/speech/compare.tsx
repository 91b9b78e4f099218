"use client";

import { PauseIcon, PlayIcon, XIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import { PlayedPeaks } from "../audio/peaks-canvas";
import { PlayClock } from "../audio/play-clock";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { keepingFocus } from "../ui/keep-focus";
import { SegmentedControl } from "../ui/segmented-control";
import { SpeakerLine } from "./speaker-line";
import { Fact, TimeFacts, useTakeCost } from "./take-facts";
import type { SpeechWorkspace } from "./use-speech-workspace";

const LABELS = ["A", "B"] as const;

/** Two takes side by side in one player. Switching keeps the playback position: differences are easy to hear. */
export function Compare({
  workspace,
  takes,
}: {
  workspace: SpeechWorkspace;
  takes: readonly [Take, Take] | null;
}) {
  const t = useTranslations("speech.compare");
  const playerText = useTranslations("speech.player");
  const { player, state, isRunning } = workspace;
  const { current, unmark, swap } = workspace.takes;
  /** Index of the take in the player; -1: neither. */
  const active = takes?.findIndex((one) => one.id === current?.id) ?? -1;
  const isPlaying = state.isPlaying && active >= 0;
  return (
    <section aria-labelledby="compare-title" className="grid gap-4 rounded-md border bg-panel p-4 sm:p-5">
      <header className="flex flex-wrap items-center gap-3">
        <h2 id="compare-title" className="text-lg">
          {t("title")}
        </h2>
        {takes ? (
          <>
            <Button
              variant="outline"
              size="icon"
              aria-label={playerText(isPlaying ? "pause" : "play")}
              disabled={isRunning}
              onClick={() => {
                if (active >= 0) return player.toggle();
                swap(takes[0]);
                player.play();
              }}
            >
              {isPlaying ? <PauseIcon className="fill-current" /> : <PlayIcon className="fill-current" />}
            </Button>
            <SegmentedControl
              label={t("which")}
              value={LABELS[active] ?? ""}
              disabled={isRunning}
              onValueChange={(label) => swap(label === "B" ? takes[1] : takes[0])}
              segments={LABELS.map((label) => ({ value: label, label }))}
            />
            {active >= 0 ? <PlayClock player={player} state={state} /> : null}
            <span className="hidden text-sm text-ink-muted xl:inline">{t("hint")}</span>
          </>
        ) : (
          <span className="text-ink-muted">{t("pick")}</span>
        )}
        <Button
          variant="ghost"
          size="icon-sm"
          className="ml-auto"
          aria-label={t("close")}
          onClick={keepingFocus(unmark)}
        >
          <XIcon />
        </Button>
      </header>
      {takes ? (
        <div className="grid gap-4 md:grid-cols-2">
          {takes.map((take, index) => (
            <ComparedTake
              key={take.id}
              workspace={workspace}
              label={LABELS[index] ?? ""}
              take={take}
              isActive={index === active}
            />
          ))}
        </div>
      ) : null}
    </section>
  );
}

function ComparedTake({
  workspace: { player, state, models },
  label,
  take,
  isActive,
}: {
  workspace: SpeechWorkspace;
  label: string;
  take: Take;
  isActive: boolean;
}) {
  const t = useTranslations("playground.facts");
  const cost = useTakeCost(take, models);
  return (
    <article
      aria-label={label}
      className={cn(
        "grid min-w-0 content-start gap-3 rounded-md border p-4",
        isActive && "border-signal bg-signal-soft/40",
      )}
    >
      <p className="flex min-w-0 items-baseline gap-3">
        <span className={cn("font-mono text-lg font-medium", isActive && "text-signal-ink")}>{label}</span>
        <span className="truncate" title={take.call.text}>
          {take.call.text}
        </span>
      </p>
      <div className="h-16">
        <PlayedPeaks samples={take.samples} player={player} state={isActive ? state : null} />
      </div>
      <p className="flex flex-wrap gap-x-3 text-sm text-ink-muted">
        <SpeakerLine call={take.call} />
      </p>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 border-t pt-3 sm:grid-cols-[auto_auto_auto_minmax(0,1fr)]">
        <TimeFacts take={take} />
        <Fact name={t("cost")}>{cost}</Fact>
        <Fact name={t("channel")}>{take.channel ?? t("unknown")}</Fact>
      </dl>
    </article>
  );
}
