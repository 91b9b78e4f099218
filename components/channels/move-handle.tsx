"use client";

import { GripVerticalIcon } from "lucide-react";
import type { KeyboardEvent } from "react";
import { useTranslations } from "use-intl";
import type { Channel } from "@/lib/contracts/console/channels";
import { cn } from "../ui/class-names";
import type { DragOrder } from "./use-drag-order";

/** The number of a channel's priority tier and the handle that moves it, by pointer or arrow keys. */
export function MoveHandle({
  channel,
  position,
  drag,
  onMove,
}: {
  channel: Channel;
  /** 1: the tier that is tried first. */
  position: number;
  drag: DragOrder;
  onMove(direction: "earlier" | "later"): void;
}) {
  const t = useTranslations("channels");
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") drag.cancel();
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onMove(event.key === "ArrowUp" ? "earlier" : "later");
  };
  return (
    <button
      type="button"
      aria-label={t("move", { name: channel.name })}
      title={t("moveHint")}
      data-move={channel.id}
      {...drag.handlers(channel.id)}
      onKeyDown={onKeyDown}
      className={cn(
        "group/grip flex h-8 touch-none items-center gap-1 rounded-sm pr-1.5 text-ink-muted transition-colors hover:bg-hover hover:text-ink pointer-coarse:h-10",
        drag.dragged?.id === channel.id ? "cursor-grabbing" : "cursor-grab",
      )}
    >
      <GripVerticalIcon aria-hidden="true" className="size-4 text-ink-faint" />
      <span aria-hidden="true" className="tabular min-w-3 text-right text-sm">
        {position}
      </span>
    </button>
  );
}
