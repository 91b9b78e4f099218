"use client";

import { type PointerEvent, type RefObject, useRef, useState } from "react";
import type { DropPlace } from "@/lib/client/channel-order";

/** The part of a row's height at either end where letting go means beside it. */
const EDGE = 0.3;

/** Where a channel that is let go at this height would land; null: over no row. Rows carry `data-channel`. */
function placeAt(list: HTMLElement, y: number): DropPlace | null {
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
 * Rows that are dragged by a handle, with mouse, pen or finger. `list` holds the rows; `onDrop` is told once the handle
 * is let go over another row. Escape and a cancelled pointer leave everything as it was.
 */
export function useDragOrder(
  list: RefObject<HTMLElement | null>,
  onDrop: (id: string, place: DropPlace) => void,
) {
  const [dragged, setDragged] = useState<{ id: string; over: DropPlace | null } | null>(null);
  // What the pointer is over, for the event that lets go: state is a render behind.
  const over = useRef<DropPlace | null>(null);

  const handlers = (id: string) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      over.current = null;
      setDragged({ id, over: null });
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (dragged?.id !== id || !list.current) return;
      const place = placeAt(list.current, event.clientY);
      over.current = place?.id === id ? null : place;
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
