"use client";

import { useTranslations } from "use-intl";
import { lazyPart } from "../ui/lazy-part";
import { Skeleton } from "../ui/skeleton";
import { MAX_TAKES } from "./max-takes";
import type { SpeechWorkspace } from "./use-speech-workspace";

// Loaded on demand: a first visit has no takes to show.
const HistoryRow = lazyPart(
  () => import("./history-row").then((one) => one.HistoryRow),
  () => <li className="h-16" />,
);
const Notice = lazyPart(() => import("../ui/notice").then((one) => one.Notice));
const ClearHistory = lazyPart(() => import("./clear-history").then((one) => one.ClearHistory));

/** The user's takes in this browser, newest first: to replay, compare, reuse and delete. */
export function HistoryList({ workspace }: { workspace: SpeechWorkspace }) {
  const t = useTranslations("speech.history");
  const history = workspace.takes;
  const { takes } = history;
  return (
    <section aria-labelledby="history-title" className="grid gap-3">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="history-title" tabIndex={-1} className="text-lg">
          {t("title")}
        </h2>
        {takes && takes.length > 0 ? (
          <>
            <p className="text-sm text-ink-muted">{t("stored", { count: MAX_TAKES })}</p>
            <ClearHistory count={takes.length} onClear={history.clear} />
          </>
        ) : null}
      </header>
      {history.isStored ? null : (
        <Notice tone="warn" isLive>
          {t("notStored")}
        </Notice>
      )}
      {takes === null ? (
        <Skeleton className="h-16 rounded-md" />
      ) : takes.length === 0 ? (
        <div className="rounded-md border border-line-strong/60 border-dashed px-5 py-6 text-center text-ink-muted">
          <p>{t("empty")}</p>
          <p>{t("stored", { count: MAX_TAKES })}</p>
        </div>
      ) : (
        <ul className="divide-y overflow-hidden rounded-md border bg-panel">
          {takes.map((take) => (
            <HistoryRow
              key={take.id}
              take={take}
              player={workspace.player}
              state={take.id === history.current?.id ? workspace.state : null}
              isMarked={history.marked.includes(take.id)}
              isLocked={workspace.isRunning}
              onPlay={() => history.play(take)}
              onMark={() => history.mark(take)}
              onReuse={() => workspace.reuse(take)}
              onDelete={() => history.remove(take)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
