"use client";

import Link from "next/link";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { callsHref } from "@/lib/client/calls";
import { type Range, rangeQuery } from "@/lib/client/range";
import { useApi } from "@/lib/client/use-api";
import type { ChannelError } from "@/lib/contracts/console/channel-errors";
import { CallError } from "../forms/call-error";
import { CopyButton } from "../ui/copy-button";
import { RelativeTime } from "../ui/relative-time";
import { Skeleton } from "../ui/skeleton";

const SHOWN = 8;

/**
 * The newest failed attempts on a channel, including those whose call was recovered by failover. `id` null: nothing is
 * fetched and the last list stays on the page.
 */
export function ChannelErrors({ id, range }: { id: string | null; range: Range }) {
  const t = useTranslations("channels.detail");
  const { data, error, mutate } = useApi(
    api.listChannelErrors,
    id === null ? null : { params: { id }, query: { ...rangeQuery(range), limit: SHOWN } },
    { refreshInterval: 30_000, keepPreviousData: true },
  );
  if (error && !data) return <CallError error={error} onRetry={() => void mutate()} />;
  if (!data) return <Skeleton className="h-20 rounded-md" />;
  if (data.items.length === 0) return <p className="text-ink-muted">{t("noErrors")}</p>;
  return (
    <div className="grid gap-3">
      <ul className="divide-y rounded-md border bg-panel">
        {data.items.map((call) => (
          <FailedAttempt key={call.id} call={call} />
        ))}
      </ul>
      {data.items.some((call) => call.status >= 400) ? (
        <Link
          prefetch={false}
          href={callsHref(true, range, { channel_id: id ?? "", status: "failed" })}
          className="w-fit rounded-sm text-sm underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          {t("allErrors")}
        </Link>
      ) : null}
    </div>
  );
}

function FailedAttempt({ call }: { call: ChannelError }) {
  const t = useTranslations("channels.detail");
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-2.5 text-sm md:grid-cols-[8rem_minmax(0,1fr)_minmax(0,1fr)_10rem_minmax(0,14rem)] md:items-center">
      <span className="text-ink-muted">
        <RelativeTime at={call.at} />
      </span>
      <span className="flex items-baseline gap-2">
        {call.upstream_status === null ? null : <span className="tabular">{call.upstream_status}</span>}
        <code className="min-w-0 break-all text-bad">{call.error}</code>
      </span>
      <code className="min-w-0 break-all">{call.model}</code>
      <span className="text-ink-muted">
        {call.status < 400 ? t("recovered") : t("callerGot", { status: String(call.status) })}
      </span>
      <span className="flex min-w-0 items-center gap-1">
        <Link
          prefetch={false}
          href={`/logs?call=${encodeURIComponent(call.id)}`}
          className="min-w-0 truncate rounded-sm font-mono text-ink-muted underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          {call.request_id}
        </Link>
        <CopyButton value={call.request_id} name={t("requestId")} />
      </span>
      {call.message === null && call.key === null ? null : (
        <span className="col-span-full break-words text-ink-muted">
          {call.key === null ? null : <span className="mr-2">{t("withKey", { key: call.key })}</span>}
          {call.message}
        </span>
      )}
    </li>
  );
}
