"use client";

import Link from "next/link";
import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import type { Overview, OverviewChannel } from "@/lib/contracts/console/overview";
import { cn } from "../ui/class-names";
import { CordLegend } from "./cord-legend";
import { type Cord, cordsOf, isCircuitOpen, ROW, STROKES } from "./cords";

/** More rows than this stand on the pages of their own. */
const MOST_ROWS = 10;

/** Models on the left, channels on the right, a cord for each route; those who hear the page get a list. */
export function PatchBay({ overview }: { overview: Overview }) {
  const t = useTranslations("overview.bay");
  const [touched, setTouched] = useState<{ model?: string; channelId?: string } | null>(null);
  const models = overview.models.slice(0, MOST_ROWS);
  const channels = overview.channels.filter((one) => one.enabled || one.calls > 0).slice(0, MOST_ROWS);
  const isOpen = (id: string, model: string) =>
    isCircuitOpen(
      overview.channels.find((one) => one.id === id),
      model,
    );
  const cords = cordsOf(
    overview.routes,
    models.map((one) => one.name),
    channels.map((one) => one.id),
    isOpen,
  );
  const isQuiet = (cord: Cord) =>
    touched !== null && cord.model !== touched.model && cord.channelId !== touched.channelId;
  const rows = Math.max(models.length, channels.length);
  const stateOf = (of: (cord: Cord) => boolean) => cords.filter(of);
  return (
    <section aria-labelledby="patch-bay" className="rounded-md border bg-panel">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2 border-b px-5 py-4">
        <div>
          <h2 id="patch-bay" className="text-lg">
            {t("title")}
          </h2>
          <p className="text-sm text-ink-muted">{t("lead")}</p>
        </div>
        <CordLegend />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(2.25rem,0.3fr)_minmax(0,1fr)] px-4 py-3 sm:grid-cols-[minmax(0,1fr)_minmax(6rem,1.6fr)_minmax(0,1fr)] sm:px-5">
        <Side title={t("models")} isRight={false}>
          {models.map((model) => (
            <Row
              key={model.name}
              isRight={false}
              jack={jackOf(stateOf((cord) => cord.model === model.name))}
              onTouch={(isOn) => setTouched(isOn ? { model: model.name } : null)}
            >
              <Link
                prefetch={false}
                href={`/models?q=${encodeURIComponent(model.name)}`}
                title={model.name}
                className="max-w-full min-w-0 truncate rounded-sm hover:underline"
              >
                <code>{model.name}</code>
              </Link>
              {stateOf((cord) => cord.model === model.name).length === 0 ? (
                <span className="max-w-full truncate text-xs text-warn">{t("unserved")}</span>
              ) : null}
            </Row>
          ))}
        </Side>
        <svg
          aria-hidden="true"
          viewBox={`0 0 100 ${rows * ROW}`}
          preserveAspectRatio="none"
          className="mt-6 w-full overflow-visible"
          style={{ height: rows * ROW }}
        >
          {cords.map((cord) => (
            <path
              key={cord.key}
              d={cord.path}
              fill="none"
              strokeWidth={cord.width}
              strokeLinecap={STROKES[cord.state].cap}
              vectorEffect="non-scaling-stroke"
              strokeDasharray={STROKES[cord.state].dashes}
              className={cn("transition-opacity", STROKES[cord.state].colour, isQuiet(cord) && "opacity-15")}
            />
          ))}
        </svg>
        <Side title={t("channels")} isRight>
          {channels.map((channel) => (
            <Row
              key={channel.id}
              isRight
              jack={
                isCircuitOpen(channel) ? "failing" : jackOf(stateOf((cord) => cord.channelId === channel.id))
              }
              onTouch={(isOn) => setTouched(isOn ? { channelId: channel.id } : null)}
            >
              <ChannelName channel={channel} />
            </Row>
          ))}
        </Side>
      </div>
      <ul className="sr-only">
        {overview.routes.map((route) => (
          <li key={`${route.model} ${route.channel_id}`}>
            {t(isOpen(route.channel_id, route.model) ? "routeOpen" : "route", {
              model: route.model,
              channel: overview.channels.find((one) => one.id === route.channel_id)?.name ?? route.channel_id,
              calls: route.calls,
              errors: route.errors,
            })}
          </li>
        ))}
      </ul>
    </section>
  );
}

function jackOf(cords: readonly Cord[]): Cord["state"] {
  if (cords.some((cord) => cord.state === "active")) return "active";
  return cords.some((cord) => cord.state === "failing") ? "failing" : "idle";
}

function Side({ title, isRight, children }: { title: string; isRight: boolean; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className={cn("h-6 text-xs text-ink-faint", isRight ? "pl-7" : "pr-7 text-right")}>{title}</p>
      <ul>{children}</ul>
    </div>
  );
}

/** A name and its jack; the jack stands where the cords begin. */
function Row({
  isRight,
  jack,
  onTouch,
  children,
}: {
  isRight: boolean;
  jack: Cord["state"];
  onTouch(isOn: boolean): void;
  children: ReactNode;
}) {
  const lit = { active: "bg-signal", failing: "bg-bad", idle: "bg-transparent" }[jack];
  return (
    <li
      className={cn(
        "flex items-center gap-1.5 max-sm:text-sm sm:gap-2.5",
        isRight ? "flex-row" : "flex-row-reverse",
      )}
      style={{ height: ROW }}
      onPointerEnter={() => onTouch(true)}
      onPointerLeave={() => onTouch(false)}
      onFocus={() => onTouch(true)}
      onBlur={() => onTouch(false)}
    >
      <span
        aria-hidden="true"
        className={cn(
          "flex size-4.5 shrink-0 items-center justify-center rounded-full border-2 bg-panel",
          jack === "failing" ? "border-bad" : "border-line-strong",
        )}
      >
        <span className={cn("size-2 rounded-full", lit)} />
      </span>
      <span
        className={cn(
          "grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)]",
          isRight ? "justify-items-start" : "justify-items-end",
        )}
      >
        {children}
      </span>
    </li>
  );
}

function ChannelName({ channel }: { channel: OverviewChannel }) {
  const t = useTranslations("overview.bay");
  const state = channel.health?.state;
  const isOpen = isCircuitOpen(channel);
  const word =
    channel.health === null
      ? t("gone")
      : !channel.enabled
        ? t("off")
        : isOpen
          ? t("open")
          : state === "half_open"
            ? t("halfOpen")
            : null;
  return (
    <>
      {channel.name === null ? (
        <code className="min-w-0 max-w-full truncate text-ink-muted">{channel.id}</code>
      ) : (
        <Link
          prefetch={false}
          href={`/channels/${channel.id}`}
          title={channel.name}
          className="max-w-full min-w-0 truncate rounded-sm hover:underline"
        >
          {channel.name}
        </Link>
      )}
      {word === null ? null : (
        <span className={cn("max-w-full truncate text-xs", isOpen ? "text-bad" : "text-ink-faint")}>
          {word}
        </span>
      )}
    </>
  );
}
