import Link from "next/link";
import { useRef } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useIsLive } from "@/lib/client/live";
import { OVERVIEW_OPTIONS } from "@/lib/client/overview";
import { useApi } from "@/lib/client/use-api";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { CallAmount, CallState, outcomeOf } from "../requests/call-cells";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Skeleton } from "../ui/skeleton";
import { useIsBrowser } from "../ui/use-is-browser";

const MAX_ROWS = 12;

/** The most recent calls; a new one slides in at the top. */
export function RecentRequests({ isAdmin }: { isAdmin: boolean }) {
  const t = useTranslations("overview.recent");
  const isLive = useIsLive();
  const { data, error, mutate } = useApi(api.listCalls, { query: { limit: MAX_ROWS } }, OVERVIEW_OPTIONS);
  const rows = data?.items;
  const seen = useRef<Set<string> | null>(null);
  if (rows && seen.current === null) seen.current = new Set(rows.map((row) => row.id));
  return (
    <section aria-labelledby="recent-requests" className="rounded-md border bg-panel">
      <div className="flex items-center justify-between gap-4 border-b px-5 py-3">
        <h2 id="recent-requests" className="flex items-baseline gap-3 text-lg">
          {t("title")}
          <span className="flex items-center gap-1.5 text-xs font-normal text-ink-muted">
            <StatusDot tone={isLive ? "signal" : "off"} />
            {isLive ? t("live") : t("paused")}
          </span>
        </h2>
        <Button asChild variant="outline" size="sm">
          <Link prefetch={false} href={isAdmin ? "/logs" : "/usage"}>
            {t("all")}
          </Link>
        </Button>
      </div>
      {error && !rows ? (
        <CallError error={error} onRetry={() => void mutate()} className="m-4" />
      ) : !rows ? (
        <RowsSkeleton />
      ) : rows.length === 0 ? (
        <p className="px-5 py-6 text-sm text-ink-muted">{t("empty")}</p>
      ) : (
        <ul className="divide-y" aria-labelledby="recent-requests">
          {rows.map((row) => (
            <RequestRow
              key={row.id}
              call={row}
              isAdmin={isAdmin}
              isNew={seen.current?.has(row.id) === false}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function RequestRow({ call, isAdmin, isNew }: { call: UsageRow; isAdmin: boolean; isNew: boolean }) {
  const t = useTranslations("requests");
  const tRecent = useTranslations("overview.recent");
  const amounts = useAmounts();
  // The server does not know the visitor's time zone: the time is rendered in the browser, in space reserved for it.
  const isBrowser = useIsBrowser();
  const stamp = isBrowser ? amounts.stamp(call.at) : "";
  const outcome = call.error ?? t(`state.${outcomeOf(call)}`);
  return (
    <li
      className={cn(
        "relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-5 py-2 text-sm transition-colors hover:bg-sunken/60 lg:h-10 lg:py-0",
        isAdmin
          ? "lg:grid-cols-[7.5rem_minmax(11rem,1.4fr)_minmax(8rem,1.3fr)_minmax(0,1.2fr)_minmax(0,1fr)_5rem_6rem]"
          : "lg:grid-cols-[7.5rem_minmax(11rem,1.4fr)_minmax(8rem,1.4fr)_minmax(0,1fr)_5rem_6rem]",
        isNew && "animate-in fade-in-0 slide-in-from-top-2 duration-180",
      )}
    >
      <Link
        href={`${isAdmin ? "/logs" : "/usage"}?call=${encodeURIComponent(call.id)}`}
        prefetch={false}
        aria-label={tRecent("open", { outcome, model: call.model, when: stamp })}
        className="tabular text-ink-muted after:absolute after:inset-0 max-lg:order-2 max-lg:justify-self-end"
      >
        <time dateTime={call.at}>{stamp || " "}</time>
      </Link>
      <CallState call={call} className="max-lg:order-1" />
      <code className="truncate max-lg:order-3">{call.model}</code>
      {isAdmin ? (
        <span className="truncate text-ink-muted max-lg:hidden">
          {call.channel_name ?? call.channel_id ?? t("noChannel")}
        </span>
      ) : null}
      <span className="truncate text-ink-muted max-lg:hidden">{call.key_name ?? call.key_id}</span>
      <span className="tabular text-right max-lg:order-4">
        {call.state === "open" ? "…" : amounts.ms(call.latency_ms)}
      </span>
      <span className="tabular text-right text-ink-muted max-lg:hidden">
        <CallAmount call={call} />
      </span>
    </li>
  );
}

function RowsSkeleton() {
  return (
    <div aria-busy="true" className="divide-y">
      {Array.from({ length: MAX_ROWS }, (_, row) => row).map((row) => (
        <div key={row} className="flex h-10 items-center gap-8 px-5 max-lg:h-15">
          <Skeleton className="h-4 w-28" />
          <Skeleton className="h-4 flex-1" />
        </div>
      ))}
    </div>
  );
}
