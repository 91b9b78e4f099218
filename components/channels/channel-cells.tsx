"use client";

import { useTranslations } from "use-intl";
import { hostOf, NAMED_PRESETS, presetOfChannel } from "@/components/channels/channel-draft";
import type { Channel } from "@/lib/contracts/console/channels";
import { Money } from "../charts/money";
import { useAmounts } from "../charts/use-amounts";
import { Skeleton } from "../ui/skeleton";
import { ProviderMark } from "./provider-mark";
import type { ChannelTraffic } from "./use-channels";

/** Usage of the last 24 hours; undefined while loading. */
export type Traffic = ChannelTraffic | undefined;

const KNOWN = [...NAMED_PRESETS, "embedded"] as const;

type Origin = Pick<Channel, "provider" | "base_url" | "embedded">;

/** Display name of a channel's provider. */
function useProviderName(): (channel: Origin) => string {
  const t = useTranslations("channels.provider");
  return (channel) => {
    const preset = presetOfChannel(channel);
    const known = KNOWN.find((one) => one === preset);
    return known ? t(known) : preset;
  };
}

/** Provider and host: `OpenAI-compatible · 127.0.0.1:8880`. */
export function ChannelOrigin({ channel }: { channel: Channel }) {
  const nameOf = useProviderName();
  const host = hostOf(channel.base_url ?? "");
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-sm text-ink-muted">
      <ProviderMark provider={presetOfChannel(channel)} className="size-4" />
      <span>{nameOf(channel)}</span>
      {host ? <code className="min-w-0 break-all">{host}</code> : null}
    </span>
  );
}

const SHOWN_MODELS = 2;
/** Names in the tooltip. */
const TOOLTIP_MODELS = 20;

/** Public names of the channel's models: the first two, then a count of the rest; more names in the tooltip. */
export function ChannelModels({
  channel,
}: {
  channel: { models: readonly Pick<Channel["models"][number], "name">[] };
}) {
  const t = useTranslations("channels");
  const names = channel.models.map((model) => model.name);
  if (names.length === 0) return <span className="text-ink-muted">{t("noModels")}</span>;
  const rest = names.length - SHOWN_MODELS;
  const unlisted = names.length - TOOLTIP_MODELS;
  const tooltip = [
    ...names.slice(0, TOOLTIP_MODELS),
    ...(unlisted > 0 ? [t("moreModels", { count: unlisted })] : []),
  ];
  return (
    // Wide enough for a typical model name; longer names break at a hyphen first.
    <span className="grid min-w-32 text-sm" title={tooltip.join("\n")}>
      {names.slice(0, SHOWN_MODELS).map((name) => (
        <code key={name} className="min-w-0 wrap-anywhere">
          {name}
        </code>
      ))}
      {rest > 0 ? <span className="text-ink-muted">{t("moreModels", { count: rest })}</span> : null}
    </span>
  );
}

type MetricName = "latency" | "traffic" | "errors" | "spend";

/** One metric of the last 24 hours: a skeleton while loading, a dash without calls. */
export function ChannelMetric({
  name,
  channel,
  traffic,
}: {
  name: MetricName;
  channel: Channel;
  traffic: Traffic;
}) {
  const format = useAmounts();
  if (!traffic) return <Skeleton className="inline-block h-3.5 w-12 align-middle" />;
  const own = traffic.byId.get(channel.id);
  const nothing = <span className="text-ink-faint">–</span>;
  if (name === "errors") {
    // Counts every attempt on this channel, including failed ones whose call another channel then served.
    const failovers = traffic.failovers.get(channel.id) ?? 0;
    const attempts = (own?.calls ?? 0) + failovers;
    if (attempts === 0) return nothing;
    const rate = ((own?.errors ?? 0) + failovers) / attempts;
    return (
      <span className={rate >= 0.05 ? "tabular font-medium text-bad" : "tabular"}>{format.share(rate)}</span>
    );
  }
  if (!own || own.calls === 0) return nothing;
  switch (name) {
    case "latency":
      if (own.latency_p50_ms === null || own.latency_p95_ms === null) return nothing;
      return (
        <span className="tabular whitespace-nowrap">
          {format.estimatedMs(own.latency_p50_ms)}
          <span className="text-ink-muted"> / {format.ms(own.latency_p95_ms)}</span>
        </span>
      );
    case "traffic":
      return <TrafficBar share={own.calls / traffic.calls} calls={own.calls} />;
    case "spend":
      return <Money usd={own.cost_usd} />;
    default:
      return name satisfies never;
  }
}

function TrafficBar({ share, calls }: { share: number; calls: number }) {
  const format = useAmounts();
  return (
    <span className="grid w-20 gap-1" title={format.count(calls)}>
      <span className="tabular">{format.share(share)}</span>
      <span aria-hidden="true" className="h-1 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full rounded-full bg-chart-1" style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  );
}
