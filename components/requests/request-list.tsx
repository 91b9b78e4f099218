"use client";

import { ActivityIcon, FilterXIcon } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isComposing } from "@/lib/client/is-composing";
import { hasLetterShortcuts, SEQUENCE_MS } from "@/lib/client/letter-shortcuts";
import { setQueryParam } from "@/lib/client/query-params";
import type { PagedCalls } from "@/lib/client/use-calls";
import { useWindowEvent } from "@/lib/client/use-window-event";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { ResultCount } from "../shell/list-body";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { EmptyState } from "../ui/empty-state";
import { keepFocusAbove, keepingFocus } from "../ui/keep-focus";
import { lazyPart } from "../ui/lazy-part";
import { Skeleton, SkeletonRows } from "../ui/skeleton";
import { type CallColumn, LoadMoreTrigger, RequestTable } from "./request-table";

const CallPanel = lazyPart(() => import("./call-panel").then((one) => one.CallPanel));

/** Older calls are loaded when fewer than this many loaded calls follow the open one. */
const LOAD_AHEAD = 5;

/** The calls of the range and filters, and beside them the details of the call in the URL. */
export function RequestList({
  calls,
  isFiltered,
  columns,
  isAdmin,
}: {
  calls: PagedCalls;
  isFiltered: boolean;
  columns: readonly CallColumn[];
  isAdmin: boolean;
}) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  const open = useSearchParams().get("call");
  const { rows } = calls;
  const lastOpened = useLastOpened(open);
  const at = rows?.findIndex((call) => call.id === lastOpened) ?? -1;
  const idAt = (index: number) => rows?.[index]?.id ?? null;
  const isElsewhere = open !== null && at === -1;
  const steps = {
    previous: isElsewhere ? null : idAt(at === -1 ? (rows?.length ?? 0) - 1 : at - 1),
    next: isElsewhere ? null : idAt(at + 1),
    onOpen(id: string) {
      setQueryParam("call", id);
      if (rows && calls.hasMore && at + LOAD_AHEAD >= rows.length) void calls.loadMore();
    },
  };
  /** Time back to which an unfinished search has found no call; else null. */
  const searchedFrom = isFiltered && rows?.length === 0 ? calls.searchedFrom : null;
  useStepKeys({ ...steps, isOpen: open !== null });
  return (
    <div
      className={cn(
        "grid grid-cols-1 gap-4",
        open !== null && "xl:grid-cols-[minmax(0,1fr)_minmax(0,34rem)] xl:items-start",
      )}
    >
      <div className="grid min-w-0 grid-cols-1 gap-4">
        <ResultCount {...calls} rows={isFiltered && searchedFrom === null ? rows : undefined} />
        <p role="status" className="sr-only">
          {searchedFrom && t("empty.noMatchYetText", { time: amounts.exact(searchedFrom) })}
        </p>
        {calls.hasNewer ? (
          <Button variant="outline" size="sm" className="mx-auto" onClick={keepingFocus(calls.showNewer)}>
            {t("newer")}
          </Button>
        ) : null}
        {calls.error && !rows ? (
          <CallError error={calls.error} onRetry={() => void calls.reload()} />
        ) : !rows ? (
          <ListSkeleton />
        ) : rows.length > 0 ? (
          <RequestTable rows={rows} columns={columns} isCompact={open !== null} />
        ) : (
          <NoCalls isFiltered={isFiltered} searchedFrom={calls.searchedFrom} />
        )}
        {calls.error && rows ? <CallError error={calls.error} onRetry={() => void calls.retry()} /> : null}
        {calls.hasMore && !calls.error ? <More calls={calls} /> : null}
      </div>
      {open === null ? null : (
        <CallPanel id={open} isAdmin={isAdmin} {...steps} onClose={() => setQueryParam("call", null)} />
      )}
    </div>
  );
}

/** ID of the open call, or of the one that was open last; null until a call is opened. */
function useLastOpened(open: string | null): string | null {
  const [last, setLast] = useState(open);
  useEffect(() => {
    if (open !== null) setLast(open);
  }, [open]);
  return open ?? last;
}

