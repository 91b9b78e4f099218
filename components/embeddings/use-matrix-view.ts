"use client";

import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Sheet } from "./draw-matrix";
import type { Focus, FocusStore } from "./focus";
import {
  extentOf,
  fitCell,
  type Geometry,
  gutterOf,
  positionAt,
  scrollTo,
  zoomFrom,
} from "./matrix-geometry";

/** Turns of a wheel held with Ctrl, in pixels, that make one step of the zoom. */
const NOTCH = 30;

/**
 * How large the matrix's cells are and what part of it the box shows: it fits the width until one zooms in; then
 * the box scrolls.
 */
export function useMatrixView(sheet: Sheet, focus: FocusStore) {
  const box = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [zoom, setZoom] = useState<number | null>(null);
  const { count } = sheet.table;
  const fit = fitCell(count, width);
  const cell = zoom === null || zoom <= fit ? fit : zoom;
  const geometry: Geometry = useMemo(() => ({ count, cell, gutter: gutterOf(count) }), [count, cell]);
  const extent = extentOf(geometry);

  useLayoutEffect(() => {
    const target = box.current;
    if (!target) return;
    const measure = () => setWidth(target.clientWidth);
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(target);
    return () => sizes.disconnect();
  }, []);

  /** Scrolls no more than needed to bring a cell into the box. */
  const show = ({ row, column }: Focus) => {
    const view = scroller.current;
    if (!view) return;
    const [down, across] = [sheet.places[row] ?? 0, sheet.places[column ?? row] ?? 0];
    view.scrollTop = scrollTo(geometry, down, view.scrollTop, view.clientHeight);
    view.scrollLeft = scrollTo(geometry, across, view.scrollLeft, view.clientWidth);
  };

  /** Zooms about the pinned cell, else about the middle of what is seen. */
  const zoomBy = useCallback(
    (direction: 1 | -1) => {
      const next = zoomFrom(cell, fit, direction);
      const view = scroller.current;
      if (next === null || !view) return;
      const [wide, high] = [view.clientWidth - geometry.gutter, view.clientHeight - geometry.gutter];
      const middle = { column: (view.scrollLeft + wide / 2) / cell, row: (view.scrollTop + high / 2) / cell };
      setZoom(next > fit ? next : null);
      // After the render that gives the box its new extent; by then another cell may be the pinned one.
      requestAnimationFrame(() => {
        const { pinned } = focus.get();
        const column = pinned ? (sheet.places[pinned.column ?? pinned.row] ?? 0) + 0.5 : middle.column;
        const row = pinned ? (sheet.places[pinned.row] ?? 0) + 0.5 : middle.row;
        view.scrollLeft = column * next - (view.clientWidth - geometry.gutter) / 2;
        view.scrollTop = row * next - (view.clientHeight - geometry.gutter) / 2;
      });
    },
    [cell, fit, focus, geometry, sheet],
  );
  useCtrlWheel(scroller, zoomBy);

  /** The texts of the cell under the pointer. */
  const cellAt = (event: { clientX: number; clientY: number }): Focus | null => {
    const view = scroller.current;
    if (!view) return null;
    const { left, top } = view.getBoundingClientRect();
    const row = positionAt(geometry, event.clientY - top, view.scrollTop);
    const column = positionAt(geometry, event.clientX - left, view.scrollLeft);
    if (row === null || column === null) return null;
    return { row: sheet.order[row] ?? 0, column: sheet.order[column] ?? 0 };
  };

  return {
    box,
    scroller,
    geometry,
    /** Side of everything, and of the part that the box shows. */
    extent,
    side: cell > fit ? Math.min(width, extent) : extent,
    isWhole: width > 0 && cell === fit,
    canGrow: zoomFrom(cell, fit, 1) !== null,
    fit,
    show,
    zoomBy,
    showWhole: () => setZoom(null),
    cellAt,
  };
}

/** React listens to wheels passively; zooming with Ctrl has to keep the browser from zooming the page. */
function useCtrlWheel(target: RefObject<HTMLElement | null>, onStep: (direction: 1 | -1) => void): void {
  useEffect(() => {
    const view = target.current;
    if (!view) return;
    let turned = 0;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      turned += event.deltaY;
      if (Math.abs(turned) < NOTCH) return;
      onStep(turned < 0 ? 1 : -1);
      turned = 0;
    };
    view.addEventListener("wheel", onWheel, { passive: false });
    return () => view.removeEventListener("wheel", onWheel);
  }, [target, onStep]);
}
