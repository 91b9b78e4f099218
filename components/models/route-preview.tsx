"use client";

import Link from "next/link";
import { useNow, useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useApi } from "@/lib/client/use-api";
import type { RoutePreview as Preview } from "@/lib/contracts/console/routing";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { StatusDot } from "../ui/badge";
import { Notice } from "../ui/notice";
import { SentenceGap } from "../ui/sentence-gap";
import { Skeleton } from "../ui/skeleton";
import { HEALTH_TONES } from "./model-cells";

/** Milliseconds between polls: a route depends on circuits, limits and calls in flight. */
const REFRESH_MS = 3_000;

/** Where a call for a model would be routed now: the tiers in order, then the skipped channels and why. */
export function RoutePreview({ name }: { name: string }) {
  const t = useTranslations("models.route");
  const { data, error, mutate } = useApi(
    api.previewRoute,
    { params: { model: name } },
    { refreshInterval: REFRESH_MS },
  );
  if (isApiError(error, "not_found")) return <Notice tone="warn">{t("unknown")}</Notice>;
  if (!data && !error) return <RouteSkeleton />;
  return (
    <div className="grid gap-5">
      {/* Also shown above a route: after a few failures polling ends and the route may be outdated. */}
      <CallError error={error} onRetry={() => void mutate()} />
      {data ? <Route of={data} /> : null}
    </div>
  );
}

function Route({ of: data }: { of: Preview }) {
  const t = useTranslations("models.route");
  return (
    <>
      <RouteWarning of={data} />
      {data.turns.length > 0 ? (
        <ol className="grid">
          {data.turns.map((turn, index) => (
            <Turn
              key={turn.channels.map((one) => one.id).join()}
              turn={turn}
              index={index}
              model={data.model}
            />
          ))}
        </ol>
      ) : null}
      {data.turns.length > 0 ? (
        <p className="text-sm text-ink-muted">
          {t("attempts", { count: data.attempts, channels: channelCount(data) })}
        </p>
      ) : null}
      {data.recovering.length > 0 ? <Recovering of={data} /> : null}
      {data.skipped.length > 0 ? <Skipped of={data} /> : null}
    </>
  );
}

/** The number of channels that may get attempts of a request. */
function channelCount({ turns, recovering }: Preview): number {
  return turns.reduce((count, { channels }) => count + channels.length, recovering.length);
}

/** Why no channel with a closed circuit would serve the model; renders nothing if one would. */
function RouteWarning({ of: { enabled, turns, recovering, skipped } }: { of: Preview }) {
  const t = useTranslations("models.route");
  if (!enabled) return <Notice tone="info">{t("disabled")}</Notice>;
  if (turns.length > 0) return null;
  if (recovering.length > 0) return <Notice tone="warn">{t("onlyRecovering")}</Notice>;
  return skipped.length > 0 ? (
    <Notice tone="bad">{t("allSkipped")}</Notice>
  ) : (
    <Notice tone="warn">
      {t("none")}
      <SentenceGap />
      <Link prefetch={false} href="/channels" className="text-ink underline underline-offset-4">
        {t("toChannels")}
      </Link>
    </Notice>
  );
}

function Turn({ turn, index, model }: { turn: Preview["turns"][number]; index: number; model: string }) {
  const t = useTranslations("models.route");
  const state = useTranslations("channels.state");
  const { share } = useAmounts();
  return (
    <li className="grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-3 pb-3 last:pb-0">
      <span className="pt-2.5 text-sm text-ink-faint">{t(index === 0 ? "first" : "next")}</span>
      <ul className="divide-y rounded-md border bg-panel">
        {turn.channels.map((channel) => (
          <li key={channel.id} className="flex items-center justify-between gap-3 px-3 py-2">
            <span className="flex min-w-0 items-baseline gap-2.5">
              <StatusDot tone={HEALTH_TONES[channel.use]} />
              <span className="grid min-w-0">
                <ChannelLink channel={channel} />
                {channel.upstream_name === model ? null : (
                  <code className="text-sm break-all text-ink-muted">
                    {t("as", { name: channel.upstream_name })}
                  </code>
                )}
              </span>
            </span>
            <span className="tabular grid justify-items-end text-sm whitespace-nowrap text-ink-muted">
              <span>{state(channel.use)}</span>
              {turn.channels.length > 1 ? (
                <span>{t(index === 0 ? "share" : "failoverShare", { share: share(channel.share) })}</span>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}

function Recovering({ of: { recovering } }: { of: Preview }) {
  const t = useTranslations("models.route");
  const state = useTranslations("channels.state");
  const reason = useTranslations("channels.reason");
  return (
    <section className="grid gap-2">
      <h3 className="text-sm text-ink-muted">{state("half_open")}</h3>
      <ul className="divide-y rounded-md border">
        {recovering.map((channel) => (
          <li key={channel.id} className="grid gap-0.5 px-3 py-2">
            <span className="flex items-baseline gap-2.5">
              <StatusDot tone="warn" />
              <ChannelLink channel={channel} />
            </span>
            <span className="pl-4.5 text-sm text-ink-muted">
              {t("probe")} {reason(channel.health.reason ?? "unknown")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Skipped({ of: { skipped } }: { of: Preview }) {
  const t = useTranslations("models.route");
  const reason = useTranslations("channels.reason");
  const now = useNow({ updateInterval: 1_000 }).getTime();
  return (
    <section className="grid gap-2">
      <h3 className="text-sm text-ink-muted">{t("skipped")}</h3>
      <ul className="divide-y rounded-md border">
        {skipped.map((channel) => {
          const seconds = channel.until ? Math.ceil((Date.parse(channel.until) - now) / 1_000) : 0;
          return (
            <li key={channel.id} className="grid gap-0.5 px-3 py-2">
              <span className="flex items-baseline gap-2.5">
                <StatusDot tone={channel.reason === "disabled" ? "off" : "bad"} />
                <ChannelLink channel={channel} />
              </span>
              <span className="pl-4.5 text-sm text-ink-muted">
                {channel.reason === "circuit" ? t("down") : null}
                <SentenceGap />
                {channel.circuit_reason ? reason(channel.circuit_reason) : t(`because.${channel.reason}`)}
                <SentenceGap />
                {seconds > 0 ? t("until", { seconds }) : null}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function ChannelLink({ channel }: { channel: { id: string; name: string } }) {
  return (
    <Link
      prefetch={false}
      href={`/channels/${encodeURIComponent(channel.id)}`}
      className="rounded-sm wrap-anywhere underline-offset-4 hover:underline"
    >
      {channel.name}
    </Link>
  );
}

function RouteSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-3">
      <Skeleton className="h-11 rounded-md" />
      <Skeleton className="h-11 rounded-md" />
      <Skeleton className="h-4 w-56" />
    </div>
  );
}
