"use client";

import { PauseIcon, PlayIcon, XIcon } from "lucide-react";
import { useCallback } from "react";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import type { GatewayModel } from "@/lib/client/gateway-models";
import type { PlayerState, TakePlayer } from "@/lib/client/speech-player";
import { PeaksCanvas } from "../audio/peaks-canvas";
import { PlayClock } from "../audio/play-clock";
import { useQuantities } from "../charts/use-quantities";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { SegmentedControl } from "../ui/segmented-control";
import { CastLine } from "./speaker-line";
import { Fact, useTakeCost } from "./take-facts";

const SIDES = ["A", "B"] as const;

/** Two takes side by side under one needle: changing sides keeps the place, so that the ear can tell them apart. */
export function Compare({
  takes,
  current,
  player,
  state,
  models,
  isLocked,
  onSide,
  onClose,
}: {
  takes: readonly [Take, Take] | null;
  current: Take | null;
  player: TakePlayer;
  state: PlayerState;
  models: readonly GatewayModel[];
  isLocked: boolean;
  onSide(take: Take): void;
  onClose(): void;
}) {
  const t = useTranslations("speech.compare");
  const deck = useTranslations("speech.deck");
  const heard = takes?.findIndex((one) => one.id === current?.id) ?? -1;
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
              aria-label={state.isPlaying && heard >= 0 ? deck("pause") : deck("play")}
              disabled={isLocked}
              onClick={() => {
                if (heard < 0) onSide(takes[0]);
                if (heard < 0) player.play();
                else player.toggle();
              }}
            >
              {state.isPlaying && heard >= 0 ? (
                <PauseIcon className="fill-current" />
              ) : (
                <PlayIcon className="fill-current" />
              )}
            </Button>
            <SegmentedControl
              label={t("which")}
              value={SIDES[heard] ?? ""}
              disabled={isLocked}
              onValueChange={(side) => onSide(side === "B" ? takes[1] : takes[0])}
              segments={SIDES.map((side) => ({ value: side, label: side }))}
            />
            {heard >= 0 ? <PlayClock player={player} state={state} /> : null}
            <span className="hidden text-sm text-ink-muted xl:inline">{t("hint")}</span>
          </>
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
            <Side
              key={take.id}
              name={SIDES[index] ?? ""}
              take={take}
              isHeard={index === heard}
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

function Side({
  name,
  take,
  isHeard,
  player,
  state,
  models,
}: {
  name: string;
  take: Take;
  isHeard: boolean;
  player: TakePlayer;
  state: PlayerState;
  models: readonly GatewayModel[];
}) {
  const t = useTranslations("speech.deck.facts");
  const show = useQuantities();
  const { duration } = state;
  const share = useCallback(
    () => (isHeard && duration > 0 ? player.position() / duration : 0),
    [player, isHeard, duration],
  );
  const cost = useTakeCost(take, models);
  return (
    <article
      aria-label={name}
      className={cn(
        "grid min-w-0 content-start gap-3 rounded-md border p-4",
        isHeard && "border-signal bg-signal-soft/40",
      )}
    >
      <p className="flex min-w-0 items-baseline gap-3">
        <span className={cn("font-mono text-lg font-medium", isHeard && "text-signal-ink")}>{name}</span>
        <span className="truncate" title={take.call.text}>
          {take.call.text}
        </span>
      </p>
      <div className="h-16">
        <PeaksCanvas samples={take.samples} isLive={isHeard && state.isPlaying} progress={share} />
      </div>
      <p className="flex flex-wrap gap-x-3 text-sm text-ink-muted">
        <CastLine call={take.call} />
      </p>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 border-t pt-3 sm:grid-cols-[auto_auto_auto_minmax(0,1fr)]">
        <Fact name={t("firstSound")}>
          {take.firstSoundMs === null ? t("unknown") : show.duration(take.firstSoundMs)}
        </Fact>
        <Fact name={t("duration")}>{show.duration(take.durationMs)}</Fact>
        <Fact name={t("cost")}>{cost}</Fact>
        <Fact name={t("channel")}>{take.channel ?? t("unknown")}</Fact>
      </dl>
    </article>
  );
}
