"use client";

import { type PointerEvent, type RefObject, useEffect, useRef } from "react";
import { clampView, type MapView, type Point, zoomAround } from "./map-geometry";

/** Pixels of movement from which on a press counts as a drag. */
const DRAG_THRESHOLD = 5;

interface Presses {
  /** Last position of every finger or mouse button that is down, by pointer ID. */
  pointers: Map<number, Point>;
  /** Pixels moved since the first of them went down. */
  moved: number;
}

interface MapHandlers {
  view: RefObject<MapView>;
  onView(view: MapView): void;
  /** The mouse moved over the map, or left it (null). */
  onHover(at: Point | null): void;
  /** A press without movement. */
  onSelect(at: Point, isTouch: boolean): void;
}

/** Wheel, drag and pinch on the map; a press without movement selects a point. */
export function useMapGestures(area: RefObject<HTMLDivElement | null>, map: MapHandlers) {
  const presses = useRef<Presses>({ pointers: new Map(), moved: 0 });
  useWheelZoom(area, map);

  const boxOf = () => area.current?.getBoundingClientRect() ?? new DOMRect();
  const pointOf = (event: { clientX: number; clientY: number }): Point => {
    const box = boxOf();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  /** Pans with one pointer; with two, zooms around the middle between them. */
  const drag = (before: Point, at: Point, other: Point | undefined) => {
    const { x, y, zoom } = map.view.current;
    if (!other) {
      map.onView(clampView({ zoom, x: x + at.x - before.x, y: y + at.y - before.y }, boxOf()));
      return;
    }
    const distance = (one: Point) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
    const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 };
    map.onView(zoomAround(map.view.current, distance(at) / distance(before), middle, boxOf()));
  };

  return {
    onPointerDown(event: PointerEvent<HTMLDivElement>) {
      const { pointers } = presses.current;
      if (pointers.size === 0) presses.current.moved = 0;
      pointers.set(event.pointerId, pointOf(event));
    },
    onPointerMove(event: PointerEvent<HTMLDivElement>) {
      const { pointers } = presses.current;
      const at = pointOf(event);
      const before = pointers.get(event.pointerId);
      if (!before) {
        if (event.pointerType === "mouse") map.onHover(at);
        return;
      }
      presses.current.moved += Math.hypot(at.x - before.x, at.y - before.y);
      if (presses.current.moved < DRAG_THRESHOLD) return;
      // Keeps receiving the drag when the pointer leaves the box.
      event.currentTarget.setPointerCapture(event.pointerId);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, at);
      drag(before, at, other);
    },
    onPointerUp(event: PointerEvent<HTMLDivElement>) {
      const { pointers, moved } = presses.current;
      if (pointers.delete(event.pointerId) && pointers.size === 0 && moved < DRAG_THRESHOLD) {
        map.onSelect(pointOf(event), event.pointerType !== "mouse");
      }
    },
    onPointerCancel(event: PointerEvent<HTMLDivElement>) {
      presses.current.pointers.delete(event.pointerId);
    },
    onPointerLeave(event: PointerEvent<HTMLDivElement>) {
      if (event.pointerType === "mouse" && presses.current.pointers.size === 0) map.onHover(null);
    },
  };
}

/** Zooms with the wheel. React's wheel listeners are passive and could not keep the page from scrolling. */
function useWheelZoom(area: RefObject<HTMLDivElement | null>, map: MapHandlers): void {
  const latest = useRef(map);
  useEffect(() => {
    latest.current = map;
  });
  useEffect(() => {
    const target = area.current;
    if (!target) return;
    const onWheel = (event: WheelEvent) => {
      const { view, onView } = latest.current;
      // Zooming out of the whole map scrolls the page.
      if (view.current.zoom <= 1 && event.deltaY > 0) return;
      event.preventDefault();
      const box = target.getBoundingClientRect();
      const at = { x: event.clientX - box.left, y: event.clientY - box.top };
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 20 : event.deltaY;
      onView(zoomAround(view.current, Math.exp(-pixels / (event.ctrlKey ? 80 : 320)), at, box));
    };
    target.addEventListener("wheel", onWheel, { passive: false });
    return () => target.removeEventListener("wheel", onWheel);
  }, [area]);
}
