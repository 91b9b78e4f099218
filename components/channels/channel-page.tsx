"use client";

import { AudioWaveformIcon, PencilIcon, Trash2Icon } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, cached, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useApi } from "@/lib/client/use-api";
import { useRange } from "@/lib/client/use-range";
import type { Channel } from "@/lib/contracts/console/channels";
import { RangePicker } from "../forms/range-picker";
import { useToastAction, useWhileMounted } from "../forms/use-action";
import { Button } from "../ui/button";
import { lazyPart } from "../ui/lazy-part";
import { RelativeTime } from "../ui/relative-time";
import { SentenceGap } from "../ui/sentence-gap";
import { Skeleton } from "../ui/skeleton";
import { BackToChannels } from "./back-to-channels";
import { ChannelOrigin } from "./channel-cells";
import { ChannelCharts } from "./channel-charts";
import type { ChannelDialog } from "./channel-dialogs";
import { ChannelErrors } from "./channel-errors";
import { ChannelLoadError } from "./channel-load-error";
import {
  ChannelStatusDot,
  CircuitNote,
  ConditionBadge,
  conditionOf,
  isUnhealthy,
  useCircuitText,
} from "./channel-state";
import { SavedTests } from "./saved-tests";
import { REFRESH_MS } from "./use-channels";

const ChannelDialogs = lazyPart(() => import("./channel-dialogs").then((one) => one.ChannelDialogs));

/** The detail page of a channel: metrics over a range, errors, keys and models. */
export function ChannelPage({ id, first }: { id: string; first: Channel | null }) {
  return (
    <SWRConfig value={{ fallback: first ? cached(api.getChannel, { params: { id } }, first) : {} }}>
      <Content id={id} />
    </SWRConfig>
  );
}

function Content({ id }: { id: string }) {
  const t = useTranslations("channels");
  const range = useRange();
  const [isDeleting, setDeleting] = useState(false);
  const {
    data: channel,
    error,
    mutate,
  } = useApi(api.getChannel, isDeleting ? null : { params: { id } }, {
    refreshInterval: REFRESH_MS,
    keepPreviousData: true,
  });
  const reload = () => void mutate();
  if (isApiError(error, "not_found") || (error && !channel))
    return <ChannelLoadError error={error} onRetry={reload} />;
  return (
    <div className="mx-auto grid max-w-page gap-6">
      <div>
        <BackToChannels />
        {channel ? (
          <Heading channel={channel} onChanged={reload} onDeleting={setDeleting} />
        ) : (
          <HeadingSkeleton />
        )}
      </div>
      {channel && isUnhealthy(conditionOf(channel)) ? (
        <CircuitNote channel={channel} onChanged={reload} />
      ) : null}
      <div className="grid gap-4">
        <RangePicker range={range} />
        <ChannelCharts id={id} range={range} />
      </div>
      <div className="grid items-start gap-x-4 gap-y-6 lg:grid-cols-2">
        <Part title={t("detail.models")}>
          {channel ? (
            <SavedTests channel={channel} onTested={reload} />
          ) : (
            <Skeleton className="h-32 rounded-md" />
          )}
        </Part>
        {channel?.embedded ? null : (
          <Part title={t("detail.keys")}>
            {channel ? (
              <ChannelKeys channel={channel} onChanged={reload} />
            ) : (
              <Skeleton className="h-32 rounded-md" />
            )}
          </Part>
        )}
      </div>
      <Part title={t("detail.errors")}>
        <ChannelErrors id={isDeleting ? null : id} range={range} />
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-3">
      <h2 className="text-lg">{title}</h2>
      {children}
    </section>
  );
}

