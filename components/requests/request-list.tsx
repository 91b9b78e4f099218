"use client";

import { ActivityIcon, FilterXIcon } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useTranslations } from "use-intl";
import { setQueryParam } from "@/lib/client/query-params";
import type { PagedCalls } from "@/lib/client/use-calls";
import { CallError } from "../forms/call-error";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { Skeleton } from "../ui/skeleton";
import { type CallColumn, LoadMoreTrigger, RequestTable } from "./request-table";

const CallDrawer = dynamic(() => import("./call-drawer").then((one) => one.CallDrawer), { ssr: false });

/** The calls of the range and filters, and the drawer of the call in the URL. */
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
  const open = useSearchParams().get("call");
  const { rows } = calls;
  return (
    <div className="grid gap-4">
      {calls.hasNewer ? (
        <Button variant="outline" size="sm" className="mx-auto" onClick={calls.showNewer}>
          {t("newer")}
        </Button>
      ) : null}
      {calls.error && !rows ? (
        <CallError error={calls.error} onRetry={() => void calls.reload()} />
      ) : !rows ? (
        <ListSkeleton />
      ) : rows.length > 0 ? (
        <RequestTable rows={rows} columns={columns} />
      ) : isFiltered ? (
        <EmptyState icon={<FilterXIcon />} title={t("empty.noMatchTitle")}>
          {t("empty.noMatchText")}
        </EmptyState>
      ) : (
        <EmptyState
          icon={<ActivityIcon />}
          title={t("empty.title")}
          action={
            <Button asChild variant="outline">
              <Link href="/playground/speech">{t("empty.openPlayground")}</Link>
            </Button>
          }
        >
          {t("empty.text")}
        </EmptyState>
      )}
      {calls.error && rows ? <CallError error={calls.error} onRetry={() => void calls.loadMore()} /> : null}
      {calls.hasMore && !calls.error ? (
        <>
          <LoadMoreTrigger key={rows?.length} onNear={() => void calls.loadMore()} />
          <Button
            variant="outline"
            className="mx-auto"
            isBusy={calls.isLoadingMore}
            onClick={() => void calls.loadMore()}
          >
            {t("more")}
          </Button>
        </>
      ) : null}
      {open === null ? null : (
        <CallDrawer id={open} isAdmin={isAdmin} onClose={() => setQueryParam("call", null)} />
      )}
    </div>
  );
}

function ListSkeleton() {
  return (
    <div aria-busy="true" className="divide-y rounded-md border bg-panel">
      {Array.from({ length: 12 }, (_, row) => row).map((row) => (
        <div key={row} className="flex h-10 items-center gap-8 px-4 max-xl:h-22">
          <Skeleton className="h-4 w-28" />
          <Skeleton className="h-4 flex-1" />
          <Skeleton className="hidden h-4 w-40 xl:block" />
          <Skeleton className="hidden h-4 w-20 xl:block" />
        </div>
      ))}
    </div>
  );
}
