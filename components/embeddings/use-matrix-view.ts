"use client";

import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useWheel } from "../charts/use-canvas";
import type { MatrixLayout } from "./draw-matrix";
import type { Focus, FocusStore } from "./focus-store";
import {
  extentOf,
  fitCell,
  type Geometry,
  gutterOf,
  positionAt,
  scrollToPosition,
  zoomFrom,
} from "./matrix-geometry";

/** Wheel distance (`deltaY`), with Ctrl or Cmd, that makes one zoom step. */
const WHEEL_STEP = 30;

/** Cell size, scroll position and zoom of the matrix: it fits the width until zoomed in, then its box scrolls. */
export function useMatrixView(layout: MatrixLayout, focus: FocusStore) {
  const box = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const width = useClientWidth(box);
  /** Null: the cell size at which the whole matrix is shown. */
  const [zoomedCell, setZoomedCell] = useState<number | null>(null);
  const { count } = layout.values;
  const fit = fitCell(count, width);
  const cell = Math.max(fit, zoomedCell ?? fit);
  const geometry: Geometry = useMemo(() => ({ count, cell, gutter: gutterOf(count) }), [count, cell]);
  const extent = extentOf(geometry);

  /** Scrolls as little as needed to show a cell. */
  const scrollTo = ({ row, column }: Focus) => {
    const view = scroller.current;
    if (!view) return;
    const [down, across] = [layout.positions[row] ?? 0, layout.positions[column ?? row] ?? 0];
    view.scrollTop = scrollToPosition(geometry, down, view.scrollTop, view.clientHeight);
    view.scrollLeft = scrollToPosition(geometry, across, view.scrollLeft, view.clientWidth);
  };

  const zoomBy = useZoom({ scroller, geometry, fit, layout, focus, onZoom: setZoomedCell });

  /** The texts of the cell under the pointer. */
  const cellAt = (event: { clientX: number; clientY: number }): Focus | null => {
    const view = scroller.current;
    if (!view) return null;
    const { left, top } = view.getBoundingClientRect();
    const row = positionAt(geometry, event.clientY - top, view.scrollTop);
    const column = positionAt(geometry, event.clientX - left, view.scrollLeft);
    if (row === null || column === null) return null;
    return { row: layout.order[row] ?? 0, column: layout.order[column] ?? 0 };
  };

  const isFullyShown = width > 0 && cell === fit;
  return {
    box,
    scroller,
    geometry,
    /** Side length of the whole matrix. */
    extent,
    /** Side length of the box that shows it. */
    side: cell > fit ? Math.min(width, extent) : extent,
    isFullyShown,
    fit,
    zoom: {
      canZoomOut: !isFullyShown,
      canZoomIn: zoomFrom(cell, fit, 1) !== null,
      onZoom: zoomBy,
      onReset: () => setZoomedCell(null),
    },
    scrollTo,
    cellAt,
  };
}

/** Zooms around the pinned cell, else around the centre of the visible part; also with Ctrl and the wheel. */
function useZoom({
  scroller,
  geometry,
  fit,
  layout,
  focus,
  onZoom,
}: {
  scroller: RefObject<HTMLDivElement | null>;
  geometry: Geometry;
  /** The cell size at which the whole matrix is shown. */
  fit: number;
  layout: MatrixLayout;
  focus: FocusStore;
  /** The new cell size; null: the whole matrix. */
  onZoom(cell: number | null): void;
}) {
  const { cell, gutter } = geometry;
  const zoomBy = (direction: 1 | -1) => {
    const next = zoomFrom(cell, fit, direction);
    const view = scroller.current;
    if (next === null || !view) return;
    const half = (size: number) => (size - gutter) / 2;
    const centre = {
      column: (view.scrollLeft + half(view.clientWidth)) / cell,
      row: (view.scrollTop + half(view.clientHeight)) / cell,
    };
    onZoom(next > fit ? next : null);
    // Waits for the render that gives the box its new extent; the pinned cell may have changed by then.
    requestAnimationFrame(() => {
      const { pinned } = focus.get();
      const column = pinned ? (layout.positions[pinned.column ?? pinned.row] ?? 0) + 0.5 : centre.column;
      const row = pinned ? (layout.positions[pinned.row] ?? 0) + 0.5 : centre.row;
      view.scrollLeft = column * next - half(view.clientWidth);
      view.scrollTop = row * next - half(view.clientHeight);
    });
  };
  const turned = useRef(0);
  useWheel(scroller, (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    turned.current += event.deltaY;
    if (Math.abs(turned.current) < WHEEL_STEP) return;
    zoomBy(turned.current < 0 ? 1 : -1);
    turned.current = 0;
  });
  return zoomBy;
}

function useClientWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const measure = () => setWidth(target.clientWidth);
    measure();
    const resizes = new ResizeObserver(measure);
    resizes.observe(target);
    return () => resizes.disconnect();
  }, [element]);
  return width;
}
