"use client";

import { GripVerticalIcon } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, type RefObject, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { DropTarget } from "@/lib/client/channel-order";
import type { Channel } from "@/lib/contracts/console/channels";
import { cn } from "../ui/class-names";

/** Share of a row's height at its top and bottom where a drop means before or after the row. */
const EDGE = 0.3;

/** The drop target at the pointer's `clientY`; null without rows. Rows are found by their `data-channel`. */
function dropTargetAt(list: HTMLElement, y: number): DropTarget | null {
  const rows = [...list.querySelectorAll<HTMLElement>("[data-channel]")].filter(
    (row) => row.offsetHeight > 0,
  );
  for (const [index, row] of rows.entries()) {
    const { top, bottom, height } = row.getBoundingClientRect();
    const isHere = y < bottom || index === rows.length - 1;
    if (!isHere) continue;
    const part = (Math.max(top, Math.min(bottom, y)) - top) / height;
    const side = part < EDGE ? "before" : part > 1 - EDGE ? "after" : "into";
    return { id: row.dataset.channel ?? "", side };
  }
  return null;
}

/**
 * Dragging rows by a handle, with mouse, pen or touch. `list` holds the rows; `onDrop` is called when the handle is
 * released over another row. Escape or a cancelled pointer aborts.
 */
export function useDragOrder(
  list: RefObject<HTMLElement | null>,
  onDrop: (id: string, target: DropTarget) => void,
) {
  const [dragged, setDragged] = useState<{ id: string; over: DropTarget | null } | null>(null);
  // Read by `onPointerUp`: the state lags one render behind.
  const over = useRef<DropTarget | null>(null);

  const handlers = (id: string) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      over.current = null;
      setDragged({ id, over: null });
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (dragged?.id !== id || !list.current) return;
      const target = dropTargetAt(list.current, event.clientY);
      over.current = target?.id === id ? null : target;
      setDragged({ id, over: over.current });
    },
    onPointerUp() {
      if (dragged?.id !== id) return;
      setDragged(null);
      if (over.current) onDrop(id, over.current);
    },
    onPointerCancel: () => setDragged(null),
    onLostPointerCapture: () => setDragged(null),
  });
  return { dragged, handlers, cancel: () => setDragged(null) };
}

export type DragOrder = ReturnType<typeof useDragOrder>;

/** The number of a channel's priority tier and the handle that moves it, by pointer or arrow keys. */
export function MoveHandle({
  channel,
  positionOf,
  drag,
  onAction,
}: {
  channel: Channel;
  /** Number of the channel's priority tier; requests try tier 1 first. */
  positionOf(id: string): number;
  drag: DragOrder;
  onAction(direction: "earlier" | "later", channel: Channel): void;
}) {
  const t = useTranslations("channels");
  const position = positionOf(channel.id);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") drag.cancel();
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onAction(event.key === "ArrowUp" ? "earlier" : "later", channel);
  };
  return (
    <button
      type="button"
      aria-label={t("move", { name: channel.name, position })}
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