function Heading({
  channel,
  onChanged,
  onDeleting,
}: {
  channel: Channel;
  onChanged(): void;
  onDeleting(isDeleting: boolean): void;
}) {
  const t = useTranslations("channels");
  const router = useRouter();
  const [dialog, setDialog] = useState<ChannelDialog | null>(null);
  // Does nothing if the user opened another page while the channel was being deleted.
  const leave = useWhileMounted(() => router.push("/channels"));
  const condition = conditionOf(channel);
  return (
    <header className="flex flex-wrap items-start justify-between gap-4">
      <div className="grid min-w-0 gap-1">
        <h1 className="flex flex-wrap items-center gap-2.5 text-xl wrap-anywhere">
          <ChannelStatusDot condition={condition} />
          {channel.name}
          <ConditionBadge condition={condition} />
        </h1>
        <div className="flex flex-wrap gap-x-3 text-sm text-ink-muted">
          <ChannelOrigin channel={channel} />
          <span>
            <RelativeTime at={channel.created_at} phrase={(when) => t("detail.added", { when })} />
          </span>
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="outline"
          disabled={channel.models.length === 0}
          onClick={() => setDialog({ kind: "test", channel })}
        >
          <AudioWaveformIcon aria-hidden="true" />
          {t("detail.test")}
        </Button>
        <Button variant="outline" asChild>
          <Link href={`/channels/${encodeURIComponent(channel.id)}/edit`}>
            <PencilIcon aria-hidden="true" />
            {t("detail.edit")}
          </Link>
        </Button>
        {channel.embedded ? null : (
          <Button
            variant="ghost"
            size="icon"
            aria-label={t("delete.action")}
            onClick={() => setDialog({ kind: "delete", channel })}
          >
            <Trash2Icon />
          </Button>
        )}
      </div>
      {dialog ? (
        <ChannelDialogs
          dialog={dialog}
          onTested={onChanged}
          onDeleting={onDeleting}
          onDeleted={leave}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </header>
  );
}

function HeadingSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-1">
      <Skeleton className="h-7 w-56" />
      <Skeleton className="h-5 w-72" />
    </div>
  );
}

/** The upstream keys of a channel by label, else by last characters, each with the state of its circuit breaker. */
function ChannelKeys({ channel, onChanged }: { channel: Channel; onChanged(): void }) {
  const t = useTranslations("channels");
  if (channel.keys.length === 0) return <p className="text-ink-muted">{t("detail.noKeys")}</p>;
  return (
    <ul className="divide-y rounded-md border bg-panel">
      {channel.keys.map((key) => (
        <ChannelKey key={key.id} of={key} channel={channel} onChanged={onChanged} />
      ))}
    </ul>
  );
}

function ChannelKey({
  of: key,
  channel,
  onChanged,
}: {
  of: Channel["keys"][number];
  channel: Channel;
  onChanged(): void;
}) {
  const t = useTranslations("channels");
  const circuitText = useCircuitText();
  const { isBusy, run } = useToastAction();
  const isClosed = key.state === "closed";
  // Requests are not counted per key: a key with a closed circuit shows the outcome of its channel's requests.
  const condition = key.state === "closed" ? channel.use : key.state;
  const { cause, advice, retry } = circuitText(key);
  const close = () =>
    run(async () => {
      await callApi(api.closeCircuit, { params: { id: channel.id }, body: { key_id: key.id } });
      onChanged();
    });
  return (
    <li className="grid gap-2 px-3 py-2">
      <span className="flex min-h-8 flex-wrap items-center justify-between gap-3">
        <span className="flex items-center gap-2.5">
          <ChannelStatusDot condition={condition} />
          {key.label === null ? <code>{key.display}</code> : <span title={key.display}>{key.label}</span>}
          <span className="text-sm text-ink-muted">{t(`state.${condition}`)}</span>
        </span>
        {isClosed ? null : (
          <Button variant="outline" size="sm" isBusy={isBusy} onClick={() => void close()}>
            {t("close")}
          </Button>
        )}
      </span>
      {isClosed ? null : (
        <p className="pb-1 text-sm">
          {cause}
          <SentenceGap />
          <span className="text-ink-muted" suppressHydrationWarning>
            {advice}
            <SentenceGap />
            {retry}
          </span>
        </p>
      )}
    </li>
  );
}
