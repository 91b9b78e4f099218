"use client";

import { SearchIcon } from "lucide-react";
import { type ReactNode, useDeferredValue, useState } from "react";
import { useTranslations } from "use-intl";
import type { ApiPages } from "@/lib/client/use-api-pages";
import { CallError } from "../forms/call-error";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { keepFocusAbove, keepingFocus } from "../ui/keep-focus";
import { Skeleton, SkeletonRows } from "../ui/skeleton";

interface Found {
  query: string;
  count: number;
  hasMore: boolean;
  /** False while the rows are loaded again, so that they may be out of date. */
  isFinal: boolean;
}

/**
 * Tells screen readers once how many rows a search or filter has found; rows that are added later are not announced.
 * `query`: identifies the search and filters; `rows` undefined: none is applied, or its rows are not loaded;
 * `isLoading`: the rows are loaded again.
 */
export function ResultCount({
  query,
  rows,
  hasMore,
  isLoading = false,
}: {
  query: string;
  rows: readonly unknown[] | undefined;
  hasMore: boolean;
  isLoading?: boolean;
}) {
  const t = useTranslations("common");
  const [found, setFound] = useState<Found | null>(null);
  const next = rows ? { query, count: rows.length, hasMore, isFinal: !isLoading } : null;
  const isKept = found?.query === next?.query && (found === null || found.isFinal);
  if (!isKept && JSON.stringify(found) !== JSON.stringify(next)) setFound(next);
  return (
    <p role="status" className="sr-only">
      {found && t(found.hasMore ? "firstResults" : "results", { count: found.count })}
    </p>
  );
}

/** The rows of a list page, and for screen readers how many a search or filter has found. */
export function ListBody<Item>({
  isFiltered,
  ...parts
}: ListParts<Item> & {
  /** Whether a search or filter is applied. */
  isFiltered: boolean;
}) {
  const { items, isCurrent, query, hasMore, isLoading } = parts.list;
  return (
    <>
      <ResultCount rows={isFiltered && isCurrent ? items : undefined} {...{ query, hasMore, isLoading }} />
      <ListRows {...parts} />
    </>
  );
}

interface ListParts<Item> {
  list: ApiPages<Item>;
  skeleton?: ReactNode;
  empty: ReactNode;
  children(items: readonly Item[]): ReactNode;
}

/** Most rows that the server renders: a row takes it about 3 ms, during which the process serves no call. */
const ROWS_ON_SERVER = 20;

/**
 * How many of `count` rows to render: few on the server; the browser adds the others in steps that can be interrupted.
 */
const useRowsToRender = (count: number): number =>
  useDeferredValue(true, false) ? count : Math.min(count, ROWS_ON_SERVER);

/** The rows of a list with "Load more", or its loading, error or empty state. */
export function ListRows<Item>({ list, skeleton = <ListSkeleton />, empty, children }: ListParts<Item>) {
  const { items, error } = list;
  const rendered = useRowsToRender(items?.length ?? 0);
  // Rows that were loaded before the error stay; `LoadMore` then shows the error below them.
  if (error && !items?.length) return <CallError error={error} onRetry={() => void list.reload()} />;
  if (!items) return skeleton;
  if (items.length === 0) return empty;
  return (
    <div className="grid gap-4">
      {children(items.slice(0, rendered))}
      <LoadMore list={list} />
    </div>
  );
}

/** The list's error, else the button that loads its next page; nothing on the last page. */
export function LoadMore({
  list,
}: {
  list: Pick<ApiPages<unknown>, "error" | "hasMore" | "isLoadingMore" | "loadMore" | "reload">;
}) {
  if (list.error) return <CallError error={list.error} onRetry={() => void list.reload()} />;
  return list.hasMore ? (
    <LoadMoreButton isBusy={list.isLoadingMore} onClick={() => void list.loadMore()} />
  ) : null;
}

function LoadMoreButton({ isBusy, onClick }: { isBusy: boolean; onClick(): void }) {
  const t = useTranslations("common");
  return (
    <Button
      variant="outline"
      className="mx-auto"
      isBusy={isBusy}
      onClick={(event) => {
        keepFocusAbove(event.currentTarget);
        onClick();
      }}
    >
      {t("loadMore")}
    </Button>
  );
}

const ROWS_AT_A_TIME = 100;

/** The first rows of a complete list, and the button that shows more of them. */
export function FirstRows<Item>({
  items,
  children,
}: {
  items: readonly Item[];
  children(shown: readonly Item[]): ReactNode;
}) {
  const [count, setCount] = useState(ROWS_AT_A_TIME);
  const rendered = useRowsToRender(Math.min(count, items.length));
  return (
    <>
      {children(items.slice(0, rendered))}
      {items.length > count ? (
        <LoadMoreButton isBusy={false} onClick={() => setCount(count + ROWS_AT_A_TIME)} />
      ) : null}
    </>
  );
}

/** The empty state of a search, with a button that clears it. */
export function NoSearchResults({ title, text, onClear }: { title: string; text: string; onClear(): void }) {
  const t = useTranslations("common");
  return (
    <EmptyState
      icon={<SearchIcon />}
      title={title}
      action={
        <Button variant="outline" onClick={keepingFocus(onClear)}>
          {t("clearSearch")}
        </Button>
      }
    >
      {text}
    </EmptyState>
  );
}

function ListSkeleton() {
  return (
    <SkeletonRows className="flex items-center gap-8 p-4">
      <div className="grid flex-1 gap-2">
        <Skeleton className="h-4 w-40" />
        <Skeleton className="h-3 w-24" />
      </div>
      <Skeleton className="hidden h-4 w-32 md:block" />
      <Skeleton className="hidden h-4 w-24 md:block" />
    </SkeletonRows>
  );
}
