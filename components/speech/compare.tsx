"use client";

import { PauseIcon, PlayIcon, XIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import type { GatewayModel } from "@/lib/client/gateway-models";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { PlayedPeaks } from "../audio/peaks-canvas";
import { PlayClock } from "../audio/play-clock";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { SegmentedControl } from "../ui/segmented-control";
import { SpeakerLine } from "./speaker-line";
import { Fact, TimeFacts, useTakeCost } from "./take-facts";

const LABELS = ["A", "B"] as const;

interface CompareProps {
  takes: readonly [Take, Take] | null;
  current: Take | null;
  player: SpeechPlayer;
  state: PlayerState;
  models: readonly GatewayModel[];
  isLocked: boolean;
  onSwitch(take: Take): void;
  onClose(): void;
}

/** Two takes side by side in one player. Switching keeps the playback position, so that their differences are easy to hear. */
export function Compare({
  takes,
  current,
  player,
  state,
  models,
  isLocked,
  onSwitch,
  onClose,
}: CompareProps) {
  const t = useTranslations("speech.compare");
  const active = takes?.findIndex((one) => one.id === current?.id) ?? -1;
  return (
    <section aria-labelledby="compare-title" className="grid gap-4 rounded-md border bg-panel p-4 sm:p-5">
      <header className="flex flex-wrap items-center gap-3">
        <h2 id="compare-title" className="text-lg">
          {t("title")}
        </h2>
        {takes ? (
          <Switch
            state={state}
            active={active}
            isLocked={isLocked}
            onSwitch={onSwitch}
            takes={takes}
            player={player}
          />
        ) : (
          <span className="text-ink-muted">{t("pick")}</span>
        )}
        <Button variant="ghost" size="icon-sm" className="ml-auto" aria-label={t("close")} onClick={onClose}>
          <XIcon />
        </Button>
      </header>
      {takes ? (
        <div className="grid gap-4 md:grid-cols-2">
          {takes.map((take, index) => (
            <ComparedTake
              key={take.id}
              label={LABELS[index] ?? ""}
              take={take}
              isActive={index === active}
              player={player}
              state={state}
              models={models}
            />
          ))}
        </div>
      ) : null}
    </section>
  );
}

/** Plays the takes, and switches between them while they play. */
function Switch({
  state,
  active,
  isLocked,
  onSwitch,
  takes,
  player,
}: Pick<CompareProps, "state" | "isLocked" | "onSwitch" | "player"> & {
  takes: readonly [Take, Take];
  /** Index of the take in the player; -1: neither. */
  active: number;
}) {
  const playerText = useTranslations("speech.player");
  const t = useTranslations("speech.compare");
  return (
    <>
      <Button
        variant="outline"
        size="icon"
        aria-label={state.isPlaying && active >= 0 ? playerText("pause") : playerText("play")}
        disabled={isLocked}
        onClick={() => {
          if (active < 0) onSwitch(takes[0]);
          if (active < 0) player.play();
          else player.toggle();
        }}
      >
        {state.isPlaying && active >= 0 ? (
          <PauseIcon className="fill-current" />
        ) : (
          <PlayIcon className="fill-current" />
        )}
      </Button>
      <SegmentedControl
        label={t("which")}
        value={LABELS[active] ?? ""}
        disabled={isLocked}
        onValueChange={(label) => onSwitch(label === "B" ? takes[1] : takes[0])}
        segments={LABELS.map((label) => ({ value: label, label }))}
      />
      {active >= 0 ? <PlayClock player={player} state={state} /> : null}
      <span className="hidden text-sm text-ink-muted xl:inline">{t("hint")}</span>
    </>
  );
}

function ComparedTake({
  label,
  take,
  isActive,
  player,
  state,
  models,
}: {
  label: string;
  take: Take;
  isActive: boolean;
  player: SpeechPlayer;
  state: PlayerState;
  models: readonly GatewayModel[];
}) {
  const t = useTranslations("speech.player.facts");
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
