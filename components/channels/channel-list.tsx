"use client";

import Link from "next/link";
import { Fragment, useRef } from "react";
import { useTranslations } from "use-intl";
import type { DropTarget } from "@/lib/client/channel-order";
import type { Channel } from "@/lib/contracts/console/channels";
import { ActionsButton } from "../ui/actions-button";
import { cn } from "../ui/class-names";
import { Skeleton, SkeletonRows } from "../ui/skeleton";
import { SavingSwitch } from "../ui/switch";
import { Table, TableCell, TableHead, TableHeader } from "../ui/table";
import { ChannelMetric, ChannelModels, ChannelOrigin, type Traffic } from "./channel-cells";
import type { ChannelAction } from "./channel-menu";
import { ChannelStatusDot, CircuitNote, ConditionBadge, conditionOf, isUnhealthy } from "./channel-state";
import { type DragOrder, MoveHandle, useDragOrder } from "./move-handle";

const loadMenu = () => import("./channel-menu").then((one) => one.ChannelMenu);

function ChannelMenuButton({ channel, onAction }: Pick<RowProps, "channel" | "onAction">) {
  const menu = { channel, onAction: (action: ChannelAction) => onAction(action, channel) };
  return <ActionsButton name={channel.name} load={loadMenu} menu={menu} />;
}

interface ChannelListProps {
  channels: readonly Channel[];
  /** Number of the channel's priority tier, from 1; channels of one tier share it. */
  positionOf(id: string): number;
  traffic: Traffic;
  onAction(action: ChannelAction, channel: Channel): void;
  onToggle(channel: Channel, enabled: boolean): Promise<void>;
  onDrop(id: string, target: DropTarget): void;
  onChanged(): void;
}

interface RowProps extends Omit<ChannelListProps, "channels"> {
  channel: Channel;
  drag: DragOrder;
}

/** Channels in priority order: a table on wide screens, a list on narrow ones. */
export function ChannelList(props: ChannelListProps) {
  const list = useRef<HTMLDivElement>(null);
  const drag = useDragOrder(list, props.onDrop);
  return (
    <div ref={list} className={cn(drag.dragged && "select-none")}>
      <div className="hidden xl:block">
        <Table>
          <Headings />
          <tbody>
            {props.channels.map((channel) => (
              <ChannelRow key={channel.id} {...props} channel={channel} drag={drag} />
            ))}
          </tbody>
        </Table>
      </div>
      <ul className="rounded-md border bg-panel xl:hidden">
        {props.channels.map((channel) => (
          <ChannelCard key={channel.id} {...props} channel={channel} drag={drag} />
        ))}
      </ul>
    </div>
  );
}

/** Classes that mark the dragged row and, on the row under the pointer, where it would be dropped. */
function dropMarker({ dragged }: DragOrder, id: string): string {
  if (dragged?.id === id) return "opacity-50";
  if (dragged?.over?.id !== id) return "";
  switch (dragged.over.side) {
    case "before":
      return "shadow-[inset_0_2px_0_var(--signal)]";
    case "after":
      return "shadow-[inset_0_-2px_0_var(--signal)]";
    case "into":
      return "bg-signal-soft";
    default:
      return dragged.over.side satisfies never;
  }
}

function Headings() {
  const t = useTranslations("channels.table");
  const common = useTranslations("common");
  return (
    <TableHeader>
      <tr>
        <TableHead className="pr-0 pl-3">{t("order")}</TableHead>
        <TableHead>{t("name")}</TableHead>
        <TableHead>{t("models")}</TableHead>
        <TableHead className="text-right">{t("latency")}</TableHead>
        <TableHead>{t("traffic")}</TableHead>
        <TableHead className="text-right" title={t("errorsText")}>
          {t("errors")}
        </TableHead>
        <TableHead className="text-right">{t("spend")}</TableHead>
        <TableHead>{t("enabled")}</TableHead>
        <TableHead>
          <span className="sr-only">{common("actions")}</span>
        </TableHead>
      </tr>
    </TableHeader>
  );
}

const METRICS = ["latency", "traffic", "errors", "spend"] as const;
const COLUMNS = 9;

