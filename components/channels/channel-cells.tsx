"use client";

import { useTranslations } from "use-intl";
import { hostOf } from "@/components/channels/channel-draft";
import type { Channel } from "@/lib/contracts/console/channels";
import type { UsageSums } from "@/lib/contracts/console/usage-summary";
import { Money } from "../charts/money";
import { useAmounts } from "../charts/use-amounts";
import { Skeleton } from "../ui/skeleton";

/** Usage sums by channel id and the calls of all channels over the last 24 hours; undefined while loading. */
export type Traffic = { byId: ReadonlyMap<string, UsageSums>; calls: number } | undefined;

const KNOWN = ["openai", "gemini", "elevenlabs"] as const;

/** Display name of a channel's provider. */
function useProviderName(): (channel: Pick<Channel, "provider" | "base_url" | "embedded">) => string {
  const t = useTranslations("channels.provider");
  return ({ provider, base_url, embedded }) => {
    if (embedded) return t("embedded");
    const host = hostOf(base_url ?? "");
    if (provider === "openai" && host !== "" && host !== "api.openai.com")
      return host.endsWith(".azure.com") ? t("azure") : t("compatible");
    const known = KNOWN.find((one) => one === provider);
    return known ? t(known) : provider;
  };
}

/** Provider and host: `OpenAI-compatible · 127.0.0.1:8880`. */
export function ChannelOrigin({ channel }: { channel: Channel }) {
  const nameOf = useProviderName();
  const host = hostOf(channel.base_url ?? "");
  return (
    <span className="flex min-w-0 flex-wrap gap-x-1.5 text-sm text-ink-muted">
      <span>{nameOf(channel)}</span>
      {host ? <code className="min-w-0 break-all">{host}</code> : null}
    </span>
  );
}

const SHOWN_MODELS = 2;

/** Public names of the channel's models: the first two, then a count of the rest. */
export function ChannelModels({ channel }: { channel: Channel }) {
  const t = useTranslations("channels");
  const names = channel.models.map((model) => model.name);
  if (names.length === 0) return <span className="text-ink-muted">{t("noModels")}</span>;
  const rest = names.length - SHOWN_MODELS;
  return (
    // Wide enough for a typical model name; longer names break at a hyphen first.
    <span className="grid min-w-32 text-sm" title={names.join("\n")}>
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
  if (!own || own.calls === 0) return nothing;
  switch (name) {
    case "latency":
      if (own.latency_p50_ms === null || own.latency_p95_ms === null) return nothing;
      return (
        <span className="tabular whitespace-nowrap">
          {format.ms(own.latency_p50_ms)}
          <span className="text-ink-muted"> / {format.ms(own.latency_p95_ms)}</span>
        </span>
      );
    case "traffic":
      return <TrafficBar share={own.calls / traffic.calls} calls={own.calls} />;
    case "errors": {
      const rate = own.errors / own.calls;
      return (
        <span className={rate >= 0.05 ? "tabular font-medium text-bad" : "tabular"}>
          {format.share(rate)}
        </span>
      );
    }
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