/** Loads older calls when it is scrolled near, or by its button. */
function More({ calls }: { calls: PagedCalls }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  const { rows, searchedFrom } = calls;
  return (
    <>
      {searchedFrom !== null && rows && rows.length > 0 ? (
        <p className="mx-auto text-sm text-ink-muted" suppressHydrationWarning>
          {t("searchedFrom", { time: amounts.exact(searchedFrom) })}
        </p>
      ) : null}
      <LoadMoreTrigger key={rows?.length} onNear={() => void calls.loadMore()} />
      <Button
        variant="outline"
        className="mx-auto"
        isBusy={calls.isLoadingMore}
        onClick={(event) => {
          keepFocusAbove(event.currentTarget);
          void calls.loadMore();
        }}
      >
        {searchedFrom === null ? t("more") : t("searchOlder")}
      </Button>
    </>
  );
}

function NoCalls({ isFiltered, searchedFrom }: { isFiltered: boolean; searchedFrom: string | null }) {
  const t = useTranslations("requests.empty");
  const amounts = useAmounts();
  return isFiltered ? (
    <EmptyState icon={<FilterXIcon />} title={t("noMatchTitle")}>
      {searchedFrom === null ? t("noMatchText") : t("noMatchYetText", { time: amounts.exact(searchedFrom) })}
    </EmptyState>
  ) : (
    <EmptyState
      icon={<ActivityIcon />}
      title={t("title")}
      action={
        <Button asChild variant="outline">
          <Link href="/playground/speech">{t("openPlayground")}</Link>
        </Button>
      }
    >
      {t("text")}
    </EmptyState>
  );
}

function ListSkeleton() {
  return (
    <SkeletonRows count={12} className="flex h-10 items-center gap-8 px-4 max-xl:h-22">
      <Skeleton className="h-4 w-28" />
      <Skeleton className="h-4 flex-1" />
      <Skeleton className="hidden h-4 w-40 xl:block" />
      <Skeleton className="hidden h-4 w-20 xl:block" />
    </SkeletonRows>
  );
}

/** The calls that the step keys open. */
interface Steps {
  /** IDs; null: none, or not loaded. */
  previous: string | null;
  next: string | null;
  /** Whether a call is open. While none is, the arrow keys scroll the page. */
  isOpen: boolean;
  onOpen(id: string): void;
}

const STEP_LETTERS: Readonly<Record<string, "previous" | "next">> = { k: "previous", j: "next" };
const STEP_ARROWS: Readonly<Record<string, "previous" | "next">> = { ArrowUp: "previous", ArrowDown: "next" };
/** Elements that use the keys themselves. */
const HANDLES_KEYS =
  'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], [role="radiogroup"], [role="tablist"], [role="slider"], [role="alertdialog"], [aria-modal="true"]';
/** Elements that scroll by the arrow keys (components/ui/scroll-box.tsx). */
const SCROLLS = '[role="group"] > [tabindex="0"]';

function stepOf(key: string, isOpen: boolean): "previous" | "next" | undefined {
  if (Object.hasOwn(STEP_LETTERS, key)) return hasLetterShortcuts() ? STEP_LETTERS[key] : undefined;
  return isOpen && Object.hasOwn(STEP_ARROWS, key) ? STEP_ARROWS[key] : undefined;
}

/** Opens the previous or next call by `k` and `j` or the arrow keys, unless the focused element uses these keys. */
function useStepKeys(steps: Steps): void {
  const sequenceEnds = useRef(0);
  useWindowEvent("keydown", (event) => {
    if (event.defaultPrevented || isComposing(event)) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const isSecond = event.timeStamp < sequenceEnds.current;
    sequenceEnds.current = event.key === "g" ? event.timeStamp + SEQUENCE_MS : 0;
    const step = stepOf(event.key, steps.isOpen);
    if (step === undefined || isSecond) return;
    const users = Object.hasOwn(STEP_ARROWS, event.key) ? `${HANDLES_KEYS}, ${SCROLLS}` : HANDLES_KEYS;
    if (event.target instanceof Element && event.target.closest(users)) return;
    event.preventDefault();
    const to = steps[step];
    if (to !== null) steps.onOpen(to);
  });
}
