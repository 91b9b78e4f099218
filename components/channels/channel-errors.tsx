"use client";

import Link from "next/link";
import useSWR from "swr";
import { useTranslations } from "use-intl";
import { type Range, rangeQuery } from "@/lib/client/range";
import type { ListPage } from "@/lib/contracts/paging";
import type { UsageRow } from "@/lib/contracts/usage";
import { CallError } from "../forms/call-error";
import { CopyButton } from "../ui/copy-button";
import { RelativeTime } from "../ui/relative-time";
import { Skeleton } from "../ui/skeleton";
import { useFigures } from "./use-figures";

const SHOWN = 8;

/** The newest calls that ended badly on a channel. */
export function ChannelErrors({ id, range }: { id: string; range: Range }) {
  const t = useTranslations("channels.detail");
  const figures = useFigures();
  const filter = new URLSearchParams({ channel_id: id, status: "failed" });
  const ends = rangeQuery({ from: range.from, to: range.to });
  const { data, error, mutate } = useSWR<ListPage<UsageRow>>(`/api/usage?${filter}&${ends}&limit=${SHOWN}`, {
    refreshInterval: 30_000,
    keepPreviousData: true,
  });
  if (error && !data) return <CallError error={error} onRetry={() => void mutate()} />;
  if (!data) return <Skeleton className="h-20 rounded-md" />;
  if (data.items.length === 0) return <p className="text-ink-muted">{t("noErrors")}</p>;
  return (
    <div className="grid gap-3">
      <ul className="divide-y rounded-md border bg-panel">
        {data.items.map((call) => (
          <li
            key={call.id}
            className="grid gap-x-4 gap-y-1 px-4 py-2.5 text-sm md:grid-cols-[10rem_minmax(0,1fr)_minmax(0,1fr)_6rem_minmax(0,14rem)] md:items-center"
          >
            <span className="text-ink-muted">
              <RelativeTime at={call.at} />
            </span>
            <span className="flex items-baseline gap-2">
              <span className="tabular">{call.status}</span>
              <code className="min-w-0 break-all text-bad">{call.error}</code>
            </span>
            <code className="min-w-0 break-all">{call.model}</code>
            <span className="tabular text-ink-muted md:text-right">{figures.duration(call.latency_ms)}</span>
            <span className="flex min-w-0 items-center gap-1">
              <code className="min-w-0 truncate text-ink-muted">{call.request_id}</code>
              <CopyButton value={call.request_id} name={t("requestId")} />
            </span>
          </li>
        ))}
      </ul>
      <Link
        prefetch={false}
        href={`/logs?${filter}`}
        className="w-fit rounded-sm text-sm underline decoration-line-strong underline-offset-4 hover:decoration-ink"
      >
        {t("allErrors")}
      </Link>
    </div>
  );
}
