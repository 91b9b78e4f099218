"use client";

import { ColumnsIcon, PauseIcon, PlayIcon, RotateCcwIcon, Trash2Icon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { PlayedPeaks } from "../audio/peaks-canvas";
import { useAmounts } from "../charts/use-amounts";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { RelativeTime } from "../ui/relative-time";
import { SpeakerLine } from "./speaker-line";

/** One take of the history. `state` is the player's where the take is loaded in the player, else null. */
export function HistoryRow({
  take,
  player,
  state,
  isMarked,
  isLocked,
  onPlay,
  onMark,
  onReuse,
  onDelete,
}: {
  take: Take;
  player: SpeechPlayer;
  state: PlayerState | null;
  isMarked: boolean;
  isLocked: boolean;
  onPlay(): void;
  onMark(): void;
  onReuse(): void;
  onDelete(): void;
}) {
  const t = useTranslations("speech.history");
  const show = useAmounts();
  const isPlaying = state?.isPlaying === true;
  const text = take.call.text.replace(/\s+/gu, " ").trim().slice(0, 120);
  return (
    <li
      className={cn(
        "grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1 px-3 py-2 transition-colors sm:grid-cols-[auto_minmax(0,1fr)_8rem_4rem_auto]",
        state && "bg-signal-soft/50",
      )}
    >
      <Button
        variant="ghost"
        size="icon"
        aria-label={isPlaying ? t("pause", { text }) : t("play", { text })}
        disabled={isLocked}
        onClick={onPlay}
        className={cn(state && "text-signal-ink")}
      >
        {isPlaying ? <PauseIcon className="fill-current" /> : <PlayIcon className="fill-current" />}
      </Button>
      <Summary text={text} take={take} />
      <div className="hidden h-8 sm:block">
        <PlayedPeaks samples={take.samples} player={player} state={state} />
      </div>
      <span className="tabular hidden text-right text-sm text-ink-muted sm:block">
        {show.ms(take.durationMs)}
      </span>
      <Actions
        take={take}
        text={text}
        isMarked={isMarked}
        onMark={onMark}
        onReuse={onReuse}
        onDelete={onDelete}
      />
    </li>
  );
}

/** The text of the take, its voices, when it was spoken and whether it is complete. */
function Summary({ text, take }: { text: string; take: Take }) {
  const playerText = useTranslations("speech.player");
  return (
    <div className="min-w-0">
      <p className="truncate" title={text}>
        {text}
      </p>
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm text-ink-muted">
        <SpeakerLine call={take.call} />
        <span className="whitespace-nowrap text-ink-faint">
          <RelativeTime at={new Date(take.createdAt).toISOString()} />
        </span>
        {take.state === "complete" ? null : (
          <Badge tone={take.state === "cut" ? "bad" : "neutral"}>{playerText(take.state)}</Badge>
        )}
      </p>
    </div>
  );
}

/** Compares, reuses or deletes the take. */
function Actions({
  take,
  text,
  isMarked,
  onMark,
  onReuse,
  onDelete,
}: {
  take: Take;
  text: string;
  isMarked: boolean;
  onMark(): void;
  onReuse(): void;
  onDelete(): void;
}) {
  const show = useAmounts();
  const t = useTranslations("speech.history");
  return (
    <div className="col-start-2 flex items-center sm:col-start-auto">
      <span className="tabular mr-auto text-sm text-ink-muted sm:hidden">{show.ms(take.durationMs)}</span>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={t("compare", { text })}
        aria-pressed={isMarked}
        title={t("compare", { text: "" }).replace(/[:：]\s*$/u, "")}
        className={cn(isMarked && "bg-signal-soft text-signal-ink")}
        onClick={onMark}
      >
        <ColumnsIcon />
      </Button>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={t("reuse", { text })}
        title={t("reuse", { text: "" }).replace(/[:：]\s*$/u, "")}
        onClick={onReuse}
      >
        <RotateCcwIcon />
      </Button>
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={t("delete", { text })}
        title={t("delete", { text: "" }).replace(/[:：]\s*$/u, "")}
        onClick={onDelete}
      >
        <Trash2Icon />
      </Button>
    </div>
  );
}
