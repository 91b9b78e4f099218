"use client";

import { type PointerEvent, type RefObject, useEffect, useRef } from "react";
import { holdInside, type MapView, type Spot, zoomAbout } from "./map-geometry";

/** A press that moves less than this is a press, not a drag. */
const SLACK = 5;

interface Hands {
  /** Every finger or button that is down, and where. */
  downs: Map<number, Spot>;
  moved: number;
}

/** Wheel, drag and pinch on the map; a press without movement chooses a point. */
export function useMapGestures(
  area: RefObject<HTMLDivElement | null>,
  map: {
    view: RefObject<MapView>;
    onView(view: MapView): void;
    onPoint(at: Spot | null, isFinger: boolean): void;
    onPress(at: Spot, isFinger: boolean): void;
  },
) {
  const hands = useRef<Hands>({ downs: new Map(), moved: 0 });
  const handle = useRef(map);
  useEffect(() => {
    handle.current = map;
  });

  const boxOf = () => area.current?.getBoundingClientRect() ?? new DOMRect();
  const spotOf = (event: { clientX: number; clientY: number }): Spot => {
    const box = boxOf();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  // React listens to wheels passively. Turned outward on the whole map, the wheel scrolls the page.
  useEffect(() => {
    const target = area.current;
    if (!target) return;
    const onWheel = (event: WheelEvent) => {
      const { view, onView } = handle.current;
      if (view.current.zoom <= 1 && event.deltaY > 0) return;
      event.preventDefault();
      const box = target.getBoundingClientRect();
      const about = { x: event.clientX - box.left, y: event.clientY - box.top };
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 20 : event.deltaY;
      onView(zoomAbout(view.current, Math.exp(-pixels / (event.ctrlKey ? 80 : 320)), about, box));
    };
    target.addEventListener("wheel", onWheel, { passive: false });
    return () => target.removeEventListener("wheel", onWheel);
  }, [area]);

  return {
    onPointerDown(event: PointerEvent<HTMLDivElement>) {
      const { downs } = hands.current;
      if (downs.size === 0) hands.current.moved = 0;
      downs.set(event.pointerId, spotOf(event));
    },
    onPointerMove(event: PointerEvent<HTMLDivElement>) {
      const { downs } = hands.current;
      const at = spotOf(event);
      const before = downs.get(event.pointerId);
      if (!before) {
        if (event.pointerType === "mouse") map.onPoint(at, false);
        return;
      }
      hands.current.moved += Math.hypot(at.x - before.x, at.y - before.y);
      if (hands.current.moved < SLACK) return;
      // From here on the drag stays ours, also outside the box.
      event.currentTarget.setPointerCapture(event.pointerId);
      const other = [...downs].find(([id]) => id !== event.pointerId)?.[1];
      downs.set(event.pointerId, at);
      const { x, y, zoom } = map.view.current;
      const moved = holdInside({ zoom, x: x + at.x - before.x, y: y + at.y - before.y }, boxOf());
      if (!other) {
        map.onView(moved);
        return;
      }
      const spread = (one: Spot) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
      const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 };
      map.onView(zoomAbout(map.view.current, spread(at) / spread(before), middle, boxOf()));
    },
    onPointerUp(event: PointerEvent<HTMLDivElement>) {
      const { downs, moved } = hands.current;
      if (downs.delete(event.pointerId) && downs.size === 0 && moved < SLACK) {
        map.onPress(spotOf(event), event.pointerType !== "mouse");
      }
    },
    onPointerCancel(event: PointerEvent<HTMLDivElement>) {
      hands.current.downs.delete(event.pointerId);
    },
    onPointerLeave(event: PointerEvent<HTMLDivElement>) {
      if (event.pointerType === "mouse" && hands.current.downs.size === 0) map.onPoint(null, false);
    },
  };
}
