"use client";

import Link from "next/link";
import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import type { Overview, OverviewChannel, OverviewRoute } from "@/lib/contracts/console/overview";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";
import { type Cord, cordsOf, isCircuitOpen, ROW, STROKES, stateOf } from "./cords";

/** Most channels; those with incidents may be more. Further ones are on the page of channels only. */
const MAX_CHANNELS = 10;

/** The routes as a patch bay: models on the left, channels on the right, a line each. Screen readers get a list. */
export function PatchBay({ overview }: { overview: Overview }) {
  const t = useTranslations("overview.bay");
  const [hovered, setHovered] = useState<{ model?: string; channelId?: string } | null>(null);
  const { models } = overview;
  const channels = overview.channels.slice(0, MAX_CHANNELS);
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
  const isFaded = (cord: Cord) =>
    hovered !== null && cord.model !== hovered.model && cord.channelId !== hovered.channelId;
  const rows = Math.max(models.length, channels.length);
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
          {models.map(({ name, served }) => (
            <Row
              key={name}
              isRight={false}
              state={stateOf(cords.filter((cord) => cord.model === name))}
              onHover={(isOn) => setHovered(isOn ? { model: name } : null)}
            >
              <Link
                prefetch={false}
                href={`/models?q=${encodeURIComponent(name)}`}
                title={name}
                className="max-w-full min-w-0 truncate rounded-sm hover:underline"
              >
                <code>{name}</code>
              </Link>
              {served ? null : <span className="max-w-full truncate text-xs text-warn">{t("unserved")}</span>}
            </Row>
          ))}
        </Side>
        <Cords rows={rows} cords={cords} isFaded={isFaded} />
        <Side title={t("channels")} isRight>
          {channels.map((channel) => (
            <Row
              key={channel.id}
              isRight
              state={
                isCircuitOpen(channel)
                  ? "failing"
                  : stateOf(cords.filter((cord) => cord.channelId === channel.id))
              }
              onHover={(isOn) => setHovered(isOn ? { channelId: channel.id } : null)}
            >
              <ChannelName channel={channel} />
            </Row>
          ))}
        </Side>
      </div>
      <RouteList overview={overview} cords={cords} isOpen={isOpen} />
    </section>
  );
}

/** The drawn routes in words, for screen-reader users. */
function RouteList({
  overview,
  cords,
  isOpen,
}: {
  overview: Overview;
  cords: readonly Cord[];
  isOpen(id: string, model: string): boolean;
}) {
  const t = useTranslations("overview.bay");
  const isDrawn = ({ model, channel_id }: OverviewRoute) =>
    cords.some((cord) => cord.model === model && cord.channelId === channel_id);
  return (
    <ul className="sr-only">
      {overview.routes.filter(isDrawn).map((route) => (
        <li key={`${route.model} ${route.channel_id}`}>
          {t(isOpen(route.channel_id, route.model) ? "routeOpen" : "route", {
            model: route.model,
            channel: overview.channels.find((one) => one.id === route.channel_id)?.name ?? route.channel_id,
            calls: route.calls,
            errors: route.errors,
          })}
          {route.failovers > 0 ? ` ${t("failovers", { count: route.failovers })}` : null}
        </li>
      ))}
    </ul>
  );
}

function Cords({ rows, cords, isFaded }: { rows: number; cords: Cord[]; isFaded(cord: Cord): boolean }) {
  return (
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
          className={cn("transition-opacity", STROKES[cord.state].colour, isFaded(cord) && "opacity-15")}
        />
      ))}
    </svg>
  );
}

/** Explains the line styles; hidden from screen readers, whose list states them in words. */
function CordLegend() {
  const t = useTranslations("overview.bay.legend");
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-muted">
      {(["active", "failing", "idle"] as const).map((state) => (
        <li key={state} className="flex items-center gap-1.5">
          <svg viewBox="0 0 18 4" className="h-1 w-4.5" aria-hidden="true">
            <path
              d="M1 2H17"
              strokeWidth={state === "idle" ? 1.5 : 3}
              strokeLinecap={STROKES[state].cap}
              strokeDasharray={STROKES[state].dashes}
              className={STROKES[state].colour}
            />
          </svg>
          {t(state)}
        </li>
      ))}
    </ul>
  );
}

function Side({ title, isRight, children }: { title: string; isRight: boolean; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className={cn("h-6 text-xs text-ink-faint", isRight ? "pl-7" : "pr-7 text-right")}>{title}</p>
      <ul>{children}</ul>
    </div>
  );
}

/** A row with the name of a model or channel and the socket at which its cords end. */
function Row({
  isRight,
  state,
  onHover,
  children,
}: {
  isRight: boolean;
  state: Cord["state"];
  onHover(isOn: boolean): void;
  children: ReactNode;
}) {
  const colour = { active: "bg-signal", failing: "bg-bad", idle: "bg-transparent" }[state];
  return (
    <li
      className={cn(
        "flex items-center gap-1.5 max-sm:text-sm sm:gap-2.5",
        isRight ? "flex-row" : "flex-row-reverse",
      )}
      style={{ height: ROW }}
      onPointerEnter={() => onHover(true)}
      onPointerLeave={() => onHover(false)}
      onFocus={() => onHover(true)}
      onBlur={() => onHover(false)}
    >
      <span
        aria-hidden="true"
        className={cn(
          "flex size-4.5 shrink-0 items-center justify-center rounded-full border-2 bg-panel",
          state === "failing" ? "border-bad" : "border-line-strong",
        )}
      >
        <span className={cn("size-2 rounded-full", colour)} />
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
  const { count } = useAmounts();
  const state = channel.health?.state;
  const isOpen = isCircuitOpen(channel);
  const note =
    channel.health === null
      ? t("deleted")
      : !channel.enabled
        ? t("disabled")
        : isOpen
          ? t("open")
          : state === "half_open"
            ? t("halfOpen")
            : null;
  const failed = channel.errors + channel.failovers;
  const failedText = failed > 0 ? t("failed", { count: count(failed) }) : null;
  const notes = [note, failedText].filter((one) => one !== null).join(" · ");
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
      {notes === "" ? null : (
        <span
          className={cn(
            "tabular max-w-full truncate text-xs",
            isOpen || failed > 0 ? "text-bad" : "text-ink-faint",
          )}
        >
          {notes}
        </span>
      )}
    </>
  );
}