function ChannelRow(props: RowProps) {
  const { channel, traffic, drag } = props;
  const condition = conditionOf(channel);
  return (
    <Fragment>
      <tr
        data-channel={channel.id}
        className={cn(
          "border-t transition-colors first:border-t-0 hover:bg-sunken/60",
          dropMarker(drag, channel.id),
        )}
      >
        <TableCell className="w-0 pr-0 pl-2">
          <MoveHandle {...props} />
        </TableCell>
        <TableCell>
          <ChannelName channel={channel} />
        </TableCell>
        <TableCell className="max-w-56">
          <ChannelModels channel={channel} />
        </TableCell>
        {METRICS.map((name) => (
          <TableCell key={name} className={name === "traffic" ? undefined : "text-right"}>
            <ChannelMetric name={name} channel={channel} traffic={traffic} />
          </TableCell>
        ))}
        <TableCell className="w-0">
          <ChannelSwitch {...props} />
        </TableCell>
        <TableCell className="w-0 pl-0 text-right">
          <ChannelMenuButton {...props} />
        </TableCell>
      </tr>
      {isUnhealthy(condition) ? (
        <tr>
          <td colSpan={COLUMNS} className="px-3 pb-3">
            <CircuitNote channel={channel} onChanged={props.onChanged} />
          </td>
        </tr>
      ) : null}
    </Fragment>
  );
}

function ChannelName({ channel }: { channel: Channel }) {
  const condition = conditionOf(channel);
  return (
    <span className="flex min-w-0 items-baseline gap-2.5">
      <ChannelStatusDot condition={condition} />
      <span className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <Link
            prefetch={false}
            href={`/channels/${encodeURIComponent(channel.id)}`}
            className={cn(
              "rounded-sm font-medium wrap-anywhere underline-offset-4 hover:underline",
              !channel.enabled && "text-ink-muted",
            )}
          >
            {channel.name}
          </Link>
          <ConditionBadge condition={condition} />
        </span>
        <ChannelOrigin channel={channel} />
      </span>
    </span>
  );
}

function ChannelSwitch({ channel, onToggle }: Pick<RowProps, "channel" | "onToggle">) {
  const t = useTranslations("channels");
  return (
    <SavingSwitch
      aria-label={t("turnOn", { name: channel.name })}
      checked={channel.enabled}
      onToggle={(checked) => onToggle(channel, checked)}
    />
  );
}

function ChannelCard(props: RowProps) {
  const { channel, traffic, drag } = props;
  const t = useTranslations("channels.table");
  const condition = conditionOf(channel);
  // An unused channel shows no metrics: its status badge already says that it had no requests.
  const isUnused = traffic && !traffic.byId.get(channel.id)?.calls && !traffic.failovers.get(channel.id);
  return (
    <li
      data-channel={channel.id}
      className={cn("grid gap-3 border-t p-4 first:border-t-0", dropMarker(drag, channel.id))}
    >
      <div className="flex items-start gap-2">
        <div className="-ml-2">
          <MoveHandle {...props} />
        </div>
        <div className="min-w-0 flex-1 pt-1">
          <ChannelName channel={channel} />
        </div>
        <div className="flex items-center gap-1">
          <ChannelSwitch {...props} />
          <ChannelMenuButton {...props} />
        </div>
      </div>
      {isUnhealthy(condition) ? <CircuitNote channel={channel} onChanged={props.onChanged} /> : null}
      <ChannelModels channel={channel} />
      {isUnused ? null : (
        <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm sm:grid-cols-4">
          {METRICS.map((name) => (
            <div key={name} className="grid content-start gap-0.5">
              <dt className="text-ink-faint">{t(name)}</dt>
              <dd>
                <ChannelMetric name={name} channel={channel} traffic={traffic} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

export function ChannelListSkeleton() {
  return (
    <SkeletonRows className="flex items-center gap-8 p-4">
      <div className="grid flex-1 gap-2">
        <Skeleton className="h-4 w-40" />
        <Skeleton className="h-3 w-56" />
      </div>
      <Skeleton className="hidden h-4 w-32 lg:block" />
      <Skeleton className="hidden h-4 w-24 lg:block" />
      <Skeleton className="h-5 w-9 rounded-full" />
    </SkeletonRows>
  );
}
