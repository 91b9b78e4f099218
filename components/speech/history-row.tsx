"use client";

import { ColumnsIcon, PauseIcon, PlayIcon, RotateCcwIcon, Trash2Icon } from "lucide-react";
import type { ComponentProps } from "react";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { PlayedPeaks } from "../audio/peaks-canvas";
import { useAmounts } from "../charts/use-amounts";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { leaveRow } from "../ui/leave-row";
import { RelativeTime } from "../ui/relative-time";
import { SpeakerLine } from "./speaker-line";

interface HistoryRowProps {
  take: Take;
  player: SpeechPlayer;
  /** The player's state while this take is loaded in the player, else null. */
  state: PlayerState | null;
  isMarked: boolean;
  isLocked: boolean;
  onPlay(): void;
  onMark(): void;
  onReuse(): void;
  onDelete(): void;
}

/** One take of the history. */
export function HistoryRow(props: HistoryRowProps) {
  const { take, player, state, isLocked, onPlay } = props;
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
      <Actions {...props} text={text} />
    </li>
  );
}

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

function Actions({ take, text, isMarked, onMark, onReuse, onDelete }: HistoryRowProps & { text: string }) {
  const show = useAmounts();
  return (
    <div className="col-start-2 flex items-center sm:col-start-auto">
      <span className="tabular mr-auto text-sm text-ink-muted sm:hidden">{show.ms(take.durationMs)}</span>
      <Action
        name="compare"
        text={text}
        aria-pressed={isMarked}
        className={cn(isMarked && "bg-signal-soft text-signal-ink")}
        onClick={onMark}
      >
        <ColumnsIcon />
      </Action>
      <Action name="reuse" text={text} onClick={onReuse}>
        <RotateCcwIcon />
      </Action>
      <Action
        name="delete"
        text={text}
        onClick={(event) => {
          const row = event.currentTarget.closest("li");
          leaveRow(row, "button:enabled", row?.closest("section")?.querySelector("h2"));
          onDelete();
        }}
      >
        <Trash2Icon />
      </Action>
    </div>
  );
}

/** An icon button of a take. Its tooltip is its accessible name without the take's text. */
function Action({
  name,
  text,
  ...props
}: ComponentProps<typeof Button> & { name: "compare" | "reuse" | "delete"; text: string }) {
  const t = useTranslations("speech.history");
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      aria-label={t(name, { text })}
      title={t(name, { text: "" }).replace(/[:：]\s*$/u, "")}
      {...props}
    />
  );
}
