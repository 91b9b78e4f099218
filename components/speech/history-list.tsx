"use client";

import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import type { PlayerState, TakePlayer } from "@/lib/client/speech-player";
import { Notice } from "../ui/notice";
import { Skeleton } from "../ui/skeleton";

// A first visit has no takes, and needs none of what shows them.
const TapeRow = dynamic(() => import("./history-row").then((one) => one.TapeRow), {
  ssr: false,
  loading: () => <li className="h-16" />,
});
const ClearTakes = dynamic(() => import("./clear-history").then((one) => one.ClearTakes), { ssr: false });

/** All takes of this browser, newest first: to hear again, compare, use again and delete. */
export function Tape({
  takes,
  isKept,
  current,
  marked,
  player,
  state,
  isLocked,
  onPlay,
  onMark,
  onReuse,
  onDelete,
  onClear,
}: {
  takes: readonly Take[] | null;
  isKept: boolean;
  current: Take | null;
  /** Ids of the takes to compare, at most two. */
  marked: readonly string[];
  player: TakePlayer;
  state: PlayerState;
  /** A take is arriving: the player is taken. */
  isLocked: boolean;
  onPlay(take: Take): void;
  onMark(take: Take): void;
  onReuse(take: Take): void;
  onDelete(take: Take): void;
  onClear(): void;
}) {
  const t = useTranslations("speech.tape");
  return (
    <section aria-labelledby="tape-title" className="grid gap-3">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="tape-title" className="text-lg">
          {t("title")}
        </h2>
        {takes && takes.length > 0 ? (
          <>
            <p className="text-sm text-ink-muted">{t("kept")}</p>
            <ClearTakes count={takes.length} onClear={onClear} />
          </>
        ) : null}
      </header>
      {isKept ? null : (
        <Notice tone="warn" isLive>
          {t("notKept")}
        </Notice>
      )}
      {takes === null ? (
        <Skeleton className="h-16 rounded-md" />
      ) : takes.length === 0 ? (
        <p className="rounded-md border border-line-strong/60 border-dashed px-5 py-6 text-center text-ink-muted">
          {t("empty")} {t("kept")}
        </p>
      ) : (
        <ul className="divide-y overflow-hidden rounded-md border bg-panel">
          {takes.map((take) => (
            <TapeRow
              key={take.id}
              take={take}
              player={player}
              state={take.id === current?.id ? state : null}
              isMarked={marked.includes(take.id)}
              isLocked={isLocked}
              onPlay={() => onPlay(take)}
              onMark={() => onMark(take)}
              onReuse={() => onReuse(take)}
              onDelete={() => onDelete(take)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
