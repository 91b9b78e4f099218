"use client";

import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { Skeleton } from "../ui/skeleton";

// Loaded on demand: a first visit has no takes to show.
const HistoryRow = dynamic(() => import("./history-row").then((one) => one.HistoryRow), {
  ssr: false,
  loading: () => <li className="h-16" />,
});
const Notice = dynamic(() => import("../ui/notice").then((one) => one.Notice), { ssr: false });
const ClearHistory = dynamic(() => import("./clear-history").then((one) => one.ClearHistory), { ssr: false });

interface HistoryListProps {
  takes: readonly Take[] | null;
  isStored: boolean;
  current: Take | null;
  /** IDs of the takes to compare, at most two. */
  marked: readonly string[];
  player: SpeechPlayer;
  state: PlayerState;
  /** True while a take arrives: the player is busy. */
  isLocked: boolean;
  onPlay(take: Take): void;
  onMark(take: Take): void;
  onReuse(take: Take): void;
  onDelete(take: Take): void;
  onClear(): void;
}

/** The user's takes in this browser, newest first: to replay, compare, reuse and delete. */
export function HistoryList(props: HistoryListProps) {
  const { takes, isStored, onClear } = props;
  const t = useTranslations("speech.history");
  return (
    <section aria-labelledby="history-title" className="grid gap-3">
      <Heading takes={takes} onClear={onClear} />
      {isStored ? null : (
        <Notice tone="warn" isLive>
          {t("notStored")}
        </Notice>
      )}
      {takes === null ? (
        <Skeleton className="h-16 rounded-md" />
      ) : takes.length === 0 ? (
        <p className="rounded-md border border-line-strong/60 border-dashed px-5 py-6 text-center text-ink-muted">
          {t("empty")} {t("stored")}
        </p>
      ) : (
        <Takes {...props} takes={takes} />
      )}
    </section>
  );
}

function Takes({
  takes,
  current,
  marked,
  player,
  state,
  isLocked,
  onPlay,
  onMark,
  onReuse,
  onDelete,
}: Omit<HistoryListProps, "takes"> & { takes: readonly Take[] }) {
  return (
    <ul className="divide-y overflow-hidden rounded-md border bg-panel">
      {takes.map((take) => (
        <HistoryRow
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
  );
}

/** The title, and the button that clears the history. */
function Heading({ takes, onClear }: { takes: readonly Take[] | null; onClear(): void }) {
  const t = useTranslations("speech.history");
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <h2 id="history-title" className="text-lg">
        {t("title")}
      </h2>
      {takes && takes.length > 0 ? (
        <>
          <p className="text-sm text-ink-muted">{t("stored")}</p>
          <ClearHistory count={takes.length} onClear={onClear} />
        </>
      ) : null}
    </header>
  );
}
