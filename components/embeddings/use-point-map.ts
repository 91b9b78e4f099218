"use client";

import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { useTranslations } from "use-intl";
import { type Surface, useCanvas, useWheel } from "../charts/use-canvas";
import { drawMap, type MapColours, readMapColours } from "./draw-map";
import { type FocusStore, highlightOf } from "./focus-store";
import {
  clampView,
  FULL_VIEW,
  layOutMap,
  MAX_ZOOM,
  type MapLayout,
  type MapScene,
  type MapView,
  nextPoint,
  type Point,
  pointAt,
  zoomAround,
} from "./map-geometry";

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
/** Pixels that the map moves with Shift and an arrow key. */
const PAN_STEP = 40;
const ZOOM_STEP = 1.5;
/** Maximum distance in pixels at which a pointer selects a point. */
const MOUSE_RADIUS = 14;
const TOUCH_RADIUS = 26;

export type PointMapState = ReturnType<typeof usePointMap>;

/** Canvas, zoom, pointer and keyboard of the map. */
export function usePointMap(scene: MapScene, focus: FocusStore) {
  const { points } = scene;
  const { canvas, redraw, view, layout } = useMapCanvas(scene, focus);
  const area = useRef<HTMLDivElement>(null);
  // Only what React renders is state: the canvas reads view and layout from their refs.
  const [zoom, setZoom] = useState(1);

  const setView = useCallback(
    (next: MapView) => {
      view.current = next;
      setZoom(next.zoom);
      redraw();
    },
    [redraw, view],
  );
  useEffect(() => {
    if (points) setView(FULL_VIEW);
  }, [points, setView]);

  const focusAt = (at: Point, isTouch: boolean) => {
    const index = pointAt(layout.current, at, isTouch ? TOUCH_RADIUS : MOUSE_RADIUS);
    return index === null ? null : { row: index, column: null };
  };
  const gestures = useMapGestures(area, {
    view,
    onView: setView,
    onHover: (at) => focus.hover(at ? focusAt(at, false) : null),
    onSelect: (at, isTouch) => focus.pin(focusAt(at, isTouch)),
  });

  /** Zooms around the highlighted point, else around the centre. */
  const zoomBy = (factor: number) => {
    const { width, height, points } = layout.current;
    const highlight = highlightOf(focus.get());
    const around = (highlight && points[highlight.row]) ?? { x: width / 2, y: height / 2 };
    setView(zoomAround(view.current, factor, around, layout.current));
  };
  const onKeyDown = mapKeys({ view, layout, focus, setView, zoomBy });

  return {
    canvas,
    area,
    areaHandlers: { ...gestures, onKeyDown },
    zoom: {
      canZoomOut: zoom > 1,
      canZoomIn: zoom < MAX_ZOOM,
      onZoom: (direction: 1 | -1) => zoomBy(direction > 0 ? ZOOM_STEP : 1 / ZOOM_STEP),
      onReset: () => setView(FULL_VIEW),
    },
  };
}

/** Keyboard handler of the map: selects the next point, moves and zooms the map, deselects. */
function mapKeys({
  view,
  layout,
  focus,
  setView,
  zoomBy,
}: Pick<ReturnType<typeof useMapCanvas>, "view" | "layout"> & {
  focus: FocusStore;
  setView(next: MapView): void;
  zoomBy(factor: number): void;
}) {
  const pan = ([dx, dy]: readonly [number, number]) => {
    const { x, y } = view.current;
    const moved = { ...view.current, x: x - dx * PAN_STEP, y: y - dy * PAN_STEP };
    setView(clampView(moved, layout.current));
  };
  const selectNext = (direction: readonly [number, number]) => {
    const { pinned } = focus.get();
    const next = pinned ? nextPoint(layout.current, pinned.row, direction) : 0;
    if (next !== null) focus.pin({ row: next, column: null });
  };
  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS[event.key];
    if (direction && event.shiftKey) pan(direction);
    else if (direction) selectNext(direction);
    else if (event.key === "+" || event.key === "=") zoomBy(ZOOM_STEP);
    else if (event.key === "-") zoomBy(1 / ZOOM_STEP);
    else if (event.key === "0") setView(FULL_VIEW);
    else if (event.key === "Escape" && focus.get().pinned) focus.pin(null);
    else return;
    event.preventDefault();
  };
}

/** Draws the map; `view` is what it shows, `layout` where the points were drawn last. */
function useMapCanvas(scene: MapScene, focus: FocusStore) {
  const t = useTranslations("embeddings.map");
  const view = useRef<MapView>(FULL_VIEW);
  const layout = useRef<MapLayout>({ width: 1, height: 1, points: [], query: null });
  const colours = useRef<MapColours>(null);

  const paint = useCallback(
    (surface: Surface) => {
      colours.current ??= readMapColours(surface.canvas);
      layout.current = layOutMap(scene, surface, view.current);
      drawMap(surface, {
        scene,
        layout: layout.current,
        highlight: highlightOf(focus.get()),
        colours: colours.current,
        queryName: t("query"),
      });
    },
    [scene, focus, t],
  );
  const { canvas, redraw } = useCanvas(paint, { themeCache: colours });
  useEffect(() => focus.subscribe(redraw), [focus, redraw]);
  return { canvas, redraw, view, layout };
}

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
function useMapGestures(area: RefObject<HTMLDivElement | null>, map: MapHandlers) {
  const presses = useRef<Presses>({ pointers: new Map(), moved: 0 });
  const boxOf = () => area.current?.getBoundingClientRect() ?? new DOMRect();
  const pointOf = (event: { clientX: number; clientY: number }): Point => {
    const box = boxOf();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  useWheel(area, (event) => {
    const view = map.view.current;
    // With the whole map shown, there is nothing to zoom out: the wheel scrolls the page.
    if (view.zoom <= 1 && event.deltaY > 0) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 20 : event.deltaY;
    const factor = Math.exp(-pixels / (event.ctrlKey ? 80 : 320));
    map.onView(zoomAround(view, factor, pointOf(event), boxOf()));
  });
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
      // The button was released over a context menu or another element.
      if (event.buttons === 0) pointers.delete(event.pointerId);
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
